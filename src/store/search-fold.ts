import { isObject, type Json, type JsonObject } from "../core/base/json.ts";
import { isSecret } from "../core/base/secrets.ts";
import type { Usage } from "../core/message/types.ts";
import { addUsage } from "../core/message/msg.ts";
import type { JournalEntry } from "./port.ts";
import { eachWord } from "./search-words.ts";

const MAX_TOOLS = 200;
/** Values that are nested deeper are not indexed. */
const MAX_DEPTH = 64;

/** The data of a session that are known up to the newest entry that was read. */
export type Summary = {
  /** Epoch ms of the first entry. */
  readonly startedAt?: number;
  /** The number of messages in the transcript. */
  readonly messages: number;
  /** The usage of all messages in the transcript. */
  readonly usage: Usage;
  /** The names of the tools that were asked for, at most 200. */
  readonly tools: readonly string[];
};

/** Reads journal entries in order, and collects what a session is found by. An entry of another shape says nothing. */
export class SearchFold {
  /** The words of the entries that were pushed. Values of keys that are named like secrets are not among them. */
  readonly words = new Set<string>();
  /** Messages were replaced that were not pushed: the usage is wrong, unless all entries are pushed again. */
  isIncomplete = false;
  readonly #former: Summary;
  readonly #tools: Set<string>;
  readonly #usages: (Usage | undefined)[] = [];
  #startedAt: number | undefined;

  /** Continues after the entries that `former` was made of. */
  constructor(former: Summary = { messages: 0, usage: {}, tools: [] }) {
    this.#former = former;
    this.#tools = new Set(former.tools);
    this.#startedAt = former.startedAt;
  }

  push({ at, type, data }: JournalEntry): void {
    this.#startedAt ??= at;
    if (type === "call" && isObject(data["set"])) {
      if (isObject(data["call"])) this.#addBlock(data["call"]);
      if (isObject(data["set"]["result"])) this.#addBlock(data["set"]["result"]);
    }
    if (type !== "messages" || !Array.isArray(data["messages"])) return;
    const from = Number(data["from"]) - this.#former.messages;
    if (!Number.isSafeInteger(from)) return;
    if (from < 0) this.isIncomplete = true;
    this.#usages.length = Math.max(0, Math.min(from, this.#usages.length));
    for (const message of data["messages"] as readonly Json[]) this.addMessage(message);
  }

  /** Adds a message to the end of the transcript. */
  addMessage(message: Json): void {
    const { content, usage } = isObject(message) ? message : {};
    this.#usages.push(isObject(usage) ? (usage as Usage) : undefined);
    if (Array.isArray(content))
      for (const block of content as readonly Json[]) if (isObject(block)) this.#addBlock(block);
  }

  addText(text: string): void {
    eachWord(text, (word) => this.words.add(word));
  }

  get summary(): Summary {
    const { messages, usage } = this.#former;
    return {
      ...(this.#startedAt !== undefined && { startedAt: this.#startedAt }),
      messages: messages + this.#usages.length,
      usage: this.#usages.reduce<Usage>((sum, each) => addUsage(sum, each), usage),
      tools: [...this.#tools],
    };
  }

  #addBlock({ type, name, text, thinking, input, output }: JsonObject): void {
    if (type === "tool_use" && typeof name === "string") {
      if (this.#tools.size < MAX_TOOLS) this.#tools.add(name);
      this.#addValue(input);
    }
    for (const part of [name, text, thinking]) if (typeof part === "string") this.addText(part);
    if (type === "tool_result") this.#addValue(output, "text");
  }

  /** Adds the texts and numbers of a value, or only the texts of the key `only`. */
  #addValue(value: Json | undefined, only?: string, depth = 0): void {
    if (depth > MAX_DEPTH) return;
    if (typeof value === "string" || typeof value === "number") {
      if (only === undefined) this.addText(String(value));
    } else if (Array.isArray(value))
      for (const item of value as readonly Json[]) this.#addValue(item, only, depth + 1);
    else if (isObject(value))
      for (const [key, item] of Object.entries(value))
        if (key === only && typeof item === "string") this.addText(item);
        else if (only === undefined && !isSecret(key, item)) this.#addValue(item, only, depth + 1);
  }
}
