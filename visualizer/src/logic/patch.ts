import type { Json, JsonObject, PatchOp, Path } from "../wire/types.ts";

type Edit = (value: Json | undefined) => Json | undefined;

/** Context after one step: what did not change is shared with the context before. Throws for a path that leads nowhere. */
export function applyPatch(context: JsonObject, ops: readonly PatchOp[]): JsonObject {
  return ops.reduce<Json>((value, op) => change(value, op[1], 0, editOf(op)) ?? {}, context) as JsonObject;
}

function editOf(op: PatchOp): Edit {
  switch (op[0]) {
    case "=":
      return () => op[2];
    case "d":
      return () => undefined;
    case "+":
      return (value) => [...listOf(value), ...op[2]];
    case "-":
      return (value) => listOf(value).slice(op[2]);
    case "s":
      return (value) => (typeof value === "string" ? value : "") + op[2];
  }
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

function change(value: Json | undefined, path: Path, depth: number, edit: Edit): Json | undefined {
  const key = path[depth];
  if (key === undefined) return edit(value);
  if (Array.isArray(value)) {
    const index = Number(key);
    const next = change(value[index], path, depth + 1, edit);
    return next === undefined ? value.toSpliced(index, 1) : Object.assign([...value], { [index]: next });
  }
  const object = isObject(value) ? value : {};
  const before = Object.hasOwn(object, key) ? object[key] : undefined;
  const next = change(before, path, depth + 1, edit);
  if (next !== undefined) return { ...object, [key]: next };
  const { [key]: _, ...rest } = object;
  return rest;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
