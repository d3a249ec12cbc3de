import type { Json, Path } from "../wire/types.ts";
import { pathText } from "./diff.ts";
import { isObject } from "../../../src/core/base/json.ts";

/** A line of a JSON tree. */
export type JsonRow = {
  /** Unique in the tree. */
  readonly id: string;
  readonly path: Path;
  readonly depth: number;
  readonly label: string;
  readonly value: Json;
  /** Whether the members are displayed; undefined for a value without members. */
  readonly isOpen?: boolean;
  readonly size: number;
};

/** The maximum number of displayed members of an array or object. */
const MAX_MEMBERS = 2_000;

/** Flattens a value to the lines of a tree; `isOpen` says which paths are expanded. */
export function jsonRows(value: Json, isOpen: (id: string, depth: number) => boolean): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  for (const [key, member] of membersOf(value)) addRows(rows, [key], member, 0, isOpen);
  return rows;
}

function addRows(
  rows: JsonRow[],
  path: Path,
  value: Json,
  depth: number,
  isOpen: (id: string, depth: number) => boolean,
): void {
  const id = pathText(path);
  const members = membersOf(value);
  const label = String(path.at(-1));
  if (members.length === 0) {
    rows.push({ id, path, depth, label, value, size: 0 });
    return;
  }
  const open = isOpen(id, depth);
  rows.push({ id, path, depth, label, value, isOpen: open, size: members.length });
  if (!open) return;
  for (const [key, member] of members.slice(0, MAX_MEMBERS))
    addRows(rows, [...path, key], member, depth + 1, isOpen);
}

/** The members of an array or object. A blob counts as a plain value: it is loaded, not expanded. */
export function membersOf(value: Json): readonly (readonly [string | number, Json])[] {
  if (Array.isArray(value)) return value.map((member: Json, index) => [index, member] as const);
  return isObject(value) && !isBlob(value) ? Object.entries(value) : [];
}

/** True for a reference to a long string. */
export function isBlob(
  value: unknown,
): value is { readonly $blob: string; readonly length: number; readonly head: string } {
  return isObject(value) && typeof value["$blob"] === "string" && typeof value["head"] === "string";
}

/** The ids of the lines that contain a change. */
export function changedIds(paths: readonly Path[]): ReadonlySet<string> {
  return new Set(paths.flatMap((path) => path.map((_, index) => pathText(path.slice(0, index + 1)))));
}

/** Formats a value on one line, cut to `length` characters. */
export function preview(value: Json, length = 80): string {
  if (typeof value === "string") return JSON.stringify(cut(value, length));
  if (isBlob(value)) return `${JSON.stringify(cut(value.head, length))} …`;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.length}]`;
  const keys = Object.keys(value);
  return keys.length === 0
    ? "{}"
    : cut(`{ ${keys.slice(0, 6).join(", ")}${keys.length > 6 ? ", …" : ""} }`, length);
}

/** Cuts a text to a maximum length. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
