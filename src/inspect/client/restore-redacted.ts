import { isObject } from "../../base/is-object.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { REDACTED } from "../protocol/secrets.ts";

/**
 * Returns edited arguments with the parts that were not displayed, secrets and long strings, restored from the
 * original.
 */
export function restoreRedacted(edited: JsonObject, original: JsonObject): JsonObject {
  return restore(edited, original) as JsonObject;
}

function restore(edited: Json, original: Json | undefined): Json {
  if (edited === REDACTED && original !== undefined) return original;
  if (typeof edited !== "object" || edited === null) return edited;
  if (Array.isArray(edited)) {
    const before = Array.isArray(original) ? (original as Json[]) : [];
    return edited.map((item: Json, index) => restore(item, before[index]));
  }
  const fields = edited as JsonObject;
  if (typeof fields["$blob"] === "string" && typeof original === "string") return original;
  const before = isObject(original) ? original : {};
  return Object.fromEntries(
    Object.entries(fields).map(([key, item]) => [
      key,
      restore(item, Object.hasOwn(before, key) ? before[key] : undefined),
    ]),
  );
}
