import type { JsonObject } from "../../base/json.ts";
import type { DialectName } from "../host-rules.ts";
import type { GenerateOptions, ModelRequest, ToolChoice } from "../port.ts";
import { wireChoice, wireToolsOf } from "../wire-tools.ts";
import { hostNameOf, type ChatDialect } from "./dialect.ts";
import { inputItemsOf } from "./responses-input.ts";
import type { ResponsesRequest } from "./responses-wire.ts";
import type { ChatFormatter } from "./to-chat-messages.ts";

/** Options of {@link openaiModel} that only `api: "responses"` has. */
export type ResponsesOptions = {
  /** Tools that the server runs, as its API defines them, such as `[{ type: "web_search" }]`. They are offered beside those of the
   *  agent; their calls are stored as blocks of the type `provider`. */
  readonly builtInTools?: readonly JsonObject[] | undefined;
  /** The size of the prompt, tokens, above which the server replaces it by a compacted one, at least 1,000. The compacted conversation
   *  is stored as a block of the type `provider`, and later requests begin with it. Default: never. */
  readonly compactAt?: number | undefined;
  /** Whether the server says what it thinks, and how long; default: what the server does. */
  readonly reasoningSummary?: "auto" | "concise" | "detailed" | undefined;
};

type RequestOptions = ResponsesOptions & {
  readonly model: string;
  readonly baseURL: string;
  readonly formatter?: ChatFormatter | undefined;
  readonly dialect?: DialectName | undefined;
} & Pick<ChatDialect, "strictNames" | "sendCacheKey">;

/** Models that refuse to give their reasoning encrypted, since they have none. */
const WITHOUT_REASONING = /^(gpt-3|gpt-4|chatgpt-|gpt-5[^-]*-chat)/;

/**
 * Returns the body of a streaming Responses request. The server stores nothing: the transcript is the state, and thinking is asked
 * for in its encrypted form, so that it can be sent back. `extraBody` is merged last and may replace any field but `input` and
 * `stream`.
 */
export function responsesRequestOf(request: ModelRequest, options: RequestOptions): ResponsesRequest {
  const { model, baseURL, builtInTools = [], compactAt, sendCacheKey, dialect = "plain" } = options;
  const { output, sessionId, options: generate } = request;
  const tools = wireToolsOf(request.tools, dialect);
  const choice = wireChoice(generate.toolChoice, tools, dialect);
  const offered = [
    ...tools.map(({ name, description, inputSchema }) => ({
      type: "function",
      name,
      description,
      parameters: inputSchema,
      strict: false,
    })),
    ...builtInTools,
  ];
  return {
    model,
    store: false,
    ...(!WITHOUT_REASONING.test(model) && { include: ["reasoning.encrypted_content"] }),
    ...(offered.length > 0 && { tools: offered }),
    ...(choice !== undefined && { tool_choice: toToolChoice(choice) }),
    ...(output && { text: { format: { type: "json_schema", ...output } } }),
    ...(compactAt !== undefined && {
      context_management: [{ type: "compaction", compact_threshold: compactAt }],
    }),
    ...generateFields(generate, options.reasoningSummary),
    ...(sendCacheKey && sessionId !== undefined && { prompt_cache_key: sessionId }),
    ...generate.extraBody,
    input: inputItemsOf(request.messages, { ...options, host: hostNameOf(baseURL) }),
    stream: true,
  };
}

function toToolChoice(choice: ToolChoice) {
  return typeof choice === "string" ? choice : { type: "function", name: choice.name };
}

function generateFields(
  generate: GenerateOptions,
  summary: ResponsesOptions["reasoningSummary"],
): JsonObject {
  const { reasoningEffort: effort } = generate;
  const reasoning = { ...(effort !== undefined && { effort }), ...(summary !== undefined && { summary }) };
  const fields = {
    temperature: generate.temperature,
    top_p: generate.topP,
    max_output_tokens: generate.maxTokens,
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}
