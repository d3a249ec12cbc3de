/** The maximum length of a text that an error shows, in characters. */
const MAX_SHOWN = 200;

/** Returns a text, or the beginning of one that is longer; default: than an error shows. */
export function truncated(text: string, max = MAX_SHOWN): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
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
