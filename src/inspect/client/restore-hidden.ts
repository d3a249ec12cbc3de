import { isObject } from "../../base/is-object.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { restoreRedacted } from "../../base/secrets.ts";

/** Returns edited arguments with the parts that the page did not get, secrets and long strings, as they were. */
export function restoreHidden(edited: JsonObject, original: JsonObject): JsonObject {
  return restoreRedacted(edited, original, isBlob);
}

function isBlob(edited: Json, original: Json): boolean {
  return isObject(edited) && typeof edited["$blob"] === "string" && typeof original === "string";
}
