import { Transcript } from "../../core/message/transcript.ts";
import type { Json } from "../../core/base/json.ts";
import type { Msg } from "../../core/message/types.ts";
import type { PatchOp } from "./protocol.ts";
import { type PlainObject, quoteKey } from "./encode.ts";
import { isSecret, REDACTED } from "../../core/base/secrets.ts";

/** Serializes a value to a JSON string. */
type Serialize = (value: unknown) => string;

/** Options of {@link patchBetween}. */
export type DiffOptions = {
  /** Serializes a changed value. */
  readonly serialize: Serialize;
  /**
   * If false, a string that grew is always sent whole, so that a redaction function sees all of it. Default
   * true.
   */
  readonly appendsStrings?: boolean;
};

/**
 * The maximum number of characters of messages in the first step; older messages are replaced by placeholders.
 */
const MAX_FIRST_CHARACTERS = 4_000_000;

/**
 * Returns how the displayed context changed: the machine's context with `messages` in place of `transcript`.
 * Objects with the same identity count as unchanged, so contexts must be replaced and never mutated; the cost
 * is then proportional to what changed. Without `before`, the patch sets everything.
 */
export function patchBetween(
  before: PlainObject | undefined,
  after: PlainObject,
  options: DiffOptions,
): PatchOp[] {
  return JSON.parse(patchJson(before, after, options)) as PatchOp[];
}

/** Same as {@link patchBetween}, as a JSON string. */
export function patchJson(before: PlainObject | undefined, after: PlainObject, options: DiffOptions): string {
  return before === after ? "[]" : new Differ(options).between(before, after);
}

/** Returns the JSON of the operations that make `is` of the value `was` of a key, with commas between them. `path` is the JSON of its path
 *  without the closing bracket. */
export function valueJson(was: Json | undefined, is: Json | undefined, path: string, key: string): string {
  return was === is ? "" : new Differ({ serialize: JSON.stringify }).ofValue(was, is, path, key);
}

/**
 * Builds the JSON of the operations by hand, because it runs about ten times per iteration of an agent, mostly
 * for a few numbers. A path is passed as the JSON of its array without the closing bracket.
 */
class Differ {
  readonly #serialize: Serialize;
  readonly #appendsStrings: boolean;
  #ops = "";

  constructor({ serialize, appendsStrings = true }: DiffOptions) {
    this.#serialize = serialize;
    this.#appendsStrings = appendsStrings;
  }

  between(before: PlainObject | undefined, after: PlainObject): string {
    if (before) this.#diffObjects(before, after, "[");
    else this.#setAll(after);
    return `[${this.#ops}]`;
  }

  ofValue(was: unknown, is: unknown, path: string, key: string): string {
    this.#diffValues(was, is, path, key);
    return this.#ops;
  }

  #setAll({ transcript, ...rest }: PlainObject): void {
    this.#op("=", "[", this.#serialize({ ...rest, messages: [] }));
    const messages = transcript instanceof Transcript ? this.#serializedMessages(transcript) : [];
    if (messages.length > 0) this.#op("+", '["messages"', `[${messages.join(",")}]`);
  }

  #serializedMessages(transcript: Transcript): readonly string[] {
    let left = MAX_FIRST_CHARACTERS;
    const serialized: string[] = [];
    for (const message of transcript.slice().toReversed()) {
      const { id, role, name, metadata, timestamp } = message;
      const placeholder = {
        id,
        role,
        name,
        metadata,
        timestamp,
        content: [{ type: "text", text: "[left out]" }],
      };
      const json = this.#serialize(left > 0 ? message : { ...placeholder, metadata: {} });
      left -= json.length;
      serialized.push(json);
    }
    return serialized.toReversed();
  }

  #diffMessages(before: Transcript, after: Transcript): void {
    const same = before.commonPrefix(after);
    const removed = before.slice(same);
    const added = after.slice(same);
    for (const [index, message] of added.slice(0, removed.length).entries())
      if (!isSame(message, removed[index]!))
        this.#op("=", `["messages",${same + index}`, this.#serialize(message));
    for (let index = removed.length - 1; index >= added.length; index--)
      this.#op("d", `["messages",${same + index}`);
    if (added.length > removed.length)
      this.#op("+", '["messages"', this.#serializeArray(added.slice(removed.length)));
  }

  #diffValues(was: unknown, is: unknown, path: string, key: string): void {
    if (is === undefined) this.#op("d", path);
    else if (was instanceof Transcript && is instanceof Transcript) this.#diffMessages(was, is);
    else if (isSecret(key, is) || isSecret(key, was)) this.#op("=", path, `"${REDACTED}"`);
    else if (isPlainObject(was) && isPlainObject(is)) this.#diffObjects(was, is, path);
    else if (Array.isArray(was) && Array.isArray(is)) this.#diffArrays(was, is, path);
    else if (this.#isAppended(was, is)) this.#op("s", path, JSON.stringify((is as string).slice(was.length)));
    else this.#op("=", path, this.#serialize(is));
  }

  #diffObjects(was: PlainObject, is: PlainObject, path: string): void {
    const prefix = path === "[" ? path : `${path},`;
    let sharedKeys = 0;
    for (const key in is) {
      const before = was[key];
      const after = is[key];
      const isOwn = (before === after && before !== undefined) || Object.hasOwn(was, key);
      if (isOwn) sharedKeys++;
      const previous = isOwn ? before : undefined; // not a property of Object.prototype
      if (previous !== after) this.#diffValues(previous, after, prefix + quoteKey(key), key);
    }
    const keys = Object.keys(was);
    if (keys.length === sharedKeys) return;
    for (const key of keys) if (!Object.hasOwn(is, key)) this.#op("d", prefix + quoteKey(key));
  }

  #diffArrays(was: readonly unknown[], is: readonly unknown[], path: string): void {
    const dropped = is.length > 0 && typeof is[0] === "object" ? Math.max(0, was.indexOf(is[0])) : 0;
    if (dropped > 0) this.#op("-", path, String(dropped));
    const left = dropped > 0 ? was.slice(dropped) : was;
    for (const [index, item] of is.slice(0, left.length).entries())
      if (left[index] !== item)
        this.#diffValues(left[index], item ?? null, `${path},${index}`, String(index));
    for (let index = left.length - 1; index >= is.length; index--) this.#op("d", `${path},${index}`);
    if (is.length > left.length) this.#op("+", path, this.#serializeArray(is.slice(left.length)));
  }

  #serializeArray(items: readonly unknown[]): string {
    return `[${items.map((item) => this.#serialize(item)).join(",")}]`;
  }

  #op(name: PatchOp[0], path: string, value?: string): void {
    if (this.#ops !== "") this.#ops += ",";
    this.#ops += value === undefined ? `["${name}",${path}]]` : `["${name}",${path}],${value}]`;
  }

  #isAppended(was: unknown, is: unknown): was is string {
    if (!this.#appendsStrings || typeof was !== "string" || typeof is !== "string") return false;
    return was.length >= MIN_APPEND && is.length <= MAX_APPEND && is.startsWith(was);
  }
}

/** Compares by value too: messages that were stored and read again are different objects. */
function isSame(one: Msg, other: Msg): boolean {
  return one === other || (one.id === other.id && JSON.stringify(one) === JSON.stringify(other));
}

/**
 * Strings of these lengths are patched by appending: shorter ones cost the same to set, longer ones become
 * blobs.
 */
const MIN_APPEND = 32;
const MAX_APPEND = 8_192;

function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !("toJSON" in value);
}
