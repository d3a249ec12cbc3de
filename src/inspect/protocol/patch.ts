import type { Json, JsonObject } from "../../base/json.ts";
import type { PatchOp, Path } from "./protocol.ts";

type Change = (before: Json | undefined) => Json | undefined;

/** Context after the operations; `before` stays as it is. */
export function applyPatch(before: JsonObject, ops: readonly PatchOp[]): JsonObject {
  return ops.reduce<Json>((now, op) => changed(now, op[1], 0, changeOf(op)) ?? {}, before) as JsonObject;
}

function changeOf(op: PatchOp): Change {
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

/** A copy of `value` in which the place at `path` is changed; `value` itself if there is no such place. */
function changed(value: Json | undefined, path: Path, depth: number, change: Change): Json | undefined {
  if (depth === path.length) return change(value);
  const key = path[depth]!;
  if (Array.isArray(value))
    return changedList(value as Json[], key, (item) => changed(item, path, depth + 1, change));
  if (typeof value !== "object" || value === null) return value;
  const object = value as JsonObject;
  const before = Object.hasOwn(object, key) ? object[key] : undefined;
  const after = changed(before, path, depth + 1, change);
  if (after === before) return value;
  if (after !== undefined) return { ...object, [key]: after };
  const { [key]: _, ...rest } = object;
  return rest;
}

function changedList(list: readonly Json[], key: string | number, change: Change): Json {
  if (typeof key !== "number" || !Number.isInteger(key) || key < 0 || key > list.length) return list;
  const after = change(list[key]);
  if (after === list[key]) return list;
  return after === undefined ? list.toSpliced(key, 1) : list.toSpliced(key, 1, after);
}
