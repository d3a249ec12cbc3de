// Forms that follow a value or a schema.
import { expect, test } from "vitest";
import { fieldsOf, readField, readForm, fieldText } from "../../src/logic/form-fields.ts";
import type { JsonObject } from "../../src/wire/types.ts";

const schema: JsonObject = {
  type: "object",
  required: ["command", "timeout"],
  properties: {
    command: { type: "string", description: "The command line" },
    timeout: { type: "integer" },
    rate: { type: "number" },
    dry: { type: "boolean" },
    region: { enum: ["eu", "us", 3] },
    tags: { type: "array" },
  },
};
const value = { command: "ls", timeout: 30, dry: false, region: "us", tags: ["a"], extra: 7 };
const texts = (fields: NonNullable<ReturnType<typeof fieldsOf>>): { [key: string]: string } =>
  Object.fromEntries(fields.map((field) => [field.key, fieldText(field, (value as JsonObject)[field.key])]));

test("readForm returns the original value of an unchanged form", () => {
  const fields = fieldsOf(schema, value)!;
  expect(fields.map(({ key, control }) => `${key}:${control}`)).toEqual([
    "command:text",
    "timeout:integer",
    "rate:number",
    "dry:boolean",
    "region:choice",
    "tags:json",
    "extra:number",
  ]);
  expect(readForm(fields, texts(fields))).toEqual(value);
});

test("readForm keeps the types of edited fields", () => {
  const fields = fieldsOf(schema, value)!;
  expect(readForm(fields, { ...texts(fields), timeout: "45" })["timeout"]).toBe(45);
  expect(readForm(fields, { ...texts(fields), dry: "true" })["dry"]).toBe(true);
});

test("fieldsOf derives the controls from the value without a schema", () => {
  const fields = fieldsOf(undefined, { a: 1, b: "x", c: { d: 1 }, long: "y".repeat(100) })!;
  expect(fields.map(({ control }) => control)).toEqual(["number", "text", "json", "long"]);
  expect(fieldsOf(undefined, "text")).toBeUndefined();
});

test("readField says what was expected for invalid text", () => {
  const [, timeout, , , , tags] = fieldsOf(schema, value)!;
  expect(() => readField(timeout!, "soon")).toThrow("timeout: expected a number.");
  expect(() => readField(timeout!, "1.5")).toThrow("timeout: expected an integer.");
  expect(() => readField(tags!, "[1,")).toThrow(/tags: invalid JSON/);
});

test("readField leaves out an empty optional field", () => {
  const fields = fieldsOf(schema, undefined)!;
  const rate = fields.find(({ key }) => key === "rate")!;
  expect(readField(rate, "")).toBeUndefined();
});

test("readForm leaves out absent members, and keeps a cleared string as empty", () => {
  const schema = { properties: { note: { type: "string" }, region: { enum: ["eu", "us"] } } };
  const fields = fieldsOf(schema, {})!;
  expect(
    readForm(fields, Object.fromEntries(fields.map((field) => [field.key, fieldText(field, undefined)]))),
  ).toEqual({});
  const [note] = fieldsOf(schema, { note: "soon" })!;
  expect(readField(note!, "")).toBe("");
});

test("fieldsOf offers a text field for a value outside of the enum", () => {
  const [region] = fieldsOf({ properties: { region: { enum: ["eu", "us"] } } }, { region: "moon" })!;
  expect(region!.control).toBe("text");
  expect(readField(region!, fieldText(region!, "moon"))).toBe("moon");
});

test("fieldsOf offers JSON for text with invisible characters, which is preserved", () => {
  const hostile = { path: "right\u202Eto left", n: 1, odd: "x\u{E0041}\n", timeout: "soon" };
  for (const schema of [
    undefined,
    { type: "object", properties: { path: { type: "string" }, timeout: { type: "integer" } } },
  ]) {
    const fields = fieldsOf(schema, hostile)!;
    const shown = Object.fromEntries(
      fields.map((field) => [field.key, fieldText(field, (hostile as JsonObject)[field.key])]),
    );
    expect(shown["path"]).toBe(String.raw`"right\u202Eto left"`);
    expect(shown["odd"]).toBe(String.raw`"x\uDB40\uDC41\n"`);
    expect(readForm(fields, shown)).toEqual(hostile);
  }
});
