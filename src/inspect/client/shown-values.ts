import type { Json, JsonObject } from "../../core/base/json.ts";
import { guarded } from "../../core/base/guarded.ts";
import { REDACTED } from "../../core/base/secrets.ts";
import { patchJson } from "../protocol/diff.ts";
import type { ActorSnapshot } from "./actor-chart.ts";
import { foreignJson } from "./foreign-value.ts";

/** The keys of a context that are shown. */
const MAX_KEYS = 500;
const GETTER = Symbol("getter");
const EMPTY: JsonObject = {};
const SERIALIZE = { serialize: JSON.stringify };
const MAX_NAME = 200;

/** The shown parts of the snapshots of an actor: the context by its keys, the output, and the names of the children. */
export class ShownValues {
  readonly #redacted: (value: Json) => Json;
  /** The values that are shown beside the context; undefined before the first step. */
  #others: JsonObject | undefined;
  /** The context as it is shown: {@link EMPTY} if it is shown by its keys, undefined if there is none. */
  #context: Json | undefined;
  /** The values of the context that were read last, by key. */
  readonly #read = new Map<string, { readonly raw: unknown; readonly json: Json }>();
  /** The note about the keys that are not shown. */
  #more: string | undefined;

  constructor(redacted: (value: Json) => Json) {
    this.#redacted = redacted;
  }

  /** Returns the JSON of the changes that a snapshot brings. */
  changes(snapshot: ActorSnapshot): string {
    const { context, output, children } = snapshot;
    const [was, is] = this.#contextChange(context);
    const others: JsonObject = {
      ...(output !== undefined && { output: this.#redacted(foreignJson(output)) }),
      ...childrenJson(children),
    };
    const before = this.#others;
    this.#others = others;
    const shown = is === undefined ? others : { context: is, ...others };
    return before
      ? patchJson(was === undefined ? before : { context: was, ...before }, shown, SERIALIZE)
      : `[["=",[],${JSON.stringify(shown)}]]`;
  }

  /** Reads the keys of a context that have another value than before, and returns those alone as they were and as they are. */
  #contextChange(context: unknown): readonly [was: Json | undefined, is: Json | undefined] {
    const before = this.#context;
    const keys = isPlain(context) ? guarded(() => Object.keys(context)) : undefined;
    if (!isPlain(context) || !keys) {
      this.#read.clear();
      this.#context = context === undefined ? undefined : this.#redacted(foreignJson(context));
      return [before, this.#context];
    }
    const isWhole = before !== EMPTY;
    if (isWhole) this.#read.clear();
    const was: [string, Json][] = [];
    const is: [string, Json][] = [];
    const count = Math.min(keys.length, MAX_KEYS);
    for (let at = 0; at < count; at++) {
      const key = keys[at]!;
      const field = guarded(() => Object.getOwnPropertyDescriptor(context, key));
      const raw: unknown = field && "value" in field ? field.value : GETTER;
      const known = this.#read.get(key);
      if (known && Object.is(known.raw, raw)) continue;
      const name = key.slice(0, MAX_NAME);
      const json = this.#valueJson(key, raw);
      if (known) was.push([name, known.json]);
      is.push([name, json]);
      this.#read.set(key, { raw, json });
    }
    if (this.#read.size > count)
      for (const [key, { json }] of this.#read)
        if (!keys.includes(key) || keys.indexOf(key) >= count) {
          was.push([key.slice(0, MAX_NAME), json]);
          this.#read.delete(key);
        }
    const more = keys.length > MAX_KEYS ? `[${keys.length - MAX_KEYS} more]` : undefined;
    if (this.#more !== undefined && !isWhole) was.push(["…", this.#more]);
    if (more !== undefined) is.push(["…", more]);
    this.#more = more;
    this.#context = EMPTY;
    return [isWhole ? before : Object.fromEntries(was), Object.fromEntries(is)];
  }

  /** A value of the context, which is judged with its key. */
  #valueJson(key: string, raw: unknown): Json {
    if (raw === GETTER) return "[getter]";
    if (raw === undefined) return "[undefined]";
    const json = this.#redacted(foreignJson({ [key]: raw }));
    const fields = isRecord(json) ? Object.values(json as JsonObject) : [];
    return fields[0] ?? (fields.length > 0 ? null : REDACTED);
  }
}

/** The children of a machine: the ids of their actors in the system, by their own ids. */
function childrenJson(children: unknown): JsonObject {
  if (!isRecord(children)) return {};
  const known = Object.entries(children).slice(0, MAX_KEYS);
  if (known.length === 0) return {};
  const idOf = (child: unknown): Json =>
    isRecord(child) ? String(child["sessionId"]).slice(0, MAX_NAME) : null;
  return { children: Object.fromEntries(known.map(([id, child]) => [id, idOf(child)])) };
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}

function isPlain(value: unknown): value is { readonly [key: string]: unknown } {
  if (!isRecord(value)) return false;
  const prototype: unknown = guarded(() => Object.getPrototypeOf(value) as unknown);
  return prototype === Object.prototype || prototype === null;
}
