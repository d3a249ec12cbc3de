// src/kit/otel follows the turns of agents with spans and metrics of OpenTelemetry.

/** The text of the GenAI conventions that the names below follow: open-telemetry/semantic-conventions-genai as of November 2026. They
 *  are in development; a name that changes there is changed here and nowhere else. */
export const SEMCONV = "genai-2026-11";

/** The name of the tracer and of the meter. */
export const SCOPE = "agentchart";

/** Values of `gen_ai.operation.name`. */
export const OPERATION = {
  /** A turn, or its part between two rests. */
  agent: "invoke_agent",
  /** One attempt of a model call. */
  chat: "chat",
  /** One attempt of a tool call, in which the tool itself runs. */
  tool: "execute_tool",
  /** A search in documents. */
  retrieval: "retrieval",
  /** A search in a long-term memory. */
  searchMemory: "search_memory",
  /** A write to a long-term memory. */
  upsertMemory: "upsert_memory",
  /** A deletion in a long-term memory. */
  deleteMemory: "delete_memory",
} as const;

/** The value that stands for a value of an enumeration that the conventions do not have. */
export const OTHER = "_OTHER";

/** Attributes of the conventions. */
export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agent: "gen_ai.agent.name",
  conversation: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  temperature: "gen_ai.request.temperature",
  topP: "gen_ai.request.top_p",
  topK: "gen_ai.request.top_k",
  maxTokens: "gen_ai.request.max_tokens",
  seed: "gen_ai.request.seed",
  stop: "gen_ai.request.stop_sequences",
  frequencyPenalty: "gen_ai.request.frequency_penalty",
  presencePenalty: "gen_ai.request.presence_penalty",
  responseId: "gen_ai.response.id",
  finishReasons: "gen_ai.response.finish_reasons",
  firstChunk: "gen_ai.response.time_to_first_chunk",
  outputType: "gen_ai.output.type",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheRead: "gen_ai.usage.cache_read.input_tokens",
  cacheWrite: "gen_ai.usage.cache_creation.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  tool: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  toolDescription: "gen_ai.tool.description",
  callId: "gen_ai.tool.call.id",
  arguments: "gen_ai.tool.call.arguments",
  result: "gen_ai.tool.call.result",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  system: "gen_ai.system_instructions",
  definitions: "gen_ai.tool.definitions",
  modality: "gen_ai.token.modality",
  errorType: "error.type",
  serverAddress: "server.address",
  serverPort: "server.port",
} as const;

/** Attributes, span names and events of our own. */
export const OWN = {
  /** Version of the conventions that the names follow. */
  semconv: "agentchart.semconv",
  /** Number of the turn in its session. */
  turn: "agentchart.turn",
  /** True for a turn that goes on after a rest or in another process. */
  resumed: "agentchart.resumed",
  /** Reason for which the turn came to rest, such as `MODEL_STOP`. */
  reason: "agentchart.reason",
  /** State of the chart: at the end of the turn, or of the metric. */
  state: "agentchart.state",
  /** Iterations of the turn. */
  iterations: "agentchart.iterations",
  /** Purpose of a model call: reasoning, summary or compaction. */
  phase: "agentchart.phase",
  /** Number of the attempt, from 1. */
  attempt: "agentchart.attempt",
  /** Permission by which the call runs. */
  permission: "agentchart.permission",
  /** Hooks and people that changed the arguments of the call. */
  changedBy: "agentchart.call.changed_by",
  /** Person who decided the call; only with content. */
  decidedBy: "agentchart.call.decided_by",
  /** Idempotency key of the call. */
  idempotencyKey: "agentchart.idempotency_key",
  /** State of the result of the call. */
  result: "agentchart.result",
  /** Message of the error; only with content. */
  errorMessage: "agentchart.error.message",
  /** True for a span whose work was cut off by the end of its turn. */
  cutOff: "agentchart.cut_off",
  /** True if content was shortened. */
  isShortened: "agentchart.content.is_shortened",
  /** Event of a span: an edge of the chart was taken. */
  transition: "agentchart.transition",
  /** State that the edge leaves. */
  from: "agentchart.transition.from",
  /** State that the edge enters. */
  to: "agentchart.transition.to",
  /** Event of the chart that took the edge. */
  event: "agentchart.transition.event",
  /** Event of a span: the session was taken over from another process. */
  taken: "agentchart.session.taken",
  /** Process that had the session. */
  takenFrom: "agentchart.session.taken_from",
  /** Process that has taken it over. */
  takenBy: "agentchart.session.taken_by",
  /** Number of times that the session was taken over. */
  takeovers: "agentchart.session.takeovers",
  /** True if the session was taken over in the middle of a turn. */
  isUnfinished: "agentchart.session.is_unfinished",
  /** Thing that a suspended session waits for. */
  waitsFor: "agentchart.waits_for",
  /** Edge of the chart that a metric counts. */
  edge: "agentchart.edge",
  /** Span of a compaction. */
  compaction: "compaction",
  /** Cause of a compaction. */
  cause: "agentchart.compaction.cause",
  /** Kind of a compaction: clear, summarise or nothing. */
  did: "agentchart.compaction.did",
  /** Tokens of the prompt before its compaction. */
  tokensBefore: "agentchart.compaction.tokens_before",
  /** Tokens of the prompt after its compaction. */
  tokensAfter: "agentchart.compaction.tokens_after",
  /** Number of memories that were found. */
  found: "agentchart.memory.found",
  /** Number of passages that were found. */
  retrieved: "agentchart.retrieval.found",
  /** Number of memories that were written. */
  kept: "agentchart.memory.kept",
  /** Number of memories that were deleted. */
  removed: "agentchart.memory.removed",
  /** Time to the first part of an answer, s. */
  firstPart: "agentchart.first_part",
} as const;

/** Metrics: name, unit, description. */
export const METRIC = {
  duration: ["gen_ai.client.operation.duration", "s", "Duration of one attempt of a model call."],
  firstChunk: ["gen_ai.client.operation.time_to_first_chunk", "s", "Time to the first part of an answer."],
  inputTokens: ["gen_ai.client.inference.usage.input_tokens", "{token}", "Tokens of prompts."],
  outputTokens: ["gen_ai.client.inference.usage.output_tokens", "{token}", "Tokens of answers."],
  cacheRead: ["gen_ai.client.inference.usage.cache_read.input_tokens", "{token}", "Tokens read from caches."],
  cacheWrite: [
    "gen_ai.client.inference.usage.cache_write.input_tokens",
    "{token}",
    "Tokens written to caches.",
  ],
  reasoningTokens: [
    "gen_ai.client.inference.usage.reasoning.output_tokens",
    "{token}",
    "Tokens of reasoning.",
  ],
  inputPerCall: ["gen_ai.client.inference.operation.input_tokens", "{token}", "Tokens of one prompt."],
  outputPerCall: ["gen_ai.client.inference.operation.output_tokens", "{token}", "Tokens of one answer."],
  tool: ["gen_ai.execute_tool.duration", "s", "Duration of one attempt of a tool call."],
  agent: ["gen_ai.invoke_agent.duration", "s", "Duration of a turn, or of its part in one process."],
  state: ["agentchart.state.duration", "s", "Time in a top-level state of the chart."],
  turns: ["agentchart.turns", "{turn}", "Turns that came to rest."],
  suspended: ["agentchart.suspended", "{session}", "Sessions suspended, less those that went on."],
  retries: ["agentchart.retries", "{attempt}", "Attempts after the first."],
  compactions: ["agentchart.compactions", "{compaction}", "Compactions of prompts."],
  edges: ["agentchart.edges", "{edge}", "Edges of the chart that were taken."],
} as const;
