import { causesOf, messageOf } from "./error.ts";
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

/** Returns the kind of a key, without remembering it. */
function newKind(key: string): number {
  const word = key.toLowerCase().replaceAll(/[^a-z\d]/g, "");
  return SECRET_KEY.test(word) ? SECRET : TOKEN_KEY.test(word) ? SECRET_STRING : PUBLIC;
}

function kindOf(key: string): number {
  let kind = kinds.get(key);
  if (kind === undefined) {
    kind = newKind(key);
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

/** The texts that look like a secret. What the first group has found stays. */
const PATTERNS: readonly RegExp[] = [
  /(\bhttps?:\/\/)[^\s/?#"'<>]*(?=@)/gi, // user and password
  /(:\/\/[^\s/?#:@"'<>]*:)[^\s/"'<>]*(?=@)/g, // password
  /(\b(?:[Bb]earer|BEARER|[Bb]asic|BASIC)\s+)(?![A-Za-z][a-z]{0,19}\.?(?![\w.~+/=-]))[\w.~+/=-]{6,}/g, // no word of a sentence
  /(\bcookie\s*[:=]\s*)[^\r\n"']+/gi,
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----)[^]*?(?=-----END|$)/g,
  /()\b(?:(?:sk|pk|rk|gsk|xai|pplx|glpat|xox[a-z])-[\w-]{8,}|(?:gsk|hf|npm|gh[a-z]|github_pat|[spr]k_(?:live|test))_\w{16,})/g,
  /()\b(?:A[KS]IA[A-Z\d]{12,}|AIza[\w-]{20,}|eyJ[\w-]{8,}\.[\w.-]+)/g,
];
/** A name in a text and what follows it, and a value: in quotes, which JSON within JSON escapes, or up to a space or a mark. */
const NAME = /(?<![\w-])((?:(?:api|access|private|signing) )?[\w-]{1,64})\\*["']?\s*[:=]{1,2}>?\s*/gi;
const VALUE = /(\\*["'])(?:(?!\1)(?:\\.|[^\n]))*|((?:(?:bearer|basic|digest) +)?[^\s"'`,;&]+)/iy;

/** Hides the values that follow the names of secrets; of tokens, no number, and no word of a sentence. */
function withoutNamed(text: string): string {
  let shown = "";
  let end = 0;
  for (const { 0: found, 1: key = "", index } of text.matchAll(NAME)) {
    const kind = index < end ? PUBLIC : newKind(key);
    if (kind === PUBLIC) continue;
    VALUE.lastIndex = index + found.length;
    const [value = "", quote = "", plain = ""] = VALUE.exec(text) ?? [];
    const word = /\s$/.test(found) ? /^(?:[\d.]+|[A-Za-z][a-z]{0,19}\.?)$/ : /^[\d.]+$/;
    if (value === "" || (kind === SECRET_STRING && word.test(plain))) continue;
    shown += `${text.slice(end, index)}${found}${quote}${REDACTED}`;
    end = index + found.length + value.length;
  }
  return shown + text.slice(end);
}

/** Returns a text with {@link REDACTED} in place of these values, and of what looks like a secret: servers and code of users quote them. */
export function hideSecrets(text: string, known: readonly string[] = []): string {
  const longestFirst = known.toSorted((a, b) => b.length - a.length);
  const unquoted = longestFirst.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text);
  return withoutNamed(PATTERNS.reduce((shown, pattern) => shown.replace(pattern, `$1${REDACTED}`), unquoted));
}

/** True if a thrown value or one of its causes says a secret, or has one of these values in its fields: nobody may be shown it. */
export function quotesSecret(thrown: unknown, known: readonly string[] = []): boolean {
  return [thrown, ...causesOf(thrown)].some((each) => {
    const said = messageOf(each);
    if (hideSecrets(said, known) !== said) return true;
    try {
      const fields = JSON.stringify(each) ?? "";
      return known.some((secret) => fields.includes(secret));
    } catch {
      return known.length > 0; // as a client with all of its request
    }
  });
}

/** The shortest value that no text may quote: of what is named like a secret, and of anything else. Shorter ones are words. */
const MIN_NAMED = 4;
const MIN_LENGTH = 8;

/** Returns what no text may quote of settings such as headers: each value, and its words, as in `Bearer …`. */
export function secretsIn(
  ...settings: readonly ({ readonly [name: string]: unknown } | undefined)[]
): readonly string[] {
  return settings.flatMap((each = {}) =>
    Object.entries(each).flatMap(([name, value]) => {
      const whole = typeof value === "string" ? value.trim() : "";
      const isLong = whole.length >= (isSecret(name, whole) ? MIN_NAMED : MIN_LENGTH);
      const words = whole.split(/\s+/).filter((word) => word.length >= MIN_LENGTH && word !== whole);
      return [...(isLong ? [whole] : []), ...words];
    }),
  );
}

const PASSWORD = /(?<=:\/\/[^\s/?#:@]*:)[^\s/]*(?=@)|(?<=[?&](?:ssl)?password=)[^\s&#]+/gi;

/** Returns what no text may quote of a command: the values of its flags and variables that are named like secrets. Passwords of addresses
 *  belong to it, as they are written and decoded. */
export function secretsOf(
  args: readonly string[],
  env: { readonly [name: string]: string | undefined } = {},
): readonly string[] {
  const words = args.flatMap((arg) => arg.split(/(?<=^--?[\w-]+)=/));
  const flags = words.map((word, at) => [/^-.*/.exec(words[at - 1] ?? "")?.[0] ?? "", word] as const);
  const passwords = [...words, ...Object.values(env)].flatMap((text) => text?.match(PASSWORD) ?? []);
  const variables = Object.entries(env).filter(([name]) => name !== "PWD"); // the folder, which messages name
  const named = [...variables, ...flags].filter(([name, value]) => isSecret(name, value));
  return [
    ...named.flatMap(([name, value]) => secretsIn({ [name]: value })),
    ...[...passwords, ...passwords.map(decoded)].flatMap((password) => secretsIn({ password })),
  ];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
