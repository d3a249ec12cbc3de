import { isObject } from "../../base/is-object.ts";

const MAX_CHARACTERS = 100_000;
const MAX_DEPTH = 200;
const TYPES: readonly unknown[] = ["null", "boolean", "object", "array", "number", "integer", "string"];
const SCHEMA_KEYS = [
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
  "additionalProperties",
  "additionalItems",
  "unevaluatedProperties",
  "unevaluatedItems",
];
const LIST_KEYS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED_KEYS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const TEXT_KEYS = ["$schema", "$id", "$ref", "$anchor"];

/** What is wrong with the values as a whole: how deep they are, and where they refer to. */
function problemOfValues(schema: unknown): string | undefined {
  const open: [value: unknown, depth: number][] = [[schema, 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next;
    if (depth > MAX_DEPTH) return `its schema is nested more than ${MAX_DEPTH} deep`;
    if (typeof value !== "object" || value === null) continue;
    const ref: unknown = Array.isArray(value) ? undefined : (value as { readonly $ref?: unknown }).$ref;
    if (typeof ref === "string" && !ref.startsWith("#")) return "its schema refers to another document";
    for (const each of Object.values(value)) open.push([each, depth + 1]);
  }
  return undefined;
}

function isTarget(root: unknown, pointer: string): boolean {
  let value = root;
  for (const part of pointer.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return false;
    let key: string;
    try {
      key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    } catch {
      return false;
    }
    if (!Object.hasOwn(value, key)) return false;
    value = (value as { readonly [key: string]: unknown })[key];
  }
  return true;
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === "string" && new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** Returns what keeps a part from being JSON Schema, with the place; undefined if nothing does. */
function problemAt(root: unknown, schema: unknown, at: string): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isObject(schema)) return `${at || "/"} is no schema`;
  const isType = (type: unknown): boolean => TYPES.includes(type);
  const { type, required, pattern, $ref } = schema;
  if (type !== undefined && !(Array.isArray(type) ? type.every(isType) : isType(type)))
    return `${at}/type is ${JSON.stringify(type)?.slice(0, 40)}`;
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((key) => typeof key === "string"))
  )
    return `${at}/required is no list of names`;
  if (schema["enum"] !== undefined && !Array.isArray(schema["enum"])) return `${at}/enum is no list`;
  if (pattern !== undefined && !isPattern(pattern)) return `${at}/pattern is no regular expression`;
  const noText = TEXT_KEYS.find((key) => schema[key] !== undefined && typeof schema[key] !== "string");
  if (noText !== undefined) return `${at}/${noText} is no text`;
  if (typeof $ref === "string" && $ref.startsWith("#/") && !isTarget(root, $ref))
    return `${at}/$ref refers to ${$ref.slice(0, 100)}, which it does not have`;
  const parts: (readonly [part: unknown, at: string])[] = [];
  for (const key of SCHEMA_KEYS) if (schema[key] !== undefined) parts.push([schema[key], `${at}/${key}`]);
  for (const key of LIST_KEYS) {
    const list = schema[key];
    if (list === undefined) continue;
    if (!Array.isArray(list) || list.length === 0) return `${at}/${key} is no list of schemas`;
    parts.push(...list.map((part, index) => [part, `${at}/${key}/${index}`] as const));
  }
  for (const key of NAMED_KEYS) {
    const named = schema[key];
    if (named === undefined) continue;
    if (!isObject(named)) return `${at}/${key} is no object of schemas`;
    parts.push(...Object.entries(named).map(([name, part]) => [part, `${at}/${key}/${name}`] as const));
  }
  const { items } = schema;
  if (Array.isArray(items))
    parts.push(...items.map((part, index) => [part, `${at}/items/${index}`] as const));
  else if (items !== undefined) parts.push([items, `${at}/items`]);
  for (const [part, place] of parts) {
    const problem = problemAt(root, part, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Returns why a schema of a server cannot be used; undefined if it can. It is checked as 2020-12 and older revisions have it. */
export function schemaProblem(schema: unknown): string | undefined {
  const problem = problemOfValues(schema);
  if (problem !== undefined) return problem;
  const size = JSON.stringify(schema)?.length ?? 0;
  if (size > MAX_CHARACTERS) return `its schema has ${size} characters; at most ${MAX_CHARACTERS} are read`;
  const wrong = problemAt(schema, schema, "");
  return wrong === undefined ? undefined : `its schema is no JSON Schema: ${wrong.slice(0, 300)}`;
}
