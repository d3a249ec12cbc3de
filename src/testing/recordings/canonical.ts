import { createHash } from "node:crypto";
import { isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import type { Block, Msg } from "../../core/message/types.ts";
import type { ChatModel, ModelRequest } from "../../core/model/port.ts";

/** A request as it is compared: without what differs from run to run by itself, with the keys of objects in order. */
export type CanonicalRequest = JsonObject;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Returns JSON with the keys of its objects in order, and without what is undefined. */
function sorted(value: unknown): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value as Json;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return Object.fromEntries(keys.toSorted().map((key) => [key, sorted(value[key])]));
}

/** Numbers the ids of calls, as they first appear: providers and agents make new ones in each run. */
class CallIds {
  readonly #numbers = new Map<string, number>();

  of(id: string): string {
    const number = this.#numbers.get(id) ?? this.#numbers.size + 1;
    this.#numbers.set(id, number);
    return `call ${number}`;
  }
}

function canonicalBlock(block: Block, ids: CallIds): Json {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return { type: "thinking", thinking: block.thinking };
    case "tool_use": {
      const { id, name, input, rawInput } = block;
      return sorted({ type: "tool_use", id: ids.of(id), name, input, rawInput });
    }
    case "tool_result": {
      const { id, name, state, output } = block;
      const read = output.map((part) => canonicalBlock(part, ids));
      return { type: "tool_result", id: ids.of(id), name, state, output: read };
    }
    case "provider":
      return { type: "provider", kind: block.kind };
    default: {
      const { type, source } = block;
      if (source.type === "url") return { type, url: source.url };
      return { type, mediaType: source.mediaType, sha256: sha256(source.data) };
    }
  }
}

function canonicalMessage({ role, name, content }: Msg, ids: CallIds): Json {
  return { role, name, content: content.map((block) => canonicalBlock(block, ids)) };
}

/**
 * Returns a request as it is compared. It has the name of the model, the options without headers, the structured answer that is asked for, the
 * tools, and of each message its role, its name and its content. Left out are the ids and times of messages, their metadata and usage, opaque
 * data of providers, time-outs, and the id of the session; ids of calls are numbered; the bytes of media are their hash.
 */
export function canonicalOf(
  model: string,
  { messages, tools, options, output }: ModelRequest,
): CanonicalRequest {
  const ids = new CallIds();
  const { extraHeaders: _, ...rest } = options;
  return {
    model,
    options: sorted(rest),
    output: sorted(output ?? null),
    tools: tools.map(sorted),
    messages: messages.map((message) => canonicalMessage(message, ids)),
  };
}

/** Returns the key under which a canonical request is recorded. */
export const keyOf = (request: CanonicalRequest): string => sha256(JSON.stringify(request)).slice(0, 24);

/** A place at which two requests differ. */
export type RequestDifference = {
  /** The place, such as `messages[3].content[0].text`. */
  readonly at: string;
  /** The value of the recording, and the one that is asked now, from just before the first character that differs; absent: it is not
   *  there. */
  readonly recorded?: string | undefined;
  readonly asked?: string | undefined;
};

const MAX_SHOWN = 120;
const BEFORE = 20;

function shownFrom(value: unknown, from: number): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const rest = text.slice(from, from + MAX_SHOWN);
  return `${from > 0 ? "…" : ""}${rest}${from + MAX_SHOWN < text.length ? "…" : ""}`;
}

function commonLength(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  return same;
}

/** Yields the places at which two values differ, in order; a field of `CanonicalRequest` stands in the order in which it is made. */
export function* differences(recorded: unknown, asked: unknown, at = ""): Generator<RequestDifference> {
  if (Array.isArray(recorded) && Array.isArray(asked)) {
    for (let index = 0; index < Math.max(recorded.length, asked.length); index++)
      yield* differences(recorded[index], asked[index], `${at}[${index}]`);
    return;
  }
  if (isObject(recorded) && isObject(asked)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(asked)]))
      yield* differences(recorded[key], asked[key], at === "" ? key : `${at}.${key}`);
    return;
  }
  if (recorded === asked) return;
  const areTexts = typeof recorded === "string" && typeof asked === "string";
  const from = areTexts ? Math.max(0, commonLength(recorded, asked) - BEFORE) : 0;
  yield { at, recorded: shownFrom(recorded, from), asked: shownFrom(asked, from) };
}

/** The fields of a model by which an agent behaves. */
export function fieldsOf({ name, provider, endpoint, capabilities, maxTools }: ChatModel) {
  return {
    name,
    ...(provider !== undefined && { provider }),
    ...(endpoint !== undefined && { endpoint }),
    ...(capabilities && { capabilities }),
    ...(maxTools !== undefined && { maxTools }),
  };
}
