import { hash } from "node:crypto";
import type { Json } from "../../base/json.ts";
import type { Blob } from "./protocol.ts";
import { quote } from "./quote.ts";
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
/** Characters from which a text is worth knowing. */
const WORTH_KNOWING = 64;
const MOST_KNOWN = 64;

/** The text of an object, and what it took of the limits. */
type Known = {
  readonly text: string;
  readonly nodes: number;
  readonly characters: number;
  /** Of its strings. */
  readonly longest: number;
};

/** Texts of objects that were shown a moment ago: a message comes as an outcome, as a draft and in the transcript. What it
 *  knows must not be mutated. */
export class KnownTexts {
  readonly #known = new Map<object, Known>();

  get(value: object): Known | undefined {
    return this.#known.get(value);
  }

  set(value: object, known: Known): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(value, known);
  }
}

export type EncodeOptions = {
  readonly limits?: EncodeLimits;
  /** Keeps a long string to be fetched later. */
  readonly keep?: (sha: string, text: string) => void;
  /** Shared by calls with the same `keep`. */
  readonly known?: KnownTexts;
};

/** Any value as JSON, without secrets and of bounded size. Never throws: what cannot be read says so in brackets. */
export function encode(value: unknown, options?: EncodeOptions): Json {
  return JSON.parse(encodeText(value, options)) as Json;
}

/** The same as text. */
export function encodeText(value: unknown, options: EncodeOptions = {}): string {
  return new Encoder(options).value(value);
}

class Encoder {
  readonly #limits: EncodeLimits;
  readonly #keep: EncodeOptions["keep"];
  readonly #known: KnownTexts | undefined;
  readonly #above: object[] = [];
  #nodes: number;
  #characters: number;
  #longest = 0;

  constructor({ limits = WHOLE, keep, known }: EncodeOptions) {
    this.#limits = limits;
    this.#keep = keep;
    this.#known = known;
    this.#nodes = limits.nodes;
    this.#characters = limits.characters;
  }

  value(value: unknown): string {
    this.#nodes--;
    switch (typeof value) {
      case "string":
        return this.#text(value);
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
        return value === null ? "null" : this.#within(value);
    }
  }

  #within(value: object): string {
    const known = this.#known?.get(value);
    if (known && this.#hasRoomFor(known)) return this.#use(known);
    if (this.#above.includes(value)) return '"[cycle]"';
    if (this.#above.length >= this.#limits.depth) return '"[deeper]"';
    const [nodes, characters, longest] = [this.#nodes, this.#characters, this.#longest];
    this.#longest = 0;
    this.#above.push(value);
    let text: string;
    try {
      text = this.#object(value);
    } catch {
      text = '"[unreadable]"';
    }
    this.#above.pop();
    if (this.#known && text.length >= WORTH_KNOWING && this.#nodes > 0 && this.#characters >= 0) {
      const took = { nodes: nodes - this.#nodes, characters: characters - this.#characters };
      this.#known.set(value, { text, ...took, longest: this.#longest });
    }
    this.#longest = Math.max(this.#longest, longest);
    return text;
  }

  /** It may reach deeper than the limit by its own depth: that only guards the stack. */
  #hasRoomFor({ nodes, characters, longest }: Known): boolean {
    return nodes < this.#nodes && characters <= this.#characters && longest <= this.#limits.string;
  }

  #use({ text, nodes, characters, longest }: Known): string {
    this.#nodes -= nodes;
    this.#characters -= characters;
    this.#longest = Math.max(this.#longest, longest);
    return text;
  }

  #object(value: object): string {
    if (Array.isArray(value)) return this.#list(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      if (value instanceof Error) return this.#fields({ error: value.name, message: value.message });
      if (value instanceof Date)
        return Number.isNaN(value.getTime()) ? '"[no date]"' : `"${value.toISOString()}"`;
      if (value instanceof Map) return this.#fields(fieldsOf(value));
      if (value instanceof Set) return this.#list([...(value as Set<unknown>)]);
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
        return JSON.stringify(`[${value.constructor.name}, ${value.byteLength} bytes]`);
    }
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === "function") return this.value(Reflect.apply(toJSON, value, []));
    return this.#fields(value as Fields);
  }

  #list(items: readonly unknown[]): string {
    let text = "";
    for (const item of items) {
      if (text !== "") text += ",";
      if (this.#nodes <= 0) {
        text += '"[more]"';
        break;
      }
      text += this.value(item);
    }
    return `[${text}]`;
  }

  #fields(fields: Fields): string {
    let text = "";
    for (const key of Object.keys(fields)) {
      const item = fields[key];
      if (item === undefined) continue;
      if (text !== "") text += ",";
      if (this.#nodes <= 0) {
        text += '"…":"[more]"';
        break;
      }
      const name = key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key;
      this.#characters -= name.length;
      text += `${quote(name)}:${isSecret(key, item) ? `"${REDACTED}"` : this.value(item)}`;
    }
    return `{${text}}`;
  }

  #text(text: string): string {
    if (text.length > this.#longest) this.#longest = text.length;
    if (text.length > this.#limits.string) return this.#long(text);
    this.#characters -= text.length;
    return JSON.stringify(this.#characters < 0 ? `[${text.length} characters]` : text);
  }

  #long(text: string): string {
    const { string } = this.#limits;
    if (this.#keep) {
      const sha = hash("sha256", text).slice(0, 32);
      this.#keep(sha, text);
      return JSON.stringify({ $blob: sha, length: text.length, head: text.slice(0, HEAD) } satisfies Blob);
    }
    this.#characters -= string;
    const begin = this.#characters < 0 ? `[${string} characters]` : text.slice(0, string);
    return JSON.stringify(`${begin}… [${text.length} characters]`);
  }
}

type Fields = { readonly [key: string]: unknown };

function fieldsOf(map: ReadonlyMap<unknown, unknown>): Fields {
  return Object.fromEntries(
    [...map].map(([key, item]) => [typeof key === "object" ? "[object]" : String(key), item]),
  );
}
