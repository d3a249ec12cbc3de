// Values of programs that are not ours, as they are shown: bounded, and without running what they bring along.
import { expect, test } from "vitest";
import { foreignJson } from "../../../src/inspect/client/foreign-value.ts";

const asked = (): never => {
  throw new Error("code of the program ran");
};
const LONG = "x".repeat(100_000);
class When extends Date {
  override getTime = asked;
  override toISOString = asked;
}
class Trick extends Map<string, number> {
  override entries = asked;
}

test.each<[string, () => unknown, unknown]>([
  ["a symbol", () => Symbol("s"), "[Symbol(s)]"],
  ["a large number", () => 10n ** 400n, "[bigint of more than 300 digits]"],
  ["a large negative number", () => -(10n ** 400n), "[bigint of more than 300 digits]"],
  ["a bigint", () => 7n, "7n"],
  ["a date with methods of its own", () => new When(0), "1970-01-01T00:00:00.000Z"],
  ["no date", () => new Date(Number.NaN), "[no date]"],
  ["a map with methods of its own", () => new Trick([["a", 1]]), { $class: "Map", entries: [["a", 1]] }],
  ["an expression", () => Object.assign(/a+/g, { toString: asked }), "[/a+/]"],
  [
    "bytes",
    () => Object.defineProperty(new Uint8Array(3), "constructor", { get: asked }),
    "[Uint8Array, 3 bytes]",
  ],
  ["a view", () => new DataView(new ArrayBuffer(5)), "[DataView, 5 bytes]"],
  [
    "a buffer",
    () => Object.defineProperty(new ArrayBuffer(4), "byteLength", { get: asked }),
    "[ArrayBuffer, 4 bytes]",
  ],
  ["an error", () => new RangeError("far"), { $class: "RangeError", message: "far" }],
  [
    "an error that says nothing",
    () =>
      Object.defineProperties(new TypeError("a"), {
        name: { value: Symbol("s") },
        message: { get: asked },
        constructor: { get: asked },
      }),
    { $class: "TypeError", message: "" },
  ],
])("%s", (_, make, shown) => {
  expect(foreignJson(make())).toEqual(shown);
});

test.each<[string, () => unknown]>([
  ["a symbol", () => Symbol(LONG)],
  ["an expression", () => new RegExp(LONG)],
  ["an error", () => Object.assign(new Error(LONG), { name: LONG })],
  ["a key", () => ({ [LONG]: { [LONG]: 1 } })],
  [
    "a class",
    () =>
      new {
        [LONG]: class {
          readonly a = 1;
        },
      }[LONG]!(),
  ],
  ["a text", () => LONG],
])("%s with a long text is cut", (_, make) => {
  expect(JSON.stringify(foreignJson(make())).length).toBeLessThan(5_000);
});
