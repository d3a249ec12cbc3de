import type { Json, JsonObject } from "../wire/types.ts";
import { jsonText, safeText } from "./format.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { t } from "../words/t.ts";

/** A field of a form. */
export type Field = {
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  /** True if an empty field is left out of the object. */
  readonly mayBeAbsent: boolean;
  readonly isRequired: boolean;
  /** The kind of control; `json` for everything without a specific one. */
  readonly control: "text" | "long" | "number" | "integer" | "boolean" | "choice" | "json";
  readonly choices?: readonly Json[];
};

/**
 * The fields of a form for an object: from its schema, or from the value without a schema. Undefined if the
 * value is not an object.
 */
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
  const choices = enumChoices(property, value);
  const control = choices ? "choice" : controlOf(property, value);
  const isString = control === "text" || control === "long";
  return {
    key,
    label: typeof title === "string" ? title : key,
    ...(typeof description === "string" && { description }),
    isRequired,
    mayBeAbsent: !isRequired && (!isString || value === undefined),
    control,
    ...(choices && { choices }),
  };
}

/** The choices of an enum; undefined if the value is not one of them. */
function enumChoices({ enum: all }: JsonObject, value: Json | undefined): readonly Json[] | undefined {
  const isOne = (choice: Json): boolean => JSON.stringify(choice) === JSON.stringify(value);
  return Array.isArray(all) && (value === undefined || all.some(isOne)) ? all : undefined;
}

function controlOf({ type }: JsonObject, value: Json | undefined): Field["control"] {
  if (type === "integer" || type === "number" || type === "boolean")
    return hasOtherType(type, value) ? "json" : type;
  const isString =
    type === "string" ? value === undefined || typeof value === "string" : typeof value === "string";
  // invisible characters are displayed and preserved in JSON only
  if (typeof value === "string" && safeText(value) !== value) return "json";
  if (isString)
    return typeof value === "string" && (value.length > 60 || value.includes("\n")) ? "long" : "text";
  if (type !== undefined) return "json";
  return typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "json";
}

const hasOtherType = (type: string, value: Json | undefined): boolean =>
  value !== undefined && typeof value !== (type === "integer" ? "number" : type);

/** Parses the text of a field to the field's type. Throws an error that says what is expected. */
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
        throw new Error(t`${field.label}: expected a number.`);
      if (field.control === "integer" && !Number.isInteger(number))
        throw new Error(t`${field.label}: expected an integer.`);
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

/** Parses JSON; throws an error that begins with the label. */
export function readJson(text: string, label: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new Error(t`${label}: invalid JSON (${(error as Error).message}).`, { cause: error });
  }
}

/** The text of a field for a value. */
export function fieldText(field: Field, value: Json | undefined): string {
  if (value === undefined)
    return field.control === "choice" && !field.mayBeAbsent ? JSON.stringify(field.choices?.[0]) : "";
  if ((field.control === "text" || field.control === "long") && typeof value === "string") return value;
  if (field.control === "choice") return JSON.stringify(value);
  return jsonText(value);
}

/** Parses all fields; throws the first problem. Members without a field are left out. */
export function readForm(fields: readonly Field[], texts: { readonly [key: string]: string }): JsonObject {
  const entries = fields.flatMap((field) => {
    const value = readField(field, texts[field.key] ?? "");
    return value === undefined ? [] : [[field.key, value] as const];
  });
  return Object.fromEntries(entries);
}
