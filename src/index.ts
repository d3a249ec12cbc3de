export { createAgent } from "./agent/create-agent.ts";
export { defineAgent } from "./agent/options/define-agent.ts";
export type { AgentClass, InstanceConfig } from "./agent/options/define-agent.ts";
export type { CompactionOptions, CompactionResult } from "./agent/types.ts";
export type { AgentEvent, AgentEventBody } from "./core/event/types.ts";
export type {
  Agent,
  AnyAgent,
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
  AnyAgentConfig,
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
export { AgentError } from "./core/base/error.ts";
export type { AgentErrorOptions, ErrorCode, ErrorInfo } from "./core/base/error.ts";
export { redactSecrets } from "./core/base/secrets.ts";
export { defineHook } from "./core/hook/define.ts";
export type {
  Chunk,
  CompactionPatch,
  CompactionPlan,
  Hook,
  AnyHook,
  HookEvent,
  Printed,
  Prompt,
  PromptPatch,
  ReasoningPatch,
} from "./core/hook/types.ts";
export { assistantMsg, systemMsg, toolResultMsg, userMsg } from "./core/message/msg.ts";
export { textOf, toolResultsOf, toolUsesOf } from "./core/message/msg.ts";
export { REASONS } from "./core/message/types.ts";
export type { Json, JsonObject } from "./core/base/json.ts";
export { accountLines, ranInput } from "./core/message/account.ts";
export { sourcesOf } from "./core/message/msg.ts";
export type { AnswerSource } from "./core/message/msg.ts";
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
} from "./core/message/types.ts";
export type {
  ChatModel,
  Execution,
  GenerateOptions,
  LeftOutTool,
  ModelRequest,
  StreamPart,
  ToolChoice,
  ToolSpec,
} from "./core/model/port.ts";
export type { EmbedOptions, Embedder } from "./core/model/embedder.ts";
export type { SessionStore } from "./store/port.ts";
export type { ArgumentsOf, CallsOf, OtherTool } from "./core/tool/calls.ts";
export { defineTool } from "./core/tool/define.ts";
export type { ToolDefinition } from "./core/tool/define.ts";
export { defineSlot } from "./core/tool/slot.ts";
export type { SlotDefinition } from "./core/tool/slot.ts";
export { suspend, toolError } from "./core/tool/suspend.ts";
export type { AskOptions, SuspendOptions } from "./core/tool/suspend.ts";
export { createToolkit } from "./core/tool/toolkit.ts";
export { toolsFrom } from "./core/tool/tools-from.ts";
export type { ToolMethods, ToolRow } from "./core/tool/tools-from.ts";
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
  AnyTool,
  ToolContext,
  AnyToolContext,
  Toolkit,
  AnyToolkit,
  ToolkitOptions,
  ToolOutcome,
  ToolReturn,
} from "./core/tool/types.ts";
export type { AgentChange } from "./core/tool/fingerprint.ts";
export type { ClientTool } from "./core/tool/declared-tools.ts";
export type { AnyCall, Ask, Decision, PendingCall, WaitsFor } from "./core/tool/pending.ts";
