export { createAgent } from "./agent/create-agent.ts";
export { rerun } from "./agent/rerun.ts";
export type { Rerun, RerunOptions } from "./agent/rerun.ts";
export { defineAgent } from "./agent/options/define-agent.ts";
export type { AgentClass, InstanceConfig } from "./agent/options/define-agent.ts";
export type { CompactionOptions, CompactionResult } from "./agent/types.ts";
export type { AgentEvent, AgentEventBody } from "./event/types.ts";
export type {
  Agent,
  AgentSlots,
  AgentStream,
  Budget,
  CallOptions,
  DecideOptions,
  Input,
  PartialOf,
  Reply,
  RetryOptions,
  Snapshot,
  Status,
  StreamEvent,
  StreamOptions,
} from "./agent/types.ts";
export type {
  AgentConfig,
  AgentWatcher,
  Handoff,
  Inspector,
  Permissions,
  Persona,
} from "./agent/options/agent-config.ts";
export type {
  ModelOptions,
  SessionOptions,
  ToolOptions,
  TurnOptions,
} from "./agent/options/config-groups.ts";
export { AgentError } from "./base/error.ts";
export type { AgentErrorOptions, ErrorCode, ErrorInfo } from "./base/error.ts";
export { redactSecrets } from "./base/secrets.ts";
export { defineHook } from "./hook/define.ts";
export type {
  Chunk,
  CompactionPatch,
  CompactionPlan,
  Hook,
  HookEvent,
  Printed,
  Prompt,
  PromptPatch,
  ReasoningPatch,
} from "./hook/types.ts";
export { assistantMsg, systemMsg, toolResultMsg, userMsg } from "./message/create.ts";
export { textOf, toolResultsOf, toolUsesOf } from "./message/query.ts";
export { REASONS } from "./message/types.ts";
export type { Json, JsonObject } from "./base/json.ts";
export { accountLines, ranInput } from "./message/account.ts";
export { sourcesOf } from "./message/sources.ts";
export type { AnswerSource } from "./message/sources.ts";
export type {
  Block,
  CallAccount,
  ChangedBy,
  FinishReason,
  MediaBlock,
  Msg,
  ProviderBlock,
  ReachedLimit,
  Reason,
  Recorded,
  Role,
  Source,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolResultState,
  ToolUseBlock,
  Usage,
} from "./message/types.ts";
export type {
  ChatModel,
  Execution,
  GenerateOptions,
  LeftOutTool,
  ModelRequest,
  StreamPart,
  ToolChoice,
  ToolSpec,
} from "./model/port.ts";
export type { EmbedOptions, Embedder } from "./model/embedder.ts";
export type { SessionStore } from "./store/port.ts";
export type { ArgumentsOf, CallsOf, OtherTool } from "./tool/calls.ts";
export { defineTool } from "./tool/define.ts";
export type { ToolDefinition } from "./tool/define.ts";
export { defineSlot } from "./tool/slot.ts";
export type { SlotDefinition } from "./tool/slot.ts";
export { suspend, toolError } from "./tool/suspend.ts";
export type { AskOptions, SuspendOptions } from "./tool/suspend.ts";
export { createToolkit } from "./tool/toolkit.ts";
export { toolsFrom } from "./tool/tools-from.ts";
export type { ToolMethods, ToolRow } from "./tool/tools-from.ts";
export type {
  Group,
  OutputOf,
  PermissionAction,
  Resumed,
  Schema,
  Slot,
  SlotReader,
  SlotWrites,
  StandardSchema,
  Suspension,
  Tool,
  ToolContext,
  Toolkit,
  ToolkitOptions,
  ToolOutcome,
  ToolReturn,
} from "./tool/types.ts";
export type { AgentChange } from "./tool/fingerprint.ts";
export type { ClientTool } from "./tool/declared-tools.ts";
export type { AnyCall, Ask, Decision, PendingCall, WaitsFor } from "./tool/pending.ts";
