import { sha256 } from "../../core/base/hash.ts";
import type { Json } from "../../core/base/json.ts";
import type { Blob } from "./protocol.ts";
import { isSecret, REDACTED } from "../../core/base/secrets.ts";

/** The size limits of an encoded value. */
export type EncodeLimits = {
  /** Longer strings become a {@link Blob}, or are cut without `keepBlob`; characters. */
  readonly string: number;
  /** Levels of nested objects and arrays. */
  readonly depth: number;
  /** Number of values in total. */
  readonly nodes: number;
  /** Characters of all strings in total. */
  readonly characters: number;
};

/** Limits for a value that is displayed whole. */
export const FULL: EncodeLimits = { string: 8_192, depth: 32, nodes: 50_000, characters: 1_000_000 };
/** Limits for a short preview. */
export const PREVIEW: EncodeLimits = { string: 400, depth: 8, nodes: 150, characters: 3_000 };

const BLOB_HEAD = 200;
const MAX_KEY_LENGTH = 200;
/** The minimum length of the JSON of an object that is worth caching, in characters. */
const MIN_CACHED_LENGTH = 64;
const MAX_CACHED = 64;

/** The JSON of an object, and its share of the limits. */
type EncodedObject = {
  readonly text: string;
  readonly nodes: number;
  readonly characters: number;
  /** The length of its longest string. */
  readonly longest: number;
};

/**
 * The JSON of objects that were encoded recently: a message appears in an outcome, in a draft and in the
 * transcript. Cached objects must not be mutated.
 */
export class EncodeCache {
  readonly #entries = new Map<object, EncodedObject>();

  /** Returns the JSON of an object, or undefined if it is not cached. */
  get(value: object): EncodedObject | undefined {
    return this.#entries.get(value);
  }

  /** Caches the JSON of an object; a full cache is cleared first. */
  set(value: object, encoded: EncodedObject): void {
    if (this.#entries.size >= MAX_CACHED) this.#entries.clear();
    this.#entries.set(value, encoded);
  }
}

/** Options of {@link encode}. */
export type EncodeOptions = {
  /** Bounds of depth, size and lengths. Default: the limits of a full value. */
  readonly limits?: EncodeLimits;
  /** Stores a long string, to be fetched later by its hash. */
  readonly keepBlob?: (sha: string, text: string) => void;
  /** A cache that calls with the same `keepBlob` share. */
  readonly cache?: EncodeCache;
};

/**
 * Converts any value to JSON of bounded size, without secrets. Never throws: values that cannot be encoded
 * become a note in brackets.
 */
export function encode(value: unknown, options?: EncodeOptions): Json {
  return JSON.parse(encodeToString(value, options)) as Json;
}

/** Same as {@link encode}, as a JSON string. */
export function encodeToString(value: unknown, options: EncodeOptions = {}): string {
  return new Encoder(options).value(value);
}

class Encoder {
  readonly #limits: EncodeLimits;
  readonly #keepBlob: EncodeOptions["keepBlob"];
  readonly #cache: EncodeCache | undefined;
  readonly #ancestors: object[] = [];
  #nodes: number;
  #characters: number;
  #longest = 0;
  /** Something of the value that is being encoded was left out, which other limits or another place would show. */
  #isCut = false;

  constructor({ limits = FULL, keepBlob, cache }: EncodeOptions) {
    this.#limits = limits;
    this.#keepBlob = keepBlob;
    this.#cache = cache;
    this.#nodes = limits.nodes;
    this.#characters = limits.characters;
  }

  value(value: unknown): string {
    this.#nodes--;
    switch (typeof value) {
      case "string":
        return this.#string(value);
      case "number":
        return Number.isFinite(value) ? `${value}` : `"${value}"`;
      case "boolean":
        return value ? "true" : "false";
      case "bigint":
        return `"${value}n"`;
      case "function":
        return '"[function]"';
      case "symbol":
        return JSON.stringify(`[${String(value)}]`);
      case "undefined":
        return "null";
      case "object":
        return value === null ? "null" : this.#nested(value);
    }
  }

  #nested(value: object): string {
    const cached = this.#cache?.get(value);
    if (cached && this.#hasRoomFor(cached)) return this.#reuse(cached);
    if (this.#ancestors.includes(value)) return this.#cut('"[cycle]"');
    if (this.#ancestors.length >= this.#limits.depth) return this.#cut('"[deeper]"');
    const [nodes, characters, longest, isCut] = [this.#nodes, this.#characters, this.#longest, this.#isCut];
    this.#longest = 0;
    this.#isCut = false;
    this.#ancestors.push(value);
    let text: string;
    try {
      text = this.#object(value);
    } catch {
      text = '"[unreadable]"';
    }
    this.#ancestors.pop();
    if (this.#cache && text.length >= MIN_CACHED_LENGTH && !this.#isCut) {
      const used = { nodes: nodes - this.#nodes, characters: characters - this.#characters };
      this.#cache.set(value, { text, ...used, longest: this.#longest });
    }
    this.#longest = Math.max(this.#longest, longest);
    this.#isCut ||= isCut;
    return text;
  }

  #cut(note: string): string {
    this.#isCut = true;
    return note;
  }

  /** A cached value may exceed the depth limit by its own depth; that limit only protects the stack. */
  #hasRoomFor({ nodes, characters, longest }: EncodedObject): boolean {
    return nodes < this.#nodes && characters <= this.#characters && longest <= this.#limits.string;
  }

  #reuse({ text, nodes, characters, longest }: EncodedObject): string {
    this.#nodes -= nodes;
    this.#characters -= characters;
    this.#longest = Math.max(this.#longest, longest);
    return text;
  }

  #object(value: object): string {
    if (Array.isArray(value)) return this.#array(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      if (value instanceof Error) return this.#plainObject({ error: value.name, message: value.message });
      if (value instanceof Date)
        return Number.isNaN(value.getTime()) ? '"[no date]"' : `"${value.toISOString()}"`;
      if (value instanceof Map) return this.#plainObject(mapEntries(value, this.#nodes + 1));
      if (value instanceof Set) return this.#array(value as Set<unknown>);
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
        return JSON.stringify(`[${value.constructor.name}, ${value.byteLength} bytes]`);
    }
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === "function") return this.value(Reflect.apply(toJSON, value, []));
    return this.#plainObject(value as PlainObject);
  }

  #array(items: Iterable<unknown>): string {
    let text = "";
    for (const item of items) {
      if (text !== "") text += ",";
      if (this.#nodes <= 0) {
        text += this.#cut('"[more]"');
        break;
      }
      text += this.value(item);
    }
    return `[${text}]`;
  }

  #plainObject(fields: PlainObject): string {
    let text = "";
    for (const key of Object.keys(fields)) {
      const item = fields[key];
      if (item === undefined) continue;
      if (text !== "") text += ",";
      if (this.#nodes <= 0) {
        text += this.#cut('"…":"[more]"');
        break;
      }
      const name = key.length > MAX_KEY_LENGTH ? `${key.slice(0, MAX_KEY_LENGTH)}…` : key;
      this.#characters -= name.length;
      text += `${quoteKey(name)}:${isSecret(key, item) ? `"${REDACTED}"` : this.value(item)}`;
    }
    return `{${text}}`;
  }

  #string(text: string): string {
    if (text.length > this.#longest) this.#longest = text.length;
    if (text.length > this.#limits.string) return this.#longString(text);
    this.#characters -= text.length;
    return this.#characters < 0 ? this.#cut(`"[${text.length} characters]"`) : JSON.stringify(text);
  }

  #longString(text: string): string {
    const { string } = this.#limits;
    if (this.#keepBlob) {
      const sha = sha256(text).slice(0, 32);
      this.#keepBlob(sha, text);
      return JSON.stringify({
        $blob: sha,
        length: text.length,
        head: text.slice(0, BLOB_HEAD),
      } satisfies Blob);
    }
    this.#characters -= string;
    const begin = this.#characters < 0 ? `[${string} characters]` : text.slice(0, string);
    return this.#cut(JSON.stringify(`${begin}… [${text.length} characters]`));
  }
}

/** An object whose own properties are data. */
export type PlainObject = { readonly [key: string]: unknown };

/** The first entries of a map, at most `max`. */
function mapEntries(map: ReadonlyMap<unknown, unknown>, max: number): PlainObject {
  const entries: [string, unknown][] = [];
  for (const [key, item] of map) {
    if (entries.length >= max) break;
    entries.push([typeof key === "object" ? "[object]" : String(key), item]);
  }
  return Object.fromEntries(entries);
}

/** Quoted keys; an object tree repeats a few keys many times. */
const cache = new Map<string, string>();
const MAX_QUOTED = 2_000;
const MAX_QUOTED_LENGTH = 100;

/** Quotes a key as JSON. */
export function quoteKey(key: string): string {
  let quoted = cache.get(key);
  if (quoted === undefined) {
    quoted = JSON.stringify(key);
    if (cache.size < MAX_QUOTED && key.length <= MAX_QUOTED_LENGTH) cache.set(key, quoted);
  }
  return quoted;
}
