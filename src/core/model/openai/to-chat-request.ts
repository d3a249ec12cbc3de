import { perObject, type JsonObject } from "../../base/json.ts";
import * as s from "../../base/option-schema.ts";
import { check } from "../../base/options.ts";
import { hideSecrets } from "../../base/secrets.ts";
import { shown } from "../../base/shown.ts";
import type { GenerateOptions, ModelRequest, ToolChoice, ToolSpec } from "../port.ts";
import { ofEach, piecesOf } from "../request.ts";
import { wireChoice, wireToolsOf } from "../wire-tools.ts";
import type { DialectName } from "../host-rules.ts";
import { dialectNameOf, dialectOf, hostNameOf, OPENAI_BASE_URL, type ChatDialect } from "./dialect.ts";
import {
  chatFormatOf,
  chatMessagesOf,
  KEEP_FROM,
  messageShape,
  textOfPiece,
  textOfPieces,
  type ChatFormat,
  type ChatFormatter,
} from "./to-chat-messages.ts";
import type { ChatRequest, ChatTool, ChatToolChoice } from "./wire.ts";

/** Options of {@link toChatRequest}. Options of the dialect default to those of the server at `baseURL`, but `sendReasoning` to
 *  true. */
export type ToChatRequestOptions = {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** Default: OpenAI's. */
  readonly baseURL?: string | undefined;
  /** Default `chat`. */
  readonly formatter?: ChatFormatter | undefined;
  /** Whose rules of ids, messages and tools are kept. Default: those of the server at `baseURL`, which its host name decides; `plain`
   *  for a server that is not known. */
  readonly dialect?: DialectName | undefined;
  /** False for a server that cannot stream: the answer comes whole. Default true. */
  readonly streaming?: boolean | undefined;
} & Partial<ChatDialect>;

const isOfServer = (value: unknown): boolean => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
};

/** The schema of `baseURL`. `fetch` refuses a user and a password in it; no error quotes them. */
export const urlOfServer = s.lazily(() =>
  s.value<string>(
    isOfServer,
    "an http or https URL without user and password, such as http://127.0.0.1:11434/v1",
    {
      json: { type: "string" },
      show: (value) => shown(typeof value === "string" ? hideSecrets(value) : value),
    },
  ),
);

/** The schemas of the options of a model that decide about a request. */
export const modelShape = s.lazily(() => ({
  model: s.nonEmpty("the name of a model"),
  baseURL: s.optional(urlOfServer()),
  streaming: s.optional(s.boolean()),
  sendCacheKey: s.optional(s.boolean()),
  maxTokensField: s.optional(s.oneOf<ChatDialect["maxTokensField"]>("max_tokens", "max_completion_tokens")),
}));

/** The schema of {@link ToChatRequestOptions}. */
export const requestSchema = s.lazily(() =>
  s.options<ToChatRequestOptions>({ ...modelShape(), ...messageShape() }),
);

/**
 * Returns the body of a Chat Completions request.
 *
 * `tools` and `tool_choice` are absent if there are no tools. `thinkingBudget` becomes `enable_thinking` and
 * `thinking_budget`, the fields of DashScope (a budget of 0 turns thinking off); other servers may refuse them.
 * `extraBody` is merged last and may replace any field but `messages` and `stream`. Messages and tools are cached for their objects, so
 * do not change them.
 *
 * @example
 * ```ts
 * import { userMsg } from "agentchart";
 * import { toChatRequest } from "agentchart/openai";
 *
 * const request = { messages: [userMsg("Hello!")], tools: [], options: { maxTokens: 100 }, execution: {} };
 * const body = toChatRequest(request, { model: "gpt-4.1-mini" });
 * ```
 */
export function toChatRequest(request: ModelRequest, options: ToChatRequestOptions): ChatRequest {
  check(requestSchema(), options, "toChatRequest");
  const dialect = dialectNameOf(options);
  const fields = dialectOf(options.baseURL ?? OPENAI_BASE_URL, dialect);
  return chatRequestOf(request, { ...fields, sendReasoning: true, ...options, dialect });
}

type WholeOptions = Omit<ToChatRequestOptions, keyof ChatDialect> & ChatDialect;

/** As {@link toChatRequest}, with every option of the dialect. `format`: that of the options. */
export function chatRequestOf(
  request: ModelRequest,
  options: WholeOptions,
  format: ChatFormat = chatFormatOf(options, hostNameOf(options.baseURL ?? OPENAI_BASE_URL)),
): ChatRequest {
  // the messages last, as they grow: what stands before them stays the same
  return { ...fieldsOf(request, options), messages: chatMessagesOf(request.messages, format) };
}

/** Returns the JSON of {@link chatRequestOf}. Of the pieces that were in requests before, it is not made again. */
export function chatRequestText(request: ModelRequest, options: WholeOptions, format: ChatFormat): string {
  const pieces = piecesOf(request);
  const count = pieces.reduce((sum, { messages }) => sum + messages.length, 0);
  const isJoined = count >= KEEP_FROM && format.formatter === "chat";
  const texts = isJoined ? ofEach(pieces, format.by, (piece) => textOfPiece(piece, format)) : [null];
  const isWhole = texts.every((text) => text !== null);
  if (!isWhole) return JSON.stringify(chatRequestOf(request, options, format));
  const head = JSON.stringify({ ...fieldsOf(request, options), messages: undefined }).slice(0, -1);
  return `${head},"messages":[${textOfPieces(texts, format)}]}`;
}

/** All of a request but its messages. */
function fieldsOf(request: ModelRequest, options: WholeOptions) {
  const { model, maxTokensField, sendCacheKey, dialect = "plain", streaming = true } = options;
  const { output, sessionId, options: generate } = request;
  const tools = wireToolsOf(request.tools, dialect);
  const choice = wireChoice(generate.toolChoice, tools, dialect);
  return {
    model,
    ...(streaming && { stream_options: { include_usage: true } }),
    ...(tools.length > 0 && { tools: tools.map(toChatTool) }),
    ...(choice !== undefined && { tool_choice: toToolChoice(choice) }),
    ...(output && { response_format: { type: "json_schema", json_schema: output } }),
    ...toChatOptions(generate, maxTokensField),
    ...(sendCacheKey && sessionId !== undefined && { prompt_cache_key: sessionId }),
    ...generate.extraBody,
    stream: streaming,
  };
}

/** The wire form of each tool, since an agent offers the same ones with each request. */
const toChatTool = perObject(({ name, description, inputSchema }: ToolSpec): ChatTool => ({
  type: "function",
  function: { name, description, parameters: inputSchema },
}));

function toToolChoice(choice: ToolChoice): ChatToolChoice {
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } };
}

const NO_FIELDS: JsonObject = {};

function toChatOptions(generate: GenerateOptions, maxTokensField: ChatDialect["maxTokensField"]): JsonObject {
  if (Object.keys(generate).length === 0) return NO_FIELDS;
  const { thinkingBudget } = generate;
  const fields = {
    temperature: generate.temperature,
    top_p: generate.topP,
    top_k: generate.topK,
    [maxTokensField]: generate.maxTokens,
    frequency_penalty: generate.frequencyPenalty,
    presence_penalty: generate.presencePenalty,
    seed: generate.seed,
    stop: generate.stop,
    reasoning_effort: generate.reasoningEffort,
    enable_thinking: thinkingBudget === undefined ? undefined : thinkingBudget > 0,
    thinking_budget: thinkingBudget === 0 ? undefined : thinkingBudget,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}
