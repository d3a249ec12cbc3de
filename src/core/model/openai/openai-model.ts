import { AgentError, configError } from "../../base/error.ts";
import * as s from "../../base/option-schema.ts";
import { check } from "../../base/options.ts";
import { throwIfAborted, unlessAborted } from "../abort.ts";
import { PartByPart } from "../part-by-part.ts";
import type { ChatModel, ModelRequest, StreamPart } from "../port.ts";
import { chunksFrom, chunksOf, DONE, PING, type ChunkBatch, type ChunkSource } from "./chunks.ts";
import { withKey } from "./api-key.ts";
import { clientTransport, type ChatCompletionsClient } from "./client.ts";
import type { DialectName } from "../host-rules.ts";
import { leftOutOf, maxToolsOf } from "../wire-tools.ts";
import { dialectNameOf, dialectOf, OPENAI_BASE_URL, type ChatDialect } from "./dialect.ts";
import { fetchTransport } from "./fetch-transport.ts";
import { secretsIn } from "../../base/secrets.ts";
import type { Endpoint } from "../endpoint.ts";
import { badResponse, cutOff, toModelError } from "../model-error.ts";
import type { PartReader } from "./part-reader.ts";
import { chatProtocol, responsesProtocol } from "./protocol.ts";
import type { ResponsesOptions } from "./responses-request.ts";
import { messageShape, type ChatFormatter } from "./to-chat-messages.ts";
import { modelShape } from "./to-chat-request.ts";
import { UnclearCalls } from "../unclear-calls.ts";
import { WireError } from "../wire-error.ts";
import { openaiWire } from "./wire-request.ts";

/** Options of {@link openaiModel}. Nothing is read from the environment. */
export type OpenAIModelOptions = {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** Leave it out for servers that need none, such as Ollama. An empty one is refused. */
  readonly apiKey?: string | undefined;
  /** The URL before `/chat/completions` or `/responses`; default OpenAI's. */
  readonly baseURL?: string | undefined;
  /** The API by which the server is asked; default `chat`, Chat Completions. `responses` keeps the order of thinking, text and calls, gives
   *  reasoning back encrypted, and has tools of the server; of the dialect, only `strictNames` and `sendCacheKey` matter then. */
  readonly api?: "chat" | "responses" | undefined;
  /** A client of the `openai` package, such as an `AzureOpenAI` or one with tracing. The values of `apiKey`, `baseURL` and `fetch` are then
   *  those of the client. Its retries are turned off for these calls; its time-out applies. */
  readonly client?: ChatCompletionsClient | undefined;
  /** The transport that sends the requests: `fetch` alone (default), or `openai`, a client of the `openai` package, which is loaded with
   *  the first call. Both send the same requests, but for the headers in which the package describes itself, and fail with the same errors. */
  readonly transport?: "fetch" | "openai" | undefined;
  /** False for a server that cannot stream Chat Completions: the request says so, and the answer comes whole. `idleTimeoutMs` then bounds
   *  all of it, an interrupt keeps nothing of it, and nothing of it is seen before its end. Default true. */
  readonly streaming?: boolean | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** The name in events and in `modelOptions.prices`; default `model`. */
  readonly name?: string | undefined;
  /** The capabilities of the model. They are `structuredOutput: true` if the model supports `response_format: json_schema`;
   *  `contextTokens`, the size of its context window, within which prompts stay. Default: none of both. */
  readonly capabilities?: Omit<NonNullable<ChatModel["capabilities"]>, "usesTokens"> | undefined;
  /** The formatter that converts messages; default `chat`, `multiAgent` for conversations of several agents. */
  readonly formatter?: ChatFormatter | undefined;
  /** Whose rules of ids, of the order of messages, of tools and of schemas are kept. Default: those of the server at `baseURL`, which its
   *  host name decides; `plain` for a server that is not known, such as one on this machine or a gateway. */
  readonly dialect?: DialectName | undefined;
} & ResponsesOptions &
  Partial<ChatDialect>;

/** The schema of {@link OpenAIModelOptions}. */
export const modelSchema = s.lazily(() =>
  s.options<OpenAIModelOptions>(
    {
      ...modelShape(),
      apiKey: s.optional(s.secret()),
      client: s.optional(s.object("a client of the package openai")),
      transport: s.optional(s.oneOf("fetch", "openai")),
      fetch: s.optional(s.func()),
      name: s.optional(s.nonEmpty()),
      api: s.optional(s.oneOf("chat", "responses")),
      builtInTools: s.optional(s.listOf(s.object('a tool, such as { type: "web_search" }'))),
      compactAt: s.optional(s.integer(1_000)),
      reasoningSummary: s.optional(s.oneOf("auto", "concise", "detailed")),
      capabilities: s.optional(
        s.options<NonNullable<OpenAIModelOptions["capabilities"]>>({
          structuredOutput: s.optional(s.boolean()),
          contextTokens: s.optional(s.integer(1)),
        }),
      ),
      ...messageShape(),
    },
    { what: "options, such as { model, apiKey }" },
  ),
);

/** A request to OpenAI without a key is not sent: what comes back says less. Its own headers may hold one. */
const noKey = (model: string): AgentError =>
  new AgentError(
    "model/auth",
    `There is no key for model "${model}" of OpenAI: give \`apiKey\`, such as that of the variable OPENAI_API_KEY, or the \`baseURL\` of another server.`,
  );

/** The options that only Responses has. */
const ONLY_RESPONSES = ["builtInTools", "compactAt", "reasoningSummary"] as const;

/**
 * Returns a model behind Chat Completions or Responses: OpenAI, or with `baseURL` DeepSeek, Ollama, vLLM and others.
 *
 * An answer is whole only if the server gave a finish reason that says so; else the stream throws `model/connection`, and for an error
 * within the stream what the server says. Tool calls whose pieces cannot be told apart for certain are `model/bad-response`. When its signal aborts, the stream throws `run/aborted` at once; a consumer that leaves the loop ends the
 * request. Throws `config/invalid` for a missing model name, an invalid base URL, an unknown option,
 * an option of the other API, `streaming: false` with Responses, and a `transport` beside a `client`.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { openaiModel } from "agentchart/openai";
 *
 * const model = openaiModel({ model: "qwen3:8b", baseURL: "http://127.0.0.1:11434/v1" });
 * const agent = createAgent({ name: "assistant", model });
 * ```
 */
export function openaiModel(given: OpenAIModelOptions): ChatModel {
  check(modelSchema(), given, "openaiModel");
  const options = withKey("openaiModel", given);
  const { model, client, name = model, capabilities } = options;
  const baseURL = client?.baseURL ?? options.baseURL ?? OPENAI_BASE_URL;
  const apiKey = client ? (client as { readonly apiKey?: unknown }).apiKey : options.apiKey;
  const isResponses = options.api === "responses";
  const misplaced = isResponses ? undefined : ONLY_RESPONSES.find((option) => options[option] !== undefined);
  if (misplaced) throw configError(`openaiModel: \`${misplaced}\` needs \`api: "responses"\`.`);
  if (isResponses && options.streaming === false)
    throw configError('openaiModel: `streaming: false` needs `api: "chat"`.');
  const dialect = dialectNameOf({ ...options, baseURL });
  const requestOptions = { ...dialectOf(baseURL, dialect), ...options, baseURL, dialect };
  const protocol = isResponses ? responsesProtocol(requestOptions) : chatProtocol(requestOptions);
  if (client && options.transport)
    throw configError("openaiModel: `transport` is given together with `client`; expected one of both.");
  const isKeyless = !client && !options.fetch && apiKey === undefined && baseURL === OPENAI_BASE_URL;
  const post = options.transport === "openai" ? clientTransport(options) : fetchTransport(options);

  /** Sends the request. Resolves with its answer as soon as it begins. */
  async function ask(request: ModelRequest, endpoint: Endpoint, signal: AbortSignal): Promise<ChunkSource> {
    const { extraHeaders } = request.options;
    if (isKeyless && !extraHeaders) throw noKey(model);
    const call = { signal, maxRetries: 0, ...(extraHeaders && { headers: extraHeaders }) } as const;
    const started = client ? protocol.start(client, request, call) : protocol.post(post, request, call);
    const answer = await unlessAborted(started, signal);
    return "headers" in answer ? chunksOf(answer, endpoint, signal) : chunksFrom(answer);
  }

  async function* answer(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly StreamPart[], undefined> {
    const secrets = secretsIn({ apiKey }, request.options.extraHeaders);
    const endpoint: Endpoint = { model, baseURL, secrets };
    const reader = protocol.createReader();
    let source: ChunkSource | undefined;
    try {
      throwIfAborted(signal);
      source = await ask(request, endpoint, signal);
      for (let batch = await source.next(); batch; batch = await source.next()) {
        throwIfAborted(signal);
        const { parts, error } = partsOf(reader, batch, endpoint);
        if (parts.length > 0) yield parts;
        throwIfAborted(signal);
        if (error !== undefined) throw error;
      }
      throwIfAborted(signal);
    } catch (thrown) {
      throwIfAborted(signal);
      if (!reader.hasFinished()) throw toModelError(thrown, endpoint);
    } finally {
      source?.close();
    }
    const serverFailure = reader.serverFailure();
    if (serverFailure !== undefined) throw toModelError(new WireError(serverFailure), endpoint);
    if (!reader.hasFinished() && !reader.hasContent()) throw badResponse("ended before it began.", endpoint);
    if (!reader.hasFinished()) throw cutOff(endpoint);
    yield lastPartsOf(reader, endpoint);
  }

  return {
    name,
    provider: "openai",
    ...(URL.canParse(baseURL) && { endpoint: new URL(baseURL).origin }),
    ...(capabilities && { capabilities }),
    wire: openaiWire(requestOptions),
    maxTools: maxToolsOf(dialect),
    leftOut: (tools) => leftOutOf(tools, dialect),
    withName: (other) => {
      const { name: _, capabilities: __, ...rest } = options;
      return openaiModel({ ...rest, model: other });
    },
    stream: (request, { signal }) => new PartByPart(answer(request, signal), signal),
  };
}

/** Reads chunks that came together. What was read before an error counts; it is `model/bad-response` for a chunk with another
 *  structure. */
function partsOf(
  reader: PartReader,
  { chunks, error }: ChunkBatch,
  endpoint: Endpoint,
): { readonly parts: readonly StreamPart[]; readonly error?: unknown } {
  const parts: StreamPart[] = [];
  try {
    for (const chunk of chunks) {
      if (chunk === PING) parts.push({ type: "ping" });
      else if (chunk === DONE) reader.done();
      else parts.push(...reader.read(chunk));
    }
  } catch (thrown) {
    const isKnown = thrown instanceof WireError || thrown instanceof UnclearCalls;
    const unread = badResponse("contains a chunk that cannot be read.", endpoint);
    return { parts, error: isKnown ? toModelError(thrown, endpoint) : unread };
  }
  return { parts, error };
}

function lastPartsOf(reader: PartReader, endpoint: Endpoint): readonly StreamPart[] {
  try {
    return reader.finish();
  } catch (thrown) {
    throw toModelError(thrown, endpoint);
  }
}
