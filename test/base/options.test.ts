// The check of options, and its words.
import { describe, expect, test } from "vitest";
import * as s from "../../src/core/base/option-schema.ts";
import { check, isRight, mismatchOf, problemOf } from "../../src/core/base/options.ts";

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

  test.each([4711n, 4711, ["hunter2"], { hunter2: 1 }, () => "hunter2"])(
    "nothing of the value that is in the place of a secret: %s",
    (given) => {
      const problem = problemOf(schema(), { n: 1, key: given });
      expect(problem).toMatch(/^`key` is an? [a-z]+; expected a string\.$/u);
    },
  );

  test("of a record that an instance of a class is not a plain object", () => {
    const given = { n: 1, limits: new Headers() };
    expect(problemOf(schema(), given)).toBe("`limits` is an object; expected a plain object.");
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

const HUGE = "x".repeat(1_000_000);

test.each([
  [{ n: HUGE }, /^`n` is "x{200}…"; expected a number\.$/u],
  [{ n: Symbol(HUGE) }, /^`n` is Symbol\(x{193}…; expected a number\.$/u],
  [{ n: 10n ** 100_000n }, /^`n` is 10{199}…; expected a number\.$/u],
  [{ n: 1, [HUGE]: 1 }, /^`\["x{200}…"\]` is not an option; there are key, limits, n\.$/u],
  [{ n: 1, limits: { [HUGE]: 0 } }, /^`limits\["x{200}…"\]` is 0; expected an integer from 1 to 9\.$/u],
])("a problem shows the beginning of a huge text: case %#", (given, problem) => {
  expect(problemOf(schema(), given)).toMatch(problem);
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

describe("of several issues is said", () => {
  type Nested = {
    readonly a: number;
    readonly b?: { readonly c?: number };
    readonly list?: readonly { readonly d: number }[];
  };
  const nested = s.options<Nested>({
    a: s.number(),
    b: s.optional(s.options<NonNullable<Nested["b"]>>({ c: s.optional(s.number()) })),
    list: s.optional(s.listOf(s.options<{ readonly d: number }>({ d: s.number() }))),
  });
  test.each([
    ["the first", { a: "1", b: { c: "2" } }, '`a` is "1"; expected a number.'],
    ["a misspelt name", { b: { d: 2 } }, "`b.d` is not an option; there are c."],
    [
      "a misspelt name of an element",
      { list: [{ d: "x" }, { d: 1, e: 2 }] },
      "`list[1].e` is not an option; there are d.",
    ],
    ["a misspelt name of the whole", { a: "1", c: 1 }, "`c` is not an option; there are a, b, list."],
  ])("%s: %j", (_, given, problem) => {
    expect(problemOf(nested, given)).toBe(problem);
  });
});

describe("mismatchOf", () => {
  const block = s.tagged("type", { text: { text: s.string() }, count: { count: s.nullable(s.finite()) } });
  const schema = s.fields({ blocks: s.listOf(block), more: s.optional(s.recordOf(s.exactly(true))) });
  test.each([
    [{ blocks: [] }, undefined],
    [{ blocks: [{ type: "text", text: "", other: 1 }], more: { a: true }, others: 1 }, undefined],
    [{ blocks: [{ type: "count", count: null }] }, undefined],
    [[], "it: expected an object"],
    [{ blocks: {} }, "blocks: expected an array"],
    [{ blocks: [{}] }, 'blocks.0.type: expected "text" or "count"'],
    [{ blocks: [null] }, "blocks.0: expected an object"],
    [{ blocks: [{ type: "text", text: "a" }, { type: "text" }] }, "blocks.1.text: expected a string"],
    [{ blocks: [{ type: "count", count: Infinity }] }, "blocks.0.count: expected a number"],
    [{ blocks: [], more: { a: true, b: "secret" } }, "more.b: expected true"],
    [{ blocks: [], more: new Date() }, "more: expected a plain object"],
  ])("says where %j differs, and not what was found: %s", (given, problem) => {
    expect(mismatchOf(schema, given)).toBe(problem);
  });

  test("shows the beginning of a huge name", () => {
    expect(mismatchOf(schema, { blocks: [], more: { [HUGE]: 1 } })).toMatch(
      /^more\.x{200}…: expected true$/u,
    );
  });

  test("names the value", () => {
    expect(mismatchOf(schema, { blocks: 1 }, "output")).toBe("output.blocks: expected an array");
    expect(mismatchOf(schema, 1, "output")).toBe("output: expected an object");
  });
});

test("a schema says its JSON Schema", () => {
  const optional = s.optional(
    s.anyOf<string | number>([s.oneOf("a", "b"), s.integer(1, 9)], "a, b or a digit"),
  );
  const shape = { n: s.nullable(s.number()), key: optional, list: s.listOf(s.exactly(true)) };
  const properties = {
    n: { anyOf: [{ type: "number" }, { type: "null" }] },
    key: {
      anyOf: [
        { type: "string", enum: ["a", "b"] },
        { type: "integer", minimum: 1, maximum: 9 },
      ],
    },
    list: { type: "array", items: { type: "boolean", const: true } },
  };
  const fields = { type: "object", properties, required: ["n", "list"] };
  type Options = {
    readonly n: number | null;
    readonly key?: string | number;
    readonly list: readonly true[];
  };
  expect(s.fields(shape).json()).toEqual(fields);
  expect(s.options<Options>(shape).json()).toEqual({ ...fields, additionalProperties: false });
  expect(s.tagged("type", { text: { text: s.string() } }).json()).toEqual({
    oneOf: [
      {
        type: "object",
        properties: { type: { type: "string", const: "text" }, text: { type: "string" } },
        required: ["type", "text"],
      },
    ],
  });
});
