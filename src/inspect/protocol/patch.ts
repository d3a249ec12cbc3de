import type { Json, JsonObject } from "../../core/base/json.ts";
import type { PatchOp, Path } from "./protocol.ts";

type Update = (before: Json | undefined) => Json | undefined;

/**
 * Applies the operations to a context and returns the result; `before` is not modified. An operation whose path
 * does not exist changes nothing.
 */
export function applyPatch(before: JsonObject, ops: readonly PatchOp[]): JsonObject {
  const own: Own = new Set();
  let now: Json = before;
  for (const op of ops) now = updateAt(now, op[1], 0, updateOf(op), own) ?? {};
  return now as JsonObject;
}

/** The objects that were made for this patch: each object is copied once for all operations, and then changed. */
type Own = Set<Json | undefined>;

function updateOf(op: PatchOp): Update {
  switch (op[0]) {
    case "=":
      return () => op[2];
    case "d":
      return () => undefined;
    case "+":
      return (list) => (Array.isArray(list) ? (list as Json[]).concat(op[2]) : list);
    case "-":
      return (list) => (Array.isArray(list) ? (list as Json[]).slice(op[2]) : list);
    case "s":
      return (text) => (typeof text === "string" ? text + op[2] : text);
  }
}

/** Returns `value` updated at `path`: a copy, unless it is one already; `value` itself if the path does not exist. */
function updateAt(
  value: Json | undefined,
  path: Path,
  depth: number,
  update: Update,
  own: Own,
): Json | undefined {
  if (depth === path.length) return update(value);
  const key = path[depth]!;
  if (Array.isArray(value))
    return updateArrayAt(value as Json[], key, (item) => updateAt(item, path, depth + 1, update, own));
  if (typeof value !== "object" || value === null) return value;
  const object = value as { [key: string]: Json };
  const before = Object.hasOwn(object, key) ? object[key] : undefined;
  const after = updateAt(before, path, depth + 1, update, own);
  if (after === before) return value;
  if (after === undefined) {
    const { [key]: _, ...rest } = object;
    return rest;
  }
  if (own.has(object) && key !== "__proto__") {
    object[key] = after;
    return object;
  }
  const copy = { ...object, [key]: after };
  own.add(copy);
  return copy;
}

function updateArrayAt(list: readonly Json[], key: string | number, update: Update): Json {
  if (typeof key !== "number" || !Number.isInteger(key) || key < 0 || key > list.length) return list;
  const after = update(list[key]);
  if (after === list[key]) return list;
  return after === undefined ? list.toSpliced(key, 1) : list.toSpliced(key, 1, after);
}
