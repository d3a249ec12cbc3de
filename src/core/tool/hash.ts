import type { Json, JsonObject } from "../base/json.ts";
import { sha256 } from "../base/sha256.ts";

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value as JsonObject).map(([key, item]) => [key, sorted(item)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the hash to which an approval is bound: the SHA-256 of the arguments, whatever the order of their keys. */
export function hashInput(input: JsonObject): string {
  return sha256(JSON.stringify(sorted(input)));
}
