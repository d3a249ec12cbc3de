/** The maximum length of a text that an error shows, in characters. */
const MAX_SHOWN = 200;

/** The beginning of a text that is too long for an error. */
export function truncated(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;
}

/** Returns the form in which an error shows what was found: a string in quotes, an object without its content. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(truncated(value));
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return truncated(String(value));
  return Array.isArray(value) ? "an array" : "an object";
}

/** Returns the form in which an error shows what may be a secret. */
export function kindOf(value: unknown): string {
  const type = typeof value;
  return type === "string" || type === "number" || type === "bigint" ? `a ${type}` : shown(value);
}
