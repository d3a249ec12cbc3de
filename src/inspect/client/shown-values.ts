import { isEmpty, type Json, type JsonObject } from "../../core/base/json.ts";
import { REDACTED } from "../../core/base/secrets.ts";
import { patchJson, valueJson } from "../protocol/diff.ts";
import { quoteKey } from "../protocol/encode.ts";
import type { ActorSnapshot } from "./actor-chart.ts";
import { foreignField, foreignJson } from "./foreign-value.ts";

/** The keys of a context that are shown. */
const MAX_KEYS = 500;
const GETTER = Symbol("getter");
const EMPTY: JsonObject = {};
const CONTEXT = '["context"';
const SERIALIZE = { serialize: JSON.stringify };
const MAX_NAME = 200;

/** A value of the context that was read: what it was, and how it is shown. */
type Read = { raw: unknown; json: Json };

/** The shown parts of the snapshots of an actor: the context by its keys, the output, and the names of the children. */
export class ShownValues {
  readonly #redact: ((value: Json) => Json) | undefined;
  /** The values that are shown beside the context; undefined before the first step. */
  #others: JsonObject | undefined;
  /** The context as it is shown: {@link EMPTY} if it is shown by its keys, undefined if there is none. */
  #context: Json | undefined;
  /** The values of the context that were read last, by key. */
  readonly #read = new Map<string, Read>();
  /** The note about the keys that are not shown. */
  #more: string | undefined;

  /** Without a redaction, only values whose keys are named like secrets are hidden. */
  constructor(redact: ((value: Json) => Json) | undefined) {
    this.#redact = redact;
  }

  /** Returns the JSON of the changes that a snapshot brings, with commas between them; undefined if it cannot be read. */
  changes(snapshot: ActorSnapshot): string | undefined {
    try {
      return this.#changes(snapshot);
    } catch {
      return undefined;
    }
  }

  #changes({ context, output, children }: ActorSnapshot): string {
    const before = this.#others;
    const others = this.#othersOf(output, children);
    this.#others = others;
    const ops = this.#contextOps(context);
    if (before) {
      const more = before === others ? "" : patchJson(before, others, SERIALIZE).slice(1, -1);
      return joined(ops, more);
    }
    return `["=",[],${JSON.stringify(this.shown())}]`;
  }

  /** Returns all that is shown. */
  shown(): JsonObject {
    const context = this.#shownContext();
    return context === undefined ? { ...this.#others } : { context, ...this.#others };
  }

  #othersOf(output: unknown, children: unknown): JsonObject {
    const named = childrenJson(children);
    if (output === undefined) return named;
    const json = foreignJson(output);
    return { output: this.#redact ? this.#redact(json) : json, ...named };
  }

  #shownContext(): Json | undefined {
    if (this.#context !== EMPTY) return this.#context;
    const shown = [...this.#read].map(([key, { json }]) => [key.slice(0, MAX_NAME), json] as const);
    return Object.fromEntries(this.#more === undefined ? shown : [...shown, ["…", this.#more]]);
  }

  /** Reads the keys of a context that have another value than before, and returns their changes. */
  #contextOps(context: unknown): string {
    const keys = keysOf(context);
    const former = this.#context;
    if (!keys) {
      const was = this.#shownContext();
      this.#read.clear();
      this.#more = undefined;
      const json = context === undefined ? undefined : foreignJson(context);
      this.#context = json !== undefined && this.#redact ? this.#redact(json) : json;
      return valueJson(was, this.#context, CONTEXT, "context");
    }
    this.#context = EMPTY;
    const count = Math.min(keys.length, MAX_KEYS);
    let ops = "";
    for (let at = 0; at < count; at++) {
      const key = keys[at]!;
      const raw = dataOf(context as object, key);
      const known = this.#read.get(key);
      if (known !== undefined && Object.is(known.raw, raw)) continue;
      const was = known?.json;
      const json = this.#valueJson(key, raw);
      if (known === undefined) this.#read.set(key, { raw, json });
      else {
        known.raw = raw;
        known.json = json;
      }
      if (former === EMPTY) ops = joined(ops, changeOf(key, was, json));
    }
    if (this.#read.size > count) ops = joined(ops, this.#forget(new Set(keys.slice(0, count))));
    const more = keys.length > MAX_KEYS ? `[${keys.length - MAX_KEYS} more]` : undefined;
    if (this.#more !== more && former === EMPTY) ops = joined(ops, changeOf("…", this.#more, more));
    this.#more = more;
    return former === EMPTY ? ops : valueJson(former, this.#shownContext(), CONTEXT, "context");
  }

  /** Forgets the values of the keys that a context no longer has. */
  #forget(keys: ReadonlySet<string>): string {
    let ops = "";
    for (const [key, { json }] of this.#read)
      if (!keys.has(key)) {
        ops = joined(ops, changeOf(key, json, undefined));
        this.#read.delete(key);
      }
    return ops;
  }

  /** A value of the context, which is judged with its key. */
  #valueJson(key: string, raw: unknown): Json {
    if (raw === GETTER) return "[getter]";
    if (raw === undefined) return "[undefined]";
    const json = foreignField(key, raw);
    if (!this.#redact) return json;
    const redacted = this.#redact({ [key]: json });
    const fields = isRecord(redacted) ? Object.values(redacted as JsonObject) : [];
    return fields[0] ?? (fields.length > 0 ? null : REDACTED);
  }
}

/** The value of a key without asking a getter. */
function dataOf(context: object, key: string): unknown {
  try {
    const field = Object.getOwnPropertyDescriptor(context, key);
    return field && "value" in field ? field.value : GETTER;
  } catch {
    return GETTER; // a proxy whose traps throw
  }
}

function changeOf(key: string, was: Json | undefined, is: Json | undefined): string {
  const name = key.length > MAX_NAME ? key.slice(0, MAX_NAME) : key;
  return valueJson(was, is, `${CONTEXT},${quoteKey(name)}`, name);
}

const joined = (ops: string, more: string): string =>
  ops === "" ? more : more === "" ? ops : `${ops},${more}`;

/** The children of a machine: the ids of their actors in the system, by their own ids. */
function childrenJson(children: unknown): JsonObject {
  if (!isRecord(children) || isEmpty(children)) return EMPTY;
  const known = Object.entries(children).slice(0, MAX_KEYS);
  const idOf = (child: unknown): Json =>
    isRecord(child) ? String(child["sessionId"]).slice(0, MAX_NAME) : null;
  return { children: Object.fromEntries(known.map(([id, child]) => [id, idOf(child)])) };
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}

/** The keys of a plain object; undefined of another value, and of a proxy whose traps throw. */
function keysOf(value: unknown): readonly string[] | undefined {
  if (!isRecord(value)) return undefined;
  try {
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null ? Object.keys(value) : undefined;
  } catch {
    return undefined;
  }
}
