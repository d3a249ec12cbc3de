import type { Json, Path } from "../wire/types.ts";
import { isObject } from "../../../src/core/base/json.ts";

/** A path at which two values differ. */
export type Difference = {
  readonly path: Path;
  readonly kind: "added" | "removed" | "changed";
  readonly before?: Json;
  readonly after?: Json;
};

/**
 * Lists the differences between two values, as deep as both have the same shape. Identical objects are skipped.
 */
export function differences(
  before: Json | undefined,
  after: Json | undefined,
  path: Path = [],
): readonly Difference[] {
  if (before === after) return [];
  if (before === undefined) return [{ path, kind: "added", after: after! }];
  if (after === undefined) return [{ path, kind: "removed", before }];
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) =>
      differences(before[index], after[index], [...path, index]),
    ).flat();
  }
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => differences(ownOf(before, key), ownOf(after, key), [...path, key]));
  }
  return [{ path, kind: "changed", before, after }];
}

function ownOf(object: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Formats a path: `messages[3].content[0].text`. */
export function pathText(path: Path): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      if (!/^[\w$-]+$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}
