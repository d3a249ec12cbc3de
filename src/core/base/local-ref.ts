import type { Json, JsonObject } from "./json.ts";

/** The schema that a local reference leads to, over further references; the schema itself if it is not a reference. Undefined for what
 *  is not a schema object, and for a reference that leads nowhere or round in a circle. */
export function deref(schema: Json | undefined, root: JsonObject): JsonObject | undefined {
  const seen = new Set<unknown>();
  for (let at = schema; !seen.has(at); at = target(at as JsonObject, root)) {
    if (typeof at !== "object" || at === null || Array.isArray(at)) return undefined;
    if (!isLocalRef((at as JsonObject)["$ref"])) return at as JsonObject;
    seen.add(at);
  }
  return undefined;
}

const isLocalRef = (ref: Json | undefined): ref is string =>
  typeof ref === "string" && (ref === "#" || ref.startsWith("#/"));

function target(schema: JsonObject, root: JsonObject): Json | undefined {
  const path = (schema["$ref"] as string).split("/").slice(1);
  return path.reduce<Json | undefined>(
    (at, key) => (at as JsonObject | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")],
    root,
  );
}
