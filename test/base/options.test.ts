import { describe, expect, test } from "vitest";
import * as s from "../../src/base/option-schema.ts";
import { check, isRight, problemOf } from "../../src/base/options.ts";

type Options = {
  readonly key?: string;
  readonly limits?: { readonly [name: string]: number };
  readonly n: number;
};

const schema = s.lazily(() =>
  s.options<Options>({
    key: s.optional(s.secret()),
    limits: s.optional(s.recordOf(s.integer(1, 9))),
    n: s.number(),
  }),
);

describe("problemOf says", () => {
  test.each([
    [{ n: 1 }, undefined],
    [{ n: 1, key: undefined, other: undefined }, undefined],
    [null, "The argument is null; expected an object of options."],
    [{ n: "1" }, '`n` is "1"; expected a number.'],
    [{ n: () => {} }, "`n` is a function; expected a number."],
    [{ n: [] }, "`n` is an array; expected a number."],
    [{}, "`n` is missing; expected a number."],
    [{ m: 1 }, "`m` is not an option; there are key, limits, n."],
    [{ n: 1, keys: "x" }, "`keys` is not an option; did you mean `key`?"],
    [{ n: 1, limits: { a: 10 } }, "`limits.a` is 10; expected an integer from 1 to 9."],
    [{ n: 1, limits: { "a b": 0 } }, '`limits["a b"]` is 0; expected an integer from 1 to 9.'],
  ])("of %j: %s", (given, problem) => {
    expect(problemOf(schema(), given)).toBe(problem);
  });

  test("of a secret only what kind of value it is", () => {
    const long = s.secret("64 hexadecimal digits", /^[0-9a-f]{64}$/);
    expect(problemOf(long, "hunter2")).toBe("The argument is a string; expected 64 hexadecimal digits.");
  });

  test("of options that may have others only a name that is nearly one of them", () => {
    const open = s.openOptions<Options>({
      key: s.optional(s.string()),
      limits: s.optional(s.object()),
      n: s.number(),
    });
    expect(problemOf(open, { n: 1, close() {} })).toBeUndefined();
    expect(problemOf(open, { n: 1, limit: 1 })).toBe("`limit` is not an option; did you mean `limits`?");
  });
});

test("check throws config/invalid that begins with what was called", () => {
  expect(() => check(schema(), {}, "make")).toThrow(
    expect.objectContaining({ code: "config/invalid", message: "make: `n` is missing; expected a number." }),
  );
});

test("a schema is built when it is first used, and once", () => {
  let count = 0;
  const built = s.lazily(() => ({ count: ++count }));
  expect(count).toBe(0);
  expect([built().count, built().count]).toEqual([1, 1]);
});

describe("isRight agrees with problemOf, or leaves it to it,", () => {
  const inherited = Object.assign(Object.create({ n: "1" }) as object, { key: "k" });
  test.each([
    [{ n: 1 }, true],
    [{ n: 1, key: "k", limits: { a: 1 } }, true],
    [{ n: 1, key: undefined }, true],
    [{ n: 1, other: undefined }, false],
    [{ n: "1" }, false],
    [{ n: undefined }, false],
    [{ key: "k" }, false],
    [{ n: 1, toString: 1 }, false],
    [inherited, false],
    [[], false],
    [null, false],
    ["text", false],
  ])("of %o: %o", (options, expected) => {
    const found = isRight(schema(), options as Options);
    expect(found).toBe(expected);
    if (found) expect(problemOf(schema(), options)).toBeUndefined();
  });
});
