import { isObject } from "../../base/is-object.ts";
import type { Json, JsonObject } from "../../base/json.ts";
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

/** Collects what a server says about its answer beside the answer: citations, cost, service tier, log probabilities and others, under
 *  the names that the server gives them. Costs are under `usage`. */
export class AnswerMetadata {
  readonly #all: { [name: string]: Json } = {};

  /** What was said so far; undefined if nothing was. */
  get all(): JsonObject | undefined {
    return Object.keys(this.#all).length === 0 ? undefined : { ...this.#all };
  }

  /** Adds what one chunk says. */
  add(chunk: WireChunk, choice: Choice | undefined, delta: WireDelta | null | undefined): void {
    for (const [name, value] of unread(chunk, READ.chunk)) this.#all[name] = withoutUsage(value);
    if (choice) this.#join(unread(choice, READ.choice));
    if (delta) this.#join(unread(delta, READ.delta));
    const usage = unread(chunk.usage ?? choice?.usage ?? {}, READ.usage);
    if (usage.length > 0) this.#all["usage"] = Object.fromEntries(usage);
  }

  #join(entries: readonly (readonly [string, Json])[]): void {
    for (const [name, value] of entries) this.#all[name] = joined(this.#all[name], value);
  }
}

function unread(fields: Fields, read: ReadonlySet<string>): readonly (readonly [string, Json])[] {
  const found: [string, Json][] = [];
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (!read.has(name) && !isNothing(value)) found.push([name, value as Json]);
  }
  return found;
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
function joined(known: Json | undefined, later: Json): Json {
  if (Array.isArray(known) && Array.isArray(later)) return [...(known as Json[]), ...(later as Json[])];
  if (!isObject(known) || !isObject(later)) return later;
  const keys = Object.entries(later).map(([key, value]) => [key, joined(known[key], value)] as const);
  return { ...known, ...Object.fromEntries(keys) };
}
