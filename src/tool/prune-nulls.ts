import { isObject } from "../message/is-object.ts";
import type { Json, JsonObject } from "../message/types.ts";

function deref(schema: Json | undefined, root: JsonObject): JsonObject | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined;
  const object = schema as JsonObject;
  const ref = object["$ref"];
  if (ref === "#") return root;
  if (typeof ref !== "string" || !ref.startsWith("#/")) return object;
  let target: Json | undefined = root;
  for (const key of ref.slice(2).split("/")) {
    target = (target as JsonObject | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return target === object ? undefined : deref(target, root);
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** The schemas that all hold for a value that is not null: this one, those of its `allOf`, and what it is if not null. */
function partsOf(schema: Json | undefined, root: JsonObject): readonly JsonObject[] {
  const own = deref(schema, root);
  if (!own) return [];
  const choices = [...listOf(own["anyOf"]), ...listOf(own["oneOf"])].filter(
    (choice) => !isObject(choice) || choice["type"] !== "null",
  );
  const held = [...listOf(own["allOf"]), ...(choices.length === 1 ? choices : [])];
  return [own, ...held.flatMap((part) => partsOf(part, root))];
}

function prunedList(schema: JsonObject, list: readonly Json[], root: JsonObject): Json {
  const first = listOf(schema["prefixItems"]);
  return list.map((item, index) => pruneNulls(first[index] ?? schema["items"], item, root));
}

function prunedObject(schema: JsonObject, object: JsonObject, root: JsonObject): Json {
  const properties = (schema["properties"] ?? {}) as JsonObject;
  const required = listOf(schema["required"]);
  const entries = Object.entries(object).flatMap(([key, item]): (readonly [string, Json])[] => {
    const isDeclared = Object.hasOwn(properties, key);
    if (isDeclared && item === null && !required.includes(key)) return [];
    return [[key, pruneNulls(isDeclared ? properties[key] : schema["additionalProperties"], item, root)]];
  });
  return Object.fromEntries(entries);
}

/** A copy of `value` without the explicit nulls of declared, optional properties, which some models send for
 *  "not given" (spec scar S20). Local `$ref`s are followed. */
export function pruneNulls(
  schema: Json | undefined,
  value: Json,
  root: JsonObject = (schema ?? {}) as JsonObject,
): Json {
  return partsOf(schema, root).reduce<Json>((now, part) => {
    if (Array.isArray(now)) return prunedList(part, now, root);
    return isObject(now) ? prunedObject(part, now as JsonObject, root) : now;
  }, value);
}
