import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { WireChunk, WireDelta } from "./wire.ts";

type Fields = { readonly [name: string]: unknown };
type Choice = NonNullable<NonNullable<WireChunk["choices"]>[number]>;

/** The fields that are read elsewhere, or that say nothing about the answer. */
const READ = {
  chunk: new Set(["id", "object", "created", "choices", "usage", "error", "obfuscation"]),
  choice: new Set(["index", "delta", "message", "finish_reason", "usage", "error"]),
  delta: new Set([
    "role",
    "content",
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "refusal",
    "tool_calls",
    "function_call",
    "images",
    "audio",
    "index",
  ]),
  usage: new Set([
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "prompt_tokens_details",
    "completion_tokens_details",
  ]),
};

/** Collects what a server says about its answer beside the answer. These are citations, cost, service tier, log probabilities and others,
 *  under the names that the server gives them. Costs are under `usage`. */
export class AnswerMetadata {
  /** Without a prototype: the names are the server's, and one may be `__proto__`. Most servers say nothing. */
  #all: { [name: string]: Json } | undefined;

  /** The metadata so far; undefined if there are no metadata. */
  get all(): JsonObject | undefined {
    return this.#all && { ...this.#all };
  }

  /** Adds what one chunk says. */
  add(chunk: WireChunk, choice: Choice | undefined, delta: WireDelta | null | undefined): void {
    this.#read(chunk, READ.chunk, withoutUsage);
    if (choice) this.#read(choice, READ.choice, joined);
    if (delta) this.#read(delta, READ.delta, joined);
    const usage = chunk.usage ?? choice?.usage;
    if (!usage) return;
    const more = Object.entries(usage).filter(([name, value]) => !READ.usage.has(name) && !isNothing(value));
    if (more.length > 0) this.#set("usage", Object.fromEntries(more) as JsonObject);
  }

  /** Adds the fields that say something and are not read elsewhere. Without lists of them: there are as many chunks as words. */
  #read(
    fields: Fields,
    read: ReadonlySet<string>,
    add: (later: Json, known: Json | undefined) => Json,
  ): void {
    for (const name in fields) {
      const value = fields[name];
      if (!read.has(name) && !isNothing(value)) this.#set(name, add(value as Json, this.#all?.[name]));
    }
  }

  #set(name: string, value: Json): void {
    (this.#all ??= Object.create(null) as { [name: string]: Json })[name] = value;
  }
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Groq repeats the usage under `x_groq`. */
function withoutUsage(value: Json): Json {
  if (!isObject(value) || !Object.hasOwn(value, "usage")) return value;
  const { usage: _, ...rest } = value;
  return rest;
}

/** A stream sends lists, such as annotations, in pieces. */
function joined(later: Json, known: Json | undefined): Json {
  if (Array.isArray(known) && Array.isArray(later)) return [...(known as Json[]), ...(later as Json[])];
  if (!isObject(known) || !isObject(later)) return later;
  const keys = Object.entries(later).map(([key, value]) => [key, joined(value, known[key])] as const);
  return { ...known, ...Object.fromEntries(keys) };
}
