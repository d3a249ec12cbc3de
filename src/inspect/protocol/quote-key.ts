/** Quoted keys; an object tree repeats a few keys many times. */
const cache = new Map<string, string>();
const MAX_CACHED = 2_000;
const MAX_CACHED_LENGTH = 100;

/** Quotes a key as JSON. */
export function quoteKey(key: string): string {
  let quoted = cache.get(key);
  if (quoted === undefined) {
    quoted = JSON.stringify(key);
    if (cache.size < MAX_CACHED && key.length <= MAX_CACHED_LENGTH) cache.set(key, quoted);
  }
  return quoted;
}
