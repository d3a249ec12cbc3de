/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

const SECRET =
  /passw(or)?d|passphrase|secret|apikey|accesskey|privatekey|signingkey|authorization|cookie|credential|bearer|^auth$|^pwd$|^extraheaders$/;
/** `token` is a secret, `outputTokens` is a count. */
const TOKEN = /tokens?$/;

const NO = 0;
const ALWAYS = 1;
const AS_TEXT = 2;
/** What keys were found to be: the same few come again and again. */
const known = new Map<string, number>();
const MOST_KNOWN = 2_000;

function kindOf(key: string): number {
  let kind = known.get(key);
  if (kind === undefined) {
    const word = key.toLowerCase().replaceAll(/[^a-z\d]/g, "");
    kind = SECRET.test(word) ? ALWAYS : TOKEN.test(word) ? AS_TEXT : NO;
    if (known.size < MOST_KNOWN && key.length < 100) known.set(key, kind);
  }
  return kind;
}

/** True if what stands under such a key is not to leave the process. */
export function isSecret(key: string, value: unknown): boolean {
  const kind = kindOf(key);
  if (kind === NO || value === null || value === undefined || typeof value === "boolean") return false;
  return kind === ALWAYS || typeof value === "string";
}

const SECRET_IN_TEXT = /"([^"\\]{1,64})"\s*:/g;

/** True if a piece of JSON text, perhaps cut off, names a secret. */
export function namesSecret(text: string): boolean {
  return [...text.matchAll(SECRET_IN_TEXT)].some(([, key]) => isSecret(key!, ""));
}
