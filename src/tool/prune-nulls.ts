import { isObject } from "../base/is-object.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { deref } from "./local-ref.ts";

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** Whether a value may be meant by a choice: of its type, with the constants and the fields that the choice asks for. */
function isMeant(choice: Json, value: object, root: JsonObject): boolean {
  const schema = deref(choice, root);
  const type = schema?.["type"];
  if (!schema || (typeof type === "string" && type !== (Array.isArray(value) ? "array" : "object")))
    return false;
  const object = value as JsonObject;
  const fields = Object.entries((schema["properties"] ?? {}) as JsonObject);
  return (
    listOf(schema["required"]).every((key) => Object.hasOwn(object, key as string)) &&
    fields.every(([key, field]) => {
      const isConstant = isObject(field) && field["const"] !== undefined && Object.hasOwn(object, key);
      return !isConstant || (field as JsonObject)["const"] === object[key];
    })
  );
}

/** The schemas that all hold for a value: this one, those of its `allOf`, and the one choice that it can be. */
function partsOf(schema: Json | undefined, value: object, root: JsonObject): readonly JsonObject[] {
  const own = deref(schema, root);
  if (!own) return [];
  const choices = [...listOf(own["anyOf"]), ...listOf(own["oneOf"])].filter(
    (choice) => !isObject(choice) || choice["type"] !== "null",
  );
  const meant = choices.length > 1 ? choices.filter((choice) => isMeant(choice, value, root)) : choices;
  const held = [...listOf(own["allOf"]), ...(meant.length === 1 ? meant : [])];
  return [own, ...held.flatMap((part) => partsOf(part, value, root))];
}

function prunedList(schema: JsonObject, list: readonly Json[], root: JsonObject): Json {
  const first = listOf(schema["prefixItems"]);
  return list.map((item, index) => prune(first[index] ?? schema["items"], item, root));
}

function prunedObject(schema: JsonObject, object: JsonObject, root: JsonObject): Json {
  const properties = (schema["properties"] ?? {}) as JsonObject;
  const required = listOf(schema["required"]);
  const entries = Object.entries(object).flatMap(([key, item]): (readonly [string, Json])[] => {
    const isDeclared = Object.hasOwn(properties, key);
    if (isDeclared && item === null && !required.includes(key)) return [];
    return [[key, prune(isDeclared ? properties[key] : schema["additionalProperties"], item, root)]];
  });
  return Object.fromEntries(entries);
}

const hasNull = (value: Json): boolean =>
  value === null || (typeof value === "object" && Object.values(value).some(hasNull));

/** Returns `value` without the explicit nulls of declared, optional properties, which some models send for "not given" (S20): a copy,
 *  or the value itself if it has no null. Local `$ref`s are followed. */
export function pruneNulls(schema: Json | undefined, value: Json): Json {
  return hasNull(value) ? prune(schema, value, (schema ?? {}) as JsonObject) : value;
}

function prune(schema: Json | undefined, value: Json, root: JsonObject): Json {
  if (typeof value !== "object" || value === null) return value;
  return partsOf(schema, value, root).reduce<Json>((now, part) => {
    if (Array.isArray(now)) return prunedList(part, now, root);
    return isObject(now) ? prunedObject(part, now as JsonObject, root) : now;
  }, value);
}
