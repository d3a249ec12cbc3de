import type { JsonObject } from "./json.ts";

/** True for what has fields: no list and not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
