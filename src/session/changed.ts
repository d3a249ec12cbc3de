import { isSame } from "../core/base/json.ts";

/** Returns the fields that differ from those before; undefined if none does. */
export function changed<T extends object>(before: T | undefined, after: T): Partial<T> | undefined {
  const change: Partial<T> = {};
  let isChanged = false;
  for (const key of Object.keys(after) as (keyof T)[]) {
    if (isSame(before?.[key], after[key])) continue;
    change[key] = after[key];
    isChanged = true;
  }
  return isChanged ? change : undefined;
}
