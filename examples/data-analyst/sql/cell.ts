/** A value of a result as it leaves the database: what JSON and a reader can hold. */
export type Cell = string | number | null;

/** Integers beyond 2^53 become exact decimal text, infinities become words, blobs a note of their size. */
export function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  return value instanceof Uint8Array ? `[blob of ${value.byteLength} bytes]` : JSON.stringify(value);
}
