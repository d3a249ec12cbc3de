/** Keys are few and come again and again. */
const known = new Map<string, string>();
const MOST_KNOWN = 2_000;
const LONGEST_KNOWN = 100;

/** A key as JSON. */
export function quote(key: string): string {
  let quoted = known.get(key);
  if (quoted === undefined) {
    quoted = JSON.stringify(key);
    if (known.size < MOST_KNOWN && key.length <= LONGEST_KNOWN) known.set(key, quoted);
  }
  return quoted;
}
