// JSON as the cards of calls show it.
import { expect, test } from "vitest";
import { formattedJson } from "../../src/logic/formatted-json.ts";

test("JSON on one line is indented, with its numbers and its strings as they are", () => {
  const json =
    '{"id":12345678901234567890,"price": 1.10, "e":1e400,"none":[ ],"deep":{"a":[1,{"b":{}}]},"id":2}';
  const lines = [
    '{ "id": 12345678901234567890, "price": 1.10, "e": 1e400,',
    '"none": [], "deep": { "a": [ 1, { "b": {} } ] }, "id": 2 }',
  ];
  expect(formattedJson(json)?.replaceAll(/\s+/gu, " ")).toBe(lines.join(" "));
  expect(formattedJson('{"a": "x:[ ]  {,\\" \\u5ba2"}')).toBe('{\n  "a": "x:[ ]  {,\\" 客"\n}');
  expect(formattedJson("[1,[2]]")).toBe("[\n  1,\n  [\n    2\n  ]\n]");
});

test("what is no JSON, or has lines, is not formatted", () => {
  for (const text of ["{a:1}", "[1,\n2]", "[]", "plain"]) expect(formattedJson(text)).toBeUndefined();
});
