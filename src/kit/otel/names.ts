// src/kit/otel follows the turns of agents with spans and metrics of OpenTelemetry.

/** The text of the GenAI conventions that the names below follow: open-telemetry/semantic-conventions-genai as of November 2026. They
 *  are in development; a name that changes there is changed here and nowhere else. */
export const SEMCONV = "genai-2026-11";

/** The name of the tracer and of the meter. */
export const SCOPE = "agentchart";

/** Values of `gen_ai.operation.name`. */
export const OPERATION = {
  agent: "invoke_agent",
  chat: "chat",
  tool: "execute_tool",
  retrieval: "retrieval",
  searchMemory: "search_memory",
  upsertMemory: "upsert_memory",
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
  semconv: "agentchart.semconv",
  turn: "agentchart.turn",
  resumed: "agentchart.resumed",
  reason: "agentchart.reason",
  state: "agentchart.state",
  iterations: "agentchart.iterations",
  phase: "agentchart.phase",
  attempt: "agentchart.attempt",
  permission: "agentchart.permission",
  changedBy: "agentchart.call.changed_by",
  decidedBy: "agentchart.call.decided_by",
  idempotencyKey: "agentchart.idempotency_key",
  result: "agentchart.result",
  errorMessage: "agentchart.error.message",
  cutOff: "agentchart.cut_off",
  isShortened: "agentchart.content.is_shortened",
  transition: "agentchart.transition",
  from: "agentchart.transition.from",
  to: "agentchart.transition.to",
  event: "agentchart.transition.event",
  taken: "agentchart.session.taken",
  takenFrom: "agentchart.session.taken_from",
  takenBy: "agentchart.session.taken_by",
  takeovers: "agentchart.session.takeovers",
  isUnfinished: "agentchart.session.is_unfinished",
  waitsFor: "agentchart.waits_for",
  edge: "agentchart.edge",
  compaction: "compaction",
  cause: "agentchart.compaction.cause",
  did: "agentchart.compaction.did",
  tokensBefore: "agentchart.compaction.tokens_before",
  tokensAfter: "agentchart.compaction.tokens_after",
  found: "agentchart.memory.found",
  retrieved: "agentchart.retrieval.found",
  kept: "agentchart.memory.kept",
  removed: "agentchart.memory.removed",
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
