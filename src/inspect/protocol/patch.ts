import type { Json, JsonObject } from "../../core/base/json.ts";
import type { PatchOp, Path } from "./protocol.ts";

type Update = (before: Json | undefined) => Json | undefined;

/**
 * Applies the operations to a context and returns the result; `before` is not modified. An operation whose path
 * does not exist changes nothing.
 */
export function applyPatch(before: JsonObject, ops: readonly PatchOp[]): JsonObject {
  let now: { [key: string]: Json } = before;
  let isCopy = false; // a context has many keys: it is copied once for all operations
  for (const op of ops) {
    const [key] = op[1];
    const isSetInCopy = isCopy && key !== undefined && key !== "__proto__";
    const value = isSetInCopy && Object.hasOwn(now, key) ? now[key] : undefined;
    const set = isSetInCopy ? updateAt(value, op[1], 1, updateOf(op)) : undefined;
    if (isSetInCopy && set !== undefined) {
      now[key] = set;
      continue;
    }
    const after = (updateAt(now, op[1], 0, updateOf(op)) ?? {}) as JsonObject;
    isCopy = key !== undefined && !Array.isArray(after) && (isCopy || after !== now);
    now = after;
  }
  return now;
}

function updateOf(op: PatchOp): Update {
  switch (op[0]) {
    case "=":
      return () => op[2];
    case "d":
      return () => undefined;
    case "+":
      return (list) => (Array.isArray(list) ? [...(list as Json[]), ...op[2]] : list);
    case "-":
      return (list) => (Array.isArray(list) ? (list as Json[]).slice(op[2]) : list);
    case "s":
      return (text) => (typeof text === "string" ? text + op[2] : text);
  }
}

/** Returns a copy of `value` that is updated at `path`; `value` itself if the path does not exist. */
function updateAt(value: Json | undefined, path: Path, depth: number, update: Update): Json | undefined {
  if (depth === path.length) return update(value);
  const key = path[depth]!;
  if (Array.isArray(value))
    return updateArrayAt(value as Json[], key, (item) => updateAt(item, path, depth + 1, update));
  if (typeof value !== "object" || value === null) return value;
  const object = value as JsonObject;
  const before = Object.hasOwn(object, key) ? object[key] : undefined;
  const after = updateAt(before, path, depth + 1, update);
  if (after === before) return value;
  if (after !== undefined) return { ...object, [key]: after };
  const { [key]: _, ...rest } = object;
  return rest;
}

function updateArrayAt(list: readonly Json[], key: string | number, update: Update): Json {
  if (typeof key !== "number" || !Number.isInteger(key) || key < 0 || key > list.length) return list;
  const after = update(list[key]);
  if (after === list[key]) return list;
  return after === undefined ? list.toSpliced(key, 1) : list.toSpliced(key, 1, after);
}
