// src/testing helps to test agents and adapters: a scripted model, a loopback server, and contract suites.
export { chatCompletionsServer } from "./chat-completions-server.ts";
export type {
  ChatCompletionsAnswer,
  ChatCompletionsFailure,
  ChatCompletionsResponder,
  ChatCompletionsServer,
  ChatCompletionsServerOptions,
  ChatCompletionsUsage,
} from "./chat-completions-server.ts";
export type {
  ChatCompletionsMessage,
  ChatCompletionsRequest,
  ChatCompletionsToolCall,
} from "./chat-completions-request.ts";
export { emulateHost } from "./host-emulation.ts";
export type { HostEmulation, HostEmulationOptions } from "./host-emulation.ts";
export { EMULATED_HOSTS, type EmulatedHost } from "./host-tools.ts";
export { hostRefusal } from "./host-refusal.ts";
export { scriptedModel } from "./scripted-model.ts";
export type { ScriptedCall, ScriptedModel, ScriptedTurn } from "./scripted-model.ts";
export { recordModel, type RecordOptions } from "./recordings/record-model.ts";
export { replayModel, type ReplayModel, type ReplayModelOptions } from "./recordings/replay-model.ts";
export { modelContract } from "./model-contract.ts";
export type { ModelRecording } from "./model-recording.ts";
export type { ModelOverFetch } from "./recording-contract.ts";
export type { ModelBehaviour, ModelContractOptions, ModelUnderTest } from "./model-contract.ts";
export { storeContract } from "./store-contract.ts";
export type { StoreContractOptions, StoreUnderTest } from "./store-contract.ts";
export { memoryContract } from "./memory-contract.ts";
export type { MemoryContractOptions, MemoryUnderTest } from "./memory-contract.ts";
export { knowledgeContract } from "./knowledge-contract.ts";
export type { KnowledgeContractOptions, KnowledgeUnderTest } from "./knowledge-contract.ts";
export { hashingEmbedder } from "./hashing-embedder.ts";
export { queueContract } from "./queue-contract.ts";
export type { QueueContractOptions, QueueUnderTest } from "./queue-contract.ts";
export { workspaceContract } from "./workspace-contract.ts";
export type { WorkspaceContractOptions, WorkspaceUnderTest } from "./workspace-contract.ts";
export { crashTest } from "./crash/crash-test.ts";
export type {
  CrashAdvice,
  CrashFinding,
  CrashFindingKind,
  CrashReport,
  CrashRun,
  CrashScenario,
  CrashTestOptions,
} from "./crash/types.ts";
