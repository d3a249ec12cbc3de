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
  /** Without a prototype: the names are the server's, and one may be `__proto__`. */
  readonly #all = Object.create(null) as { [name: string]: Json };

  /** What was said so far; undefined if nothing was. */
  get all(): JsonObject | undefined {
    return Object.keys(this.#all).length === 0 ? undefined : { ...this.#all };
  }

  /** Adds what one chunk says. */
  add(chunk: WireChunk, choice: Choice | undefined, delta: WireDelta | null | undefined): void {
    const all = this.#all;
    for (const name of unread(chunk, READ.chunk)) all[name] = withoutUsage((chunk as Fields)[name] as Json);
    if (choice) this.#join(choice, READ.choice);
    if (delta) this.#join(delta, READ.delta);
    const usage = chunk.usage ?? choice?.usage;
    const more = usage ? unread(usage, READ.usage) : NONE;
    if (more.length > 0)
      all["usage"] = Object.fromEntries(more.map((name) => [name, (usage as Fields)[name] as Json]));
  }

  #join(fields: Fields, read: ReadonlySet<string>): void {
    for (const name of unread(fields, read)) this.#all[name] = joined(this.#all[name], fields[name] as Json);
  }
}

const NONE: readonly string[] = [];

/** The names of fields that say something and are not read elsewhere. */
function unread(fields: Fields, read: ReadonlySet<string>): readonly string[] {
  let found: string[] | undefined;
  for (const name of Object.keys(fields))
    if (!read.has(name) && !isNothing(fields[name])) (found ??= []).push(name);
  return found ?? NONE;
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
