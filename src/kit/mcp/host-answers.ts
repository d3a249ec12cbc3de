import { pathToFileURL } from "node:url";
import type {
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  ListRootsResult,
} from "@modelcontextprotocol/client";
import { AgentError } from "../../core/base/error.ts";
import { isObject } from "../../core/base/json.ts";
import { assistantMsg, systemMsg, userMsg } from "../../core/message/msg.ts";
import type { Msg } from "../../core/message/types.ts";
import { collect } from "../../core/model/fold.ts";
import type { McpOptions } from "./types.ts";

const MAX_TOKENS = 1_000;
const MAX_CALLS = 5;
const MAX_BYTES = 100_000;

/** Counts the answers of the model that one call has got. */
export type SampleCounter = { samples: number };

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks
    .map((block) =>
      isObject(block) && block["type"] === "text"
        ? String(block["text"]).toWellFormed()
        : `[${isObject(block) ? String(block["type"]) : "content"} left out]`,
    )
    .join("\n");
}

/** Answers what a server asks of its host and not of a person: for an answer of a model, and for folders. */
export class HostAnswers {
  readonly #options: Pick<McpOptions, "sampling" | "roots">;
  readonly #server: () => string;

  constructor(options: Pick<McpOptions, "sampling" | "roots">, server: () => string) {
    this.#options = options;
    this.#server = server;
  }

  /** The capabilities for which a server is told that it may ask. */
  get capabilities(): ClientCapabilities {
    const { sampling, roots } = this.#options;
    return { ...(sampling && { sampling: {} }), ...(roots && { roots: {} }) };
  }

  /** Answers a request by its method. Rejects with `tool/failed` for one that is not configured. */
  async answer(
    method: string,
    params: unknown,
    signal: AbortSignal,
    counter: SampleCounter,
  ): Promise<CreateMessageResult | ListRootsResult> {
    const { sampling, roots } = this.#options;
    if (method === "roots/list" && roots) return this.roots();
    if (method === "sampling/createMessage" && sampling)
      return this.sample(params as CreateMessageRequestParams, signal, counter);
    const text = `The MCP server '${this.#server()}' asks for '${method}', which it may not.`;
    throw new AgentError("tool/failed", text);
  }

  roots(): ListRootsResult {
    return { roots: (this.#options.roots ?? []).map((path) => ({ uri: pathToFileURL(path).href })) };
  }

  /** Asks the model once, within the limits of the options. */
  async sample(
    params: CreateMessageRequestParams,
    signal: AbortSignal,
    counter: SampleCounter,
  ): Promise<CreateMessageResult> {
    const { model, maxTokens = MAX_TOKENS, maxCalls = MAX_CALLS } = this.#options.sampling!;
    if (++counter.samples > maxCalls)
      throw this.#refusal(`asks the model more than ${maxCalls} times in one call`);
    const bytes = Buffer.byteLength(JSON.stringify(params));
    if (bytes > MAX_BYTES)
      throw this.#refusal(`asks the model with ${bytes} bytes; at most ${MAX_BYTES} are sent`);
    const messages: Msg[] = params.messages.map(({ role, content }) =>
      role === "user" ? userMsg(textOf(content)) : assistantMsg(textOf(content)),
    );
    if (params.systemPrompt) messages.unshift(systemMsg(params.systemPrompt));
    const options = { maxTokens: Math.min(params.maxTokens, maxTokens) };
    const { content, finishReason } = await collect(
      model,
      { messages, tools: [], options, execution: {} },
      { signal },
    );
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    return {
      role: "assistant",
      model: model.name,
      stopReason: finishReason === "length" ? "maxTokens" : "endTurn",
      content: { type: "text", text },
    };
  }

  #refusal(text: string): AgentError {
    return new AgentError("tool/failed", `The MCP server '${this.#server()}' ${text}.`);
  }
}
