import { isObject, type Json, type JsonObject } from "./json.ts";

/** The text that stands in the place of a secret. In the arguments of a decision it means the original value. */
export const REDACTED = "[redacted]";

const SECRET_KEY =
  /passw(or)?d|passphrase|secret|apikey|accesskey|privatekey|signingkey|authorization|cookie|credential|bearer|^auth$|^pwd$|^extraheaders$/;
/** A key that ends in "token" holds a secret if its value is a string: `token`, but not `outputTokens`. */
const TOKEN_KEY = /tokens?$/;

/** The key of arguments that are not a JSON object, as text (see `ToolUseBlock`). */
const RAW_INPUT = "rawInput";

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
    // a key that is a part of a text would keep all of that
    if (kinds.size < MAX_KEYS && key.length < 100) kinds.set(structuredClone(key), kind);
  }
  return kind;
}

/** True if the value of this key must not leave the process. */
export function isSecret(key: string, value: unknown): boolean {
  if (key === RAW_INPUT && typeof value === "string") return namesSecret(value);
  const kind = kindOf(key);
  if (kind === PUBLIC || value === null || value === undefined || typeof value === "boolean") return false;
  return kind === SECRET || isText(value);
}

/** True for a value that is a string in JSON. */
function isText(value: unknown): boolean {
  if (typeof value !== "object") return typeof value === "string";
  if (Object.prototype.toString.call(value) === "[object String]") return true;
  try {
    const { toJSON } = value as { readonly toJSON?: unknown };
    return typeof toJSON === "function" && isText(Reflect.apply(toJSON, value, []));
  } catch {
    return false; // it has no JSON
  }
}

const KEY_IN_JSON = /"([^"\\]{1,64})"\s*:/g;

/** True if a piece of JSON, which may be cut off, contains the key of a secret. */
export function namesSecret(text: string): boolean {
  return [...text.matchAll(KEY_IN_JSON)].some(([, key]) => isSecret(key!, ""));
}

/**
 * Returns a value with {@link REDACTED} in place of each part whose key is named like a secret. Such keys are a password, an API key, a
 * token, a cookie, a credential. Keys are compared without case and punctuation. Values of other keys stay, whatever they hold. What has no
 * such key is returned as it is.
 *
 * @example
 * ```ts
 * import { createAgent, redactSecrets } from "agentchart";
 * import { fileStore } from "agentchart/store/file";
 * import { scriptedModel } from "agentchart/testing";
 *
 * const store = fileStore({ dir: "./sessions" });
 * const agent = createAgent({ name: "desk", model: scriptedModel(["Hello."]), store, sessionOptions: { redact: redactSecrets } });
 * console.log(redactSecrets({ user: "a", apiKey: "sk-1" })); // { user: "a", apiKey: "[redacted]" }
 * ```
 */
export function redactSecrets<T extends Json>(value: T): T;
export function redactSecrets(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => redactSecrets(item));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const fields = Object.entries(value as JsonObject);
  const redacted = fields.map(
    ([key, part]) => [key, isSecret(key, part) ? REDACTED : redactSecrets(part)] as const, // equal if it was redacted before
  );
  return redacted.every(([, part], index) => part === fields[index]![1])
    ? value
    : Object.fromEntries(redacted);
}

/** Returns edited arguments with the original value in place of each {@link REDACTED}, and of each part that `isHidden` says was
 *  not shown. */
export function restoreRedacted(
  edited: JsonObject,
  original: JsonObject,
  isHidden: (edited: Json, original: Json) => boolean = () => false,
): JsonObject {
  const restore = (part: Json, before: Json | undefined): Json => {
    if (before !== undefined && (part === REDACTED || isHidden(part, before))) return before;
    if (Array.isArray(part)) {
      const items = Array.isArray(before) ? (before as readonly Json[]) : [];
      return part.map((item: Json, index) => restore(item, items[index]));
    }
    if (!isObject(part)) return part;
    const fields = isObject(before) ? before : {};
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => [
        key,
        restore(item, Object.hasOwn(fields, key) ? fields[key] : undefined),
      ]),
    );
  };
  return restore(edited, original) as JsonObject;
}
