import crypto from "node:crypto";

const LONGEST = 64;

/** Returns the name that the model sees. A character that providers do not accept becomes `_`, and of a name of more than 64 characters the
 *  first 55 stay, with a hash of the whole. */
export function toolName(prefix: string, name: string): string {
  const full = prefix + name;
  const clean = full.replace(/[^\w-]/gu, "_");
  if (clean.length <= LONGEST && clean !== "") return clean;
  return `${clean.slice(0, 55)}_${crypto.hash("sha256", full).slice(0, 8)}`;
}
