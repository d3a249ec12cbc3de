import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { deref } from "../base/local-ref.ts";
import type { SchemaRule } from "./host-rules.ts";
import { objectForm } from "./object-form.ts";
import { typedSchema } from "./typed-schema.ts";

/** A schema as a host takes it, or why there is none. */
export type WireSchema = { readonly schema: JsonObject } | { readonly problem: string };

/** Returns the schema of arguments in a form that a host takes; the same object if nothing had to be changed. It takes what the given one
 *  takes, with which the tool checks its arguments, and may take more. Of a union at the top, an argument that only some forms name is
 *  what it is there. */
export function wireSchema(root: JsonObject, rule: SchemaRule): WireSchema {
  const top = objectForm(root);
  if (!top) return { problem: "its schema takes no object" };
  return { schema: rule.isTyped ? typedSchema(top, rule) : mended(top, { root: top, rule }, 0) };
}

type Within = { readonly root: JsonObject; readonly rule: SchemaRule };

const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLE = ["items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"];
const LENGTHS = ["minLength", "maxLength", "minItems", "maxItems"];
const LONGEST = 1_000;
const DEEPEST = 100;

/** Returns a schema with what every host wants: schemas that are objects, items of each array, references that lead somewhere. */
function mended(schema: JsonObject, within: Within, depth: number): JsonObject {
  if (depth > DEEPEST) return {};
  const made: { [keyword: string]: Json } = {};
  let isChanged = false;
  for (const [keyword, value] of Object.entries(schema)) {
    const kept = mendedValue(keyword, value, within, depth);
    if (kept !== undefined) made[keyword] = kept;
    isChanged ||= kept !== value;
  }
  if (!within.rule.hasPatterns && "patternProperties" in schema) delete made["additionalProperties"];
  if (isList(schema) && !isObject(made["items"])) {
    made["items"] = itemsOf(made);
    isChanged = true;
  }
  return isChanged ? made : schema;
}

const isList = ({ type }: JsonObject): boolean =>
  type === "array" || (Array.isArray(type) && (type as readonly Json[]).includes("array"));

/** Returns the schema of each item of a tuple. */
function itemsOf({ prefixItems }: JsonObject): Json {
  const schemas = Array.isArray(prefixItems) ? (prefixItems as readonly Json[]) : [];
  return eitherOf(schemas);
}

function eitherOf(schemas: readonly Json[]): Json {
  const texts = schemas.map((schema) => JSON.stringify(schema));
  const different = schemas.filter((_, index) => texts.indexOf(texts[index]!) === index);
  return different.length > 1 ? { anyOf: different } : (different[0] ?? {});
}

/** Undefined for a keyword that is left out. */
function mendedValue(keyword: string, value: Json, within: Within, depth: number): Json | undefined {
  const { root, rule } = within;
  const inner = (schema: Json): Json =>
    isObject(schema) ? mended(schema as JsonObject, within, depth + 1) : {};
  if (keyword === "$ref") return isKnownRef(value, root) ? value : undefined;
  if (keyword === "required") return namesOf(value);
  if (keyword === "exclusiveMinimum" || keyword === "exclusiveMaximum")
    return typeof value === "number" ? value : undefined;
  if (!rule.hasPatterns) {
    if (keyword === "pattern" || keyword === "patternProperties") return undefined;
    if (LENGTHS.includes(keyword) && typeof value === "number" && value > LONGEST) return undefined;
  }
  if (MAPS.includes(keyword)) return isObject(value) ? mendedMap(value as JsonObject, inner) : undefined;
  if (LISTS.includes(keyword))
    return Array.isArray(value) ? mendedList(value as readonly Json[], inner) : undefined;
  if (!SINGLE.includes(keyword) || (keyword === "additionalProperties" && typeof value === "boolean"))
    return value;
  if (Array.isArray(value)) return eitherOf(mendedList(value as readonly Json[], inner));
  return typeof value === "boolean" && keyword !== "items" ? value : inner(value);
}

function mendedMap(schemas: JsonObject, inner: (schema: Json) => Json): JsonObject {
  const entries = Object.entries(schemas);
  const made = entries.flatMap(([name, schema]): [string, Json][] =>
    schema === false ? [] : [[name, inner(schema)]],
  );
  const isSame =
    made.length === entries.length && made.every(([, schema], index) => schema === entries[index]![1]);
  return isSame ? schemas : Object.fromEntries(made);
}

function mendedList(schemas: readonly Json[], inner: (schema: Json) => Json): readonly Json[] {
  const made = schemas.map(inner);
  return made.every((schema, index) => schema === schemas[index]) ? schemas : made;
}

function namesOf(value: Json): Json | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = [...new Set((value as readonly Json[]).filter((name) => typeof name === "string"))];
  return names.length === value.length ? value : names;
}

function isKnownRef(ref: Json, root: JsonObject): boolean {
  return typeof ref === "string" && /^#(\/|$)/.test(ref) && deref({ $ref: ref }, root) !== undefined;
}
