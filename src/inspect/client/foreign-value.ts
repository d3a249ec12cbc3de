import { guarded } from "../../core/base/guarded.ts";
import type { Json } from "../../core/base/json.ts";
import { isSecret, REDACTED } from "../../core/base/secrets.ts";
import type { EncodeLimits } from "../protocol/encode.ts";

/** The limits of a value of a context. */
const CONTEXT_LIMITS: EncodeLimits = { string: 2_000, depth: 12, nodes: 2_000, characters: 60_000 };
/** The limits of the payload of an event, and of the parameters of a guard or an action. */
export const PAYLOAD_LIMITS: EncodeLimits = { string: 400, depth: 8, nodes: 150, characters: 3_000 };

const MAX_KEY = 200;

/**
 * Converts a value of a program that is not ours to JSON of bounded size, without secrets. It runs no code of the program: a getter is
 * named and not called, and `toJSON` is not asked. Objects of a class have its name as `$class`. Never throws.
 */
export function foreignJson(value: unknown, limits: EncodeLimits = CONTEXT_LIMITS): Json {
  return new Reader(limits).value(value);
}

/** Same as {@link foreignJson}, of the value of a key: it is hidden if the key is named like a secret. */
export function foreignField(key: string, value: unknown): Json {
  return new Reader(CONTEXT_LIMITS).field(key, value);
}

type Inside = { readonly value: object; readonly depth: number; readonly around: Inside | undefined };

class Reader {
  readonly #limits: EncodeLimits;
  /** The object that is being read, and those around it. */
  #inside: Inside | undefined;
  #nodes: number;
  #characters: number;

  constructor(limits: EncodeLimits) {
    this.#limits = limits;
    this.#nodes = limits.nodes;
    this.#characters = limits.characters;
  }

  value(value: unknown): Json {
    this.#nodes--;
    switch (typeof value) {
      case "string":
        return this.#string(value);
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "boolean":
        return value;
      case "bigint":
        return value > LARGE || value < -LARGE ? "[bigint of more than 300 digits]" : `${value}n`;
      case "function":
        return "[function]";
      case "symbol":
        return `[${this.#string(String(value))}]`;
      case "undefined":
        return "[undefined]";
      case "object":
        return value === null ? null : this.#object(value);
    }
  }

  #string(text: string): string {
    const { string } = this.#limits;
    const shown = text.length > string ? `${text.slice(0, string)}… [${text.length} characters]` : text;
    this.#characters -= shown.length;
    return this.#characters < 0 ? `[${text.length} characters]` : shown.toWellFormed();
  }

  #object(value: object): Json {
    const around = this.#inside;
    for (let at = around; at; at = at.around) if (at.value === value) return "[cycle]";
    const depth = (around?.depth ?? 0) + 1;
    if (depth > this.#limits.depth) return "[deeper]";
    this.#inside = { value, depth, around };
    try {
      return this.#members(value);
    } catch {
      return "[unreadable]"; // a proxy whose traps throw
    } finally {
      this.#inside = around;
    }
  }

  #members(value: object): Json {
    if (Array.isArray(value)) return this.#items(value);
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype === null || prototype === Object.prototype) return this.#fields(value);
    return this.#builtIn(value) ?? this.#instance(value, prototype);
  }

  #builtIn(value: object): Json | undefined {
    // a class of the program may have methods and getters of these names: those of the platform are called
    if (value instanceof Date)
      return Number.isNaN(call(Date.prototype.getTime, value))
        ? "[no date]"
        : call(Date.prototype.toISOString, value);
    if (value instanceof Error) return this.#error(value);
    if (value instanceof RegExp) return `[/${this.#string(sourceOf(value))}/]`;
    if (value instanceof Map)
      return {
        $class: "Map",
        entries: this.#items([...first(call(Map.prototype.entries, value), this.#nodes)]),
      };
    if (value instanceof Set)
      return {
        $class: "Set",
        values: this.#items([...first(call(Set.prototype.values, value), this.#nodes)]),
      };
    const size = sizeOf(value);
    if (size !== undefined) return `[${nameOf(Object.getPrototypeOf(value) as object)}, ${size} bytes]`;
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet)
      return `[${nameOf(Object.getPrototypeOf(value) as object)}]`;
    return undefined;
  }

  #error(error: Error): Json {
    const [name, message] = ["name", "message"].map((key) => dataOf(error, key));
    return {
      $class: this.#string(typeof name === "string" ? name : nameOf(Object.getPrototypeOf(error) as object)),
      message: this.#string(typeof message === "string" ? message : ""),
    };
  }

  /** An object of a class: an actor and a node of a page by their names, another one with its own fields. */
  #instance(value: object, prototype: object): Json {
    const name = nameOf(prototype);
    const actor = dataOf(value, "sessionId");
    if (typeof actor === "string" && "getSnapshot" in prototype) return `[actor ${actor}]`;
    if (isOfPage(prototype)) return `[${name}]`;
    return { $class: name, ...this.#fields(value) };
  }

  #items(items: readonly unknown[]): Json[] {
    const shown: Json[] = [];
    for (let at = 0; at < items.length; at++) {
      if (this.#nodes <= 0) {
        shown.push(`[${items.length - at} more]`);
        break;
      }
      const field = Object.getOwnPropertyDescriptor(items, at);
      shown.push(field && "get" in field ? "[getter]" : this.value(field?.value));
    }
    return shown;
  }

  #fields(value: object): { readonly [key: string]: Json } {
    const shown: { [key: string]: Json } = {};
    const keys = Object.keys(value);
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at]!;
      if (this.#nodes <= 0) {
        shown["…"] = `[${keys.length - at} more]`;
        break;
      }
      const field = Object.getOwnPropertyDescriptor(value, key);
      if (!field) continue;
      const isGetter = !("value" in field);
      if (!isGetter && field.value === undefined) continue;
      const name = key.length > MAX_KEY ? `${key.slice(0, MAX_KEY)}…` : key;
      this.#characters -= name.length;
      const json = isGetter ? "[getter]" : this.field(key, field.value);
      if (name === "__proto__") Object.defineProperty(shown, name, { ...OWN, value: json });
      else shown[name] = json;
    }
    return shown;
  }

  field(key: string, value: unknown): Json {
    const isPlain = typeof value !== "object" || value === null;
    // of an object under a key such as `token` only its JSON would tell whether it is a text, which is not asked for
    return isSecret(key, isPlain ? value : "") ? REDACTED : this.value(value);
  }
}

const OWN = { enumerable: true, configurable: true, writable: true };
const LARGE = 10n ** 300n;

const call = <This, T>(method: (this: This) => T, value: This): T => Reflect.apply(method, value, []);

/** A getter of the platform. */
const getterOf = (prototype: object, key: string): ((this: unknown) => unknown) =>
  Object.getOwnPropertyDescriptor(prototype, key)!.get!;
const readSource = getterOf(RegExp.prototype, "source");
const sourceOf = (value: RegExp): string => String(call(readSource, value));
const SIZES = [
  Object.getPrototypeOf(Uint8Array.prototype) as object,
  DataView.prototype,
  ArrayBuffer.prototype,
].map((each) => getterOf(each, "byteLength"));

/** The bytes of a buffer, or of a view of one; undefined for another value. */
function sizeOf(value: object): number | undefined {
  if (!ArrayBuffer.isView(value) && !(value instanceof ArrayBuffer)) return undefined;
  return SIZES.map((read) => guarded(() => call(read, value))).find((size) => typeof size === "number");
}

function first<T>(items: Iterable<T>, max: number): readonly T[] {
  const taken: T[] = [];
  for (const item of items) {
    if (taken.length >= Math.max(0, max)) break;
    taken.push(item);
  }
  return taken;
}

/** The value of an own field that is not a getter. */
function dataOf(value: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

function nameOf(prototype: object): string {
  const maker = dataOf(prototype, "constructor");
  const name = typeof maker === "function" ? dataOf(maker, "name") : undefined;
  return typeof name === "string" && name !== "" ? name.slice(0, MAX_KEY) : "class";
}

/** True for what the platform makes for pages: its properties are getters of the prototype, and some hold the whole page. */
function isOfPage(prototype: object): boolean {
  let at: object | null = prototype;
  while (at && at !== Object.prototype) {
    if (PAGE_PROTOTYPES.has(at)) return true;
    at = Object.getPrototypeOf(at) as object | null;
  }
  return false;
}
const PAGE_PROTOTYPES: ReadonlySet<unknown> = new Set(
  [globalThis.EventTarget, globalThis.Event, globalThis.Response, globalThis.Request]
    .filter((each) => typeof each === "function")
    .map(({ prototype }) => prototype),
);
