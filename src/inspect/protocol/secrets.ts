/** Replaces a secret. */
export const REDACTED = "[redacted]";

const SECRET_KEY =
  /passw(or)?d|passphrase|secret|apikey|accesskey|privatekey|signingkey|authorization|cookie|credential|bearer|^auth$|^pwd$|^extraheaders$/;
/** A key that ends in "token" holds a secret if its value is a string: `token`, but not `outputTokens`. */
const TOKEN_KEY = /tokens?$/;

const PUBLIC = 0;
const SECRET = 1;
const SECRET_STRING = 2;
/** The kind of each key; an object tree repeats a few keys many times. */
const kinds = new Map<string, number>();
const MAX_KEYS = 2_000;

function kindOf(key: string): number {
  let kind = kinds.get(key);
  if (kind === undefined) {
    const word = key.toLowerCase().replaceAll(/[^a-z\d]/g, "");
    kind = SECRET_KEY.test(word) ? SECRET : TOKEN_KEY.test(word) ? SECRET_STRING : PUBLIC;
    if (kinds.size < MAX_KEYS && key.length < 100) kinds.set(key, kind);
  }
  return kind;
}

/** True if the value of this key must not leave the process. */
export function isSecret(key: string, value: unknown): boolean {
  const kind = kindOf(key);
  if (kind === PUBLIC || value === null || value === undefined || typeof value === "boolean") return false;
  return kind === SECRET || typeof value === "string";
}

const KEY_IN_JSON = /"([^"\\]{1,64})"\s*:/g;

/** True if a piece of JSON, which may be cut off, contains the key of a secret. */
export function namesSecret(text: string): boolean {
  return [...text.matchAll(KEY_IN_JSON)].some(([, key]) => isSecret(key!, ""));
}
