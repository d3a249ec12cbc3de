/** True for JSON values with the same content. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, index) => isSame(value, other[index]))
    );
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  return (
    keys.length === others.length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key as never], other[key as never]))
  );
}

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
