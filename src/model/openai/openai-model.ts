import { AgentError } from "../../base/error.ts";
import { checkOptions } from "../../base/options.ts";
import type { ChatModel, ModelRequest, StreamPart } from "../port.ts";
import { chunksOf, DONE, type ChunkBatch } from "./chunks.ts";
import { createClient, postChat, startCall, type ChatCompletionsClient } from "./client.ts";
import { dialectOf, OPENAI_BASE_URL, type ChatDialect } from "./dialect.ts";
import type { Endpoint } from "./endpoint.ts";
import { badResponse, cutOff, toModelError } from "./model-error.ts";
import { createPartReader, type PartReader } from "./part-reader.ts";
import type { ChatFormatter } from "./to-chat-messages.ts";
import { toChatRequest } from "./to-chat-request.ts";
import { WireError } from "./wire-error.ts";
import type { WireChunk } from "./wire.ts";

/** Which model is asked, where and how. Nothing is read from the environment. */
export type OpenAIModelOptions = {
  /** The model's name as the server knows it. */
  readonly model: string;
  /** Absent for servers that want none, such as Ollama. */
  readonly apiKey?: string;
  /** The address before `/chat/completions`; OpenAI's unless given. */
  readonly baseURL?: string;
  /** A client of the `openai` package to use instead of one of our own; `apiKey`, `baseURL` and `fetch` are then its
   *  own. Its retries are switched off for our calls, its time-out stays. */
  readonly client?: ChatCompletionsClient;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** What the model is called in events and prices; the model's name unless given. */
  readonly name?: string;
  /** Say `{ structuredOutput: true }` if the model takes `response_format: json_schema`. */
  readonly capabilities?: NonNullable<ChatModel["capabilities"]>;
  /** How messages become those of a request: default `chat`, `multiAgent` where several agents speak. */
  readonly formatter?: ChatFormatter;
} & Partial<ChatDialect>;

const OPTIONS: { readonly [name in keyof Required<OpenAIModelOptions>]: true } = {
  model: true,
  apiKey: true,
  baseURL: true,
  client: true,
  fetch: true,
  name: true,
  capabilities: true,
  formatter: true,
  maxTokensField: true,
  sendReasoning: true,
  toolMedia: true,
  strictNames: true,
  sendNames: true,
};

/**
 * A model behind streaming Chat Completions: OpenAI, and with `baseURL` DashScope, DeepSeek, Ollama, vLLM and others.
 *
 * Throws `config/invalid` for a missing model name, a base URL that is none, or an option there is not. The `openai` package is loaded with the
 * first call. An answer is complete only if the server said why the model stopped or that all was sent; else the stream
 * throws. On abort it throws `run/aborted` at once. A consumer that leaves the loop ends the request.
 */
export function openaiModel(options: OpenAIModelOptions): ChatModel {
  checkOptions(options, Object.keys(OPTIONS), "openaiModel", "openaiModel({ model, apiKey })");
  const { model, client, name = model, capabilities } = options;
  const baseURL = client?.baseURL ?? options.baseURL ?? OPENAI_BASE_URL;
  if (!model) throw new AgentError("config/invalid", "openaiModel needs the name of a model.");
  if (!URL.canParse(baseURL)) {
    throw new AgentError("config/invalid", `openaiModel: baseURL is no URL: "${baseURL}".`);
  }
  checkFormatter(options.formatter);
  const apiKey = client ? (client as { readonly apiKey?: unknown }).apiKey : options.apiKey;
  const endpoint: Endpoint = { model, baseURL, ...(typeof apiKey === "string" && { apiKey }) };
  const requestOptions = { ...dialectOf(baseURL), ...options, baseURL };
  let own: ReturnType<typeof createClient> | undefined;

  async function* batches(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ChunkBatch> {
    const { extraHeaders } = request.options;
    const body = toChatRequest(request, requestOptions);
    const call = { signal, maxRetries: 0, ...(extraHeaders && { headers: extraHeaders }) } as const;
    const started = client
      ? startCall(client, body, call)
      : postChat(await (own ??= createClient(options)), body, call);
    const answer = await unlessAborted(started, signal);
    if ("headers" in answer) yield* chunksOf(answer, endpoint, signal);
    else for await (const chunk of answer) yield [chunk as WireChunk];
  }

  async function* stream(
    request: ModelRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<StreamPart> {
    const reader = createPartReader();
    let isDone = false;
    try {
      throwIfAborted(signal);
      for await (const batch of batches(request, signal)) {
        for (const chunk of batch) {
          throwIfAborted(signal);
          if (chunk === DONE) isDone = true;
          else for (const part of partsOf(reader, chunk, endpoint)) yield part;
        }
      }
      throwIfAborted(signal);
    } catch (thrown) {
      throwIfAborted(signal);
      if (!reader.hasFinished) throw toModelError(thrown, endpoint);
    }
    if (reader.serverFailure) throw toModelError(new WireError({ message: reader.serverFailure }), endpoint);
    if (!reader.hasFinished && !reader.hasContent) throw badResponse("ended before it began.", endpoint);
    if (!reader.hasFinished && !isDone) throw cutOff(endpoint);
    yield* reader.finish();
  }

  return { name, ...(capabilities && { capabilities }), stream };
}

function checkFormatter(formatter: unknown): void {
  if (formatter === undefined || formatter === "chat" || formatter === "multiAgent") return;
  const shown = JSON.stringify(formatter);
  throw new AgentError(
    "config/invalid",
    `openaiModel: \`formatter\` is ${shown}; expected "chat" or "multiAgent".`,
  );
}

/** The parts of a chunk; one that is not built as chunks are cannot be read. */
function partsOf(reader: PartReader, chunk: WireChunk, endpoint: Endpoint): StreamPart[] {
  try {
    return reader.read(chunk);
  } catch {
    throw badResponse("holds a chunk that cannot be read.", endpoint);
  }
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted)
    throw new AgentError("run/aborted", "The model call was aborted.", { cause: signal.reason });
}

/** The promise's value, or a rejection as soon as the signal aborts, for a `fetch` that does not look at it. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
