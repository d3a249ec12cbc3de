import { hash } from "node:crypto";
import type { Json } from "../message/types.ts";
import type { Blob } from "./protocol.ts";
import { isSecret, REDACTED } from "./secrets.ts";

export type EncodeLimits = {
  /** Longer strings become a {@link Blob}, or are cut if there is nowhere to keep one. */
  readonly string: number;
  readonly depth: number;
  /** Values in all. */
  readonly nodes: number;
  /** Characters of strings in all. */
  readonly characters: number;
};

/** For what is shown whole. */
export const WHOLE: EncodeLimits = { string: 8_192, depth: 32, nodes: 50_000, characters: 1_000_000 };
/** For a short look. */
export const PREVIEW: EncodeLimits = { string: 400, depth: 8, nodes: 150, characters: 3_000 };

const HEAD = 200;
const LONGEST_KEY = 200;

export type EncodeOptions = {
  readonly limits?: EncodeLimits;
  /** Keeps a long string to be fetched later. */
  readonly keep?: (sha: string, text: string) => void;
};

/** Any value as JSON, without secrets and of bounded size. Never throws: what cannot be read says so in brackets. */
export function encode(value: unknown, { limits = WHOLE, keep }: EncodeOptions = {}): Json {
  return new Encoder(limits, keep).value(value);
}

class Encoder {
  readonly #limits: EncodeLimits;
  readonly #keep: EncodeOptions["keep"];
  readonly #above: object[] = [];
  #nodes: number;
  #characters: number;

  constructor(limits: EncodeLimits, keep: EncodeOptions["keep"]) {
    this.#limits = limits;
    this.#keep = keep;
    this.#nodes = limits.nodes;
    this.#characters = limits.characters;
  }

  value(value: unknown): Json {
    this.#nodes--;
    switch (typeof value) {
      case "string":
        return this.#text(value);
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "boolean":
        return value;
      case "bigint":
        return `${value}n`;
      case "function":
        return "[function]";
      case "symbol":
        return `[${String(value)}]`;
      case "undefined":
        return null;
      case "object":
        return value === null ? null : this.#within(value);
    }
  }

  #within(value: object): Json {
    if (this.#above.includes(value)) return "[cycle]";
    if (this.#above.length >= this.#limits.depth) return "[deeper]";
    this.#above.push(value);
    try {
      return this.#object(value);
    } catch {
      return "[unreadable]";
    } finally {
      this.#above.pop();
    }
  }

  #object(value: object): Json {
    if (Array.isArray(value)) return this.#list(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      if (value instanceof Error) return this.#fields({ error: value.name, message: value.message });
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[no date]" : value.toISOString();
      if (value instanceof Map) return this.#fields(fieldsOf(value));
      if (value instanceof Set) return this.#list([...(value as Set<unknown>)]);
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
        return `[${value.constructor.name}, ${value.byteLength} bytes]`;
    }
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === "function") return this.value(Reflect.apply(toJSON, value, []));
    return this.#fields(value as Fields);
  }

  #list(items: readonly unknown[]): Json {
    const shown: Json[] = [];
    for (const item of items) {
      if (this.#nodes <= 0) {
        shown.push("[more]");
        break;
      }
      shown.push(this.value(item));
    }
    return shown;
  }

  #fields(fields: Fields): Json {
    const shown: { [key: string]: Json } = {};
    for (const key of Object.keys(fields)) {
      const item = fields[key];
      if (item === undefined) continue;
      if (this.#nodes <= 0) {
        shown["…"] = "[more]";
        break;
      }
      const name = key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key;
      this.#characters -= name.length;
      set(shown, name, isSecret(key, item) ? REDACTED : this.value(item));
    }
    return shown;
  }

  #text(text: string): Json {
    if (text.length > this.#limits.string) {
      if (!this.#keep) {
        const begin = this.#text(text.slice(0, this.#limits.string)) as string;
        return `${begin}… [${text.length} characters]`;
      }
      const sha = hash("sha256", text).slice(0, 32);
      this.#keep(sha, text);
      return { $blob: sha, length: text.length, head: text.slice(0, HEAD) } satisfies Blob;
    }
    this.#characters -= text.length;
    return this.#characters < 0 ? `[${text.length} characters]` : text;
  }
}

type Fields = { readonly [key: string]: unknown };

/** Assigned, `__proto__` would be no key like any other. */
function set(object: { [key: string]: Json }, key: string, value: Json): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true });
}

function fieldsOf(map: ReadonlyMap<unknown, unknown>): Fields {
  return Object.fromEntries(
    [...map].map(([key, item]) => [typeof key === "object" ? "[object]" : String(key), item]),
  );
}
