import type { Json, JsonObject } from "../wire/types.ts";
import { jsonText, plain } from "./format.ts";
import { isObject } from "../../../src/base/is-object.ts";

export type Field = {
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  /** Left empty, it is not sent at all. */
  readonly mayBeAbsent: boolean;
  readonly isRequired: boolean;
  /** `json` is for everything without a control of its own. */
  readonly control: "text" | "long" | "number" | "integer" | "boolean" | "choice" | "json";
  readonly choices?: readonly Json[];
};

/** The fields of a form for an object: from its schema, or from the value if there is none. Undefined if it is no object. */
export function fieldsOf(
  schema: JsonObject | undefined,
  value: Json | undefined,
): readonly Field[] | undefined {
  const properties = schema && isObject(schema["properties"]) ? schema["properties"] : undefined;
  if (!properties && !(schema === undefined && isObject(value))) return undefined;
  const required = schema && Array.isArray(schema["required"]) ? schema["required"] : [];
  const known = Object.entries(properties ?? {}).map(([key, property]) =>
    fieldOf(key, isObject(property) ? property : {}, required.includes(key), memberOf(value, key)),
  );
  const names = new Set(known.map(({ key }) => key));
  const others = Object.entries(isObject(value) ? value : {})
    .filter(([key]) => !names.has(key))
    .map(([key, member]) => fieldOf(key, {}, false, member));
  return [...known, ...others];
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function fieldOf(key: string, property: JsonObject, isRequired: boolean, value: Json | undefined): Field {
  const { title, description } = property;
  const choices = choicesOf(property, value);
  const control = choices ? "choice" : controlOf(property, value);
  const isText = control === "text" || control === "long";
  return {
    key,
    label: typeof title === "string" ? title : key,
    ...(typeof description === "string" && { description }),
    isRequired,
    mayBeAbsent: !isRequired && (!isText || value === undefined),
    control,
    ...(choices && { choices }),
  };
}

/** What there is to choose from; nothing if the value is none of it. */
function choicesOf({ enum: all }: JsonObject, value: Json | undefined): readonly Json[] | undefined {
  const isOne = (choice: Json): boolean => JSON.stringify(choice) === JSON.stringify(value);
  return Array.isArray(all) && (value === undefined || all.some(isOne)) ? all : undefined;
}

function controlOf({ type }: JsonObject, value: Json | undefined): Field["control"] {
  if (type === "integer" || type === "number" || type === "boolean")
    return isOther(type, value) ? "json" : type;
  const isText =
    type === "string" ? value === undefined || typeof value === "string" : typeof value === "string";
  // characters that nobody sees can be seen, and are kept, as JSON only
  if (typeof value === "string" && plain(value) !== value) return "json";
  if (isText)
    return typeof value === "string" && (value.length > 60 || value.includes("\n")) ? "long" : "text";
  if (type !== undefined) return "json";
  return typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "json";
}

const isOther = (type: string, value: Json | undefined): boolean =>
  value !== undefined && typeof value !== (type === "integer" ? "number" : type);

/** What a person typed, as the type of the field. Throws a sentence that says what is expected. */
export function readField(field: Field, text: string): Json | undefined {
  if (text === "" && field.mayBeAbsent) return undefined;
  switch (field.control) {
    case "text":
    case "long":
      return text;
    case "number":
    case "integer": {
      const number = Number(text);
      if (text.trim() === "" || !Number.isFinite(number))
        throw new Error(`${field.label}: a number is expected.`);
      if (field.control === "integer" && !Number.isInteger(number))
        throw new Error(`${field.label}: a whole number is expected.`);
      return number;
    }
    case "boolean":
      return text === "true";
    case "choice":
      return (field.choices ?? []).find((choice) => JSON.stringify(choice) === text) ?? null;
    case "json":
      return readJson(text, field.label);
  }
}

export function readJson(text: string, label: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new Error(`${label}: no JSON (${(error as Error).message}).`, { cause: error });
  }
}

/** A value as a field shows it. */
export function showField(field: Field, value: Json | undefined): string {
  if (value === undefined)
    return field.control === "choice" && !field.mayBeAbsent ? JSON.stringify(field.choices?.[0]) : "";
  if ((field.control === "text" || field.control === "long") && typeof value === "string") return value;
  if (field.control === "choice") return JSON.stringify(value);
  return jsonText(value);
}

/** All fields read; the first problem is thrown. Members that have no field stay away. */
export function readForm(fields: readonly Field[], texts: { readonly [key: string]: string }): JsonObject {
  const entries = fields.flatMap((field) => {
    const value = readField(field, texts[field.key] ?? "");
    return value === undefined ? [] : [[field.key, value] as const];
  });
  return Object.fromEntries(entries);
}
