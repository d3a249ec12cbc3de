import type { Execution, GenerateOptions, JsonObject, Msg } from "agentchart";
import type { PlanNotebookOptions } from "agentchart/plan";
import type { SavedParts } from "agentchart/session";

export type NormalBlock = {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: JsonObject;
  suspended?: boolean;
};
export type NormalMsg = { role: Msg["role"]; name: string; blocks: NormalBlock[]; [field: string]: unknown };
export type InputBlock = NormalBlock & { thinking?: string; output?: string[]; raw?: string };
/** Messages come in with `content`, and come back from hooks with `blocks`. */
export type InputMsg = {
  role: Msg["role"];
  name?: string;
  text?: string;
  metadata?: JsonObject;
  content?: InputBlock[];
  blocks?: InputBlock[];
};
export type NormalUsage = { input?: number; output?: number; time?: number };
export type NormalChoice = { type: "auto" | "none" | "required" | "specific"; name?: string };
export type NormalExecution = Omit<Execution, "retryOn"> & { retryOn?: "all" | string[] };
export type NormalOptions = Omit<GenerateOptions, "toolChoice" | "extraHeaders" | "extraBody"> & {
  toolChoice?: NormalChoice | null;
  execution?: NormalExecution;
  maxCompletionTokens?: number;
  parallelToolCalls?: boolean;
  additionalHeaders?: { [name: string]: string };
  additionalBodyParams?: JsonObject;
};

export type RunnerPart = { blocks: (NormalBlock & { raw?: string; args?: string })[]; usage?: NormalUsage };
export type RunnerModel = { name: string; stream(request: object): AsyncIterable<RunnerPart> };
type ToolAnswer = { text?: string; error?: string; suspend?: string | null } | undefined;
export type RunnerTool = {
  name: string;
  description: string;
  schema: JsonObject;
  groups: string[];
  preset?: JsonObject;
  external: boolean;
  execute(input: unknown, ctx: object): Promise<ToolAnswer>;
};
export type RunnerHook = {
  name: string;
  priority?: number;
  tools?: RunnerTool[];
  handle(event: object): Promise<void>;
};
export type RunnerMemory = {
  retrieve(query: string): Promise<string>;
  record(messages: InputMsg[]): Promise<void>;
};
export type RunnerKnowledge = {
  retrieve(query: string, options: { limit: number }): Promise<{ id: string; text: string; score: number }[]>;
};
export type Env = {
  ltm?: RunnerMemory;
  knowledge?: RunnerKnowledge[];
  model: RunnerModel;
  tools: RunnerTool[];
  hooks: RunnerHook[];
  memory?: InputMsg[];
  userChunk?: (text: string) => void;
  sharedToolkit?: object;
};
export type Spec = {
  persistence?: Omit<SavedParts, "slots"> & { plan?: boolean };
  name?: string;
  sysPrompt?: string;
  maxIters?: number;
  parallel?: boolean;
  options?: NormalOptions;
  execution?: { model?: NormalExecution; tool?: NormalExecution };
  enablePendingToolRecovery?: boolean;
  enableMetaTool?: boolean;
  structuredReminder?: "TOOL_CHOICE" | "PROMPT";
  groups?: { name: string; description?: string; active?: boolean }[];
  plan?: PlanNotebookOptions;
  ltmMode?: "AGENT_CONTROL" | "STATIC_CONTROL" | "BOTH";
  ltmAsyncRecord?: boolean;
  ragMode?: "GENERIC" | "AGENTIC" | "NONE";
  ragLimit?: number;
};
export type StreamOptions = {
  incremental?: boolean;
  eventTypes?: string[];
  includeReasoningChunk?: boolean;
  includeReasoningResult?: boolean;
  includeActingChunk?: boolean;
  includeSummaryChunk?: boolean;
  includeSummaryResult?: boolean;
  schema?: JsonObject;
};

export function notOffered(what: string): never {
  throw new Error(`not offered: ${what}`);
}
