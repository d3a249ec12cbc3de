import type { JsonObject } from "./json.ts";

/** Returns true for an object that is neither an array nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
