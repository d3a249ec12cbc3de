import { expect, test } from "vitest";
import { fieldsOf, readField, readForm, showField } from "../src/logic/form-fields.ts";
import type { JsonObject } from "../src/wire/types.ts";

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
  Object.fromEntries(fields.map((field) => [field.key, showField(field, (value as JsonObject)[field.key])]));

test("a form that nobody touches gives the value back, type by type", () => {
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

test("an edited number stays a number", () => {
  const fields = fieldsOf(schema, value)!;
  expect(readForm(fields, { ...texts(fields), timeout: "45" })["timeout"]).toBe(45);
  expect(readForm(fields, { ...texts(fields), dry: "true" })["dry"]).toBe(true);
});

test("without a schema the value says what its members are", () => {
  const fields = fieldsOf(undefined, { a: 1, b: "x", c: { d: 1 }, long: "y".repeat(100) })!;
  expect(fields.map(({ control }) => control)).toEqual(["number", "text", "json", "long"]);
  expect(fieldsOf(undefined, "text")).toBeUndefined();
});

test("what is typed wrongly is said in a sentence", () => {
  const [, timeout, , , , tags] = fieldsOf(schema, value)!;
  expect(() => readField(timeout!, "soon")).toThrow("timeout: a number is expected.");
  expect(() => readField(timeout!, "1.5")).toThrow("timeout: a whole number is expected.");
  expect(() => readField(tags!, "[1,")).toThrow(/tags: no JSON/);
});

test("what is optional may stay empty", () => {
  const fields = fieldsOf(schema, undefined)!;
  const rate = fields.find(({ key }) => key === "rate")!;
  expect(readField(rate, "")).toBeUndefined();
});

test("what was not there stays away if nobody touches it, and a text that was emptied is empty", () => {
  const given = { properties: { note: { type: "string" }, region: { enum: ["eu", "us"] } } };
  const fields = fieldsOf(given, {})!;
  expect(
    readForm(fields, Object.fromEntries(fields.map((field) => [field.key, showField(field, undefined)]))),
  ).toEqual({});
  const [note] = fieldsOf(given, { note: "soon" })!;
  expect(readField(note!, "")).toBe("");
});

test("a value that is none of the choices stays as it is if nobody touches it", () => {
  const [region] = fieldsOf({ properties: { region: { enum: ["eu", "us"] } } }, { region: "moon" })!;
  expect(region!.control).toBe("text");
  expect(readField(region!, showField(region!, "moon"))).toBe("moon");
});

test("text with characters that nobody sees is shown as JSON, and stays as it is if nobody touches it", () => {
  const hostile = { path: "right\u202Eto left", n: 1, odd: "x\u{E0041}\n", timeout: "soon" };
  for (const schema of [
    undefined,
    { type: "object", properties: { path: { type: "string" }, timeout: { type: "integer" } } },
  ]) {
    const fields = fieldsOf(schema, hostile)!;
    const shown = Object.fromEntries(
      fields.map((field) => [field.key, showField(field, (hostile as JsonObject)[field.key])]),
    );
    expect(shown["path"]).toBe(String.raw`"right\u202Eto left"`);
    expect(shown["odd"]).toBe(String.raw`"x\uDB40\uDC41\n"`);
    expect(readForm(fields, shown)).toEqual(hostile);
  }
});
