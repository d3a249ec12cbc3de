import type { Json } from "../core/base/json.ts";
import type { Usage } from "../core/message/types.ts";

/** Who has said it: the call inside of which a sub-agent runs; absent for the agent itself. */
type Attributed = { readonly subagentRunId?: string };

/** A message of AG-UI, version 1.0, as a page keeps it. */
export type AgUiMessage = Attributed & MessageBody;

type MessageBody =
  | { readonly id: string; readonly role: "user" | "reasoning"; readonly content: string }
  | {
      readonly id: string;
      readonly role: "assistant";
      readonly content?: string;
      readonly toolCalls?: readonly {
        readonly id: string;
        readonly type: "function";
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    }
  | { readonly id: string; readonly role: "tool"; readonly toolCallId: string; readonly content: string };

/** Something that a run waits for. `id` binds an answer to the call with its arguments; the page sends it back in `resume`. */
export type AgUiInterrupt = {
  readonly id: string;
  /** The answer for which it waits, such as "approval" or "answer". */
  readonly reason: string;
  readonly message?: string;
  readonly toolCallId: string;
  /** JSON Schema of `payload`. */
  readonly responseSchema?: { readonly [field: string]: Json };
  /** ISO 8601. */
  readonly expiresAt?: string;
};

/** The state of an agent as a page of AG-UI has it. */
export type AgUiState = {
  /** The state of the chart, such as "reasoning.calling"; null before the first one of the run. */
  readonly state: string | null;
  /** The usage of the answers in the transcript. */
  readonly usage: Usage;
  /** The slots "plan" and "todos"; null if they were not written. */
  readonly plan: Json;
  readonly todos: Json;
};

type Run = { readonly threadId: string; readonly runId: string };
type Named = { readonly messageId: string };
type Call = { readonly toolCallId: string };

/** The events of AG-UI, version 1.0, that a turn of an agent needs. They are those of `@ag-ui/core`, without depending on it. */
export type AgUiEvent = Attributed & EventBody;

type EventBody =
  | (Run & { readonly type: "RUN_STARTED"; readonly protocolVersion: "1.0" })
  | (Run & {
      readonly type: "RUN_FINISHED";
      /** `finishReason`: how the model ended its last answer, unless it came to its end by itself. */
      readonly result?: { readonly reason: string; readonly finishReason?: string };
      readonly outcome:
        | { readonly type: "success"; readonly pendingToolCallIds?: readonly string[] }
        | { readonly type: "interrupt"; readonly interrupts: readonly AgUiInterrupt[] }
        | { readonly type: "cancelled" };
    })
  | { readonly type: "RUN_ERROR"; readonly message: string; readonly code: string }
  | { readonly type: "STEP_STARTED" | "STEP_FINISHED"; readonly stepName: string }
  | (Named & { readonly type: "TEXT_MESSAGE_START"; readonly role: "assistant" | "user" })
  | (Named & { readonly type: "REASONING_MESSAGE_START"; readonly role: "reasoning" })
  | (Named & {
      readonly type: "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT";
      readonly delta: string;
    })
  | (Named & {
      readonly type: "TEXT_MESSAGE_END" | "REASONING_START" | "REASONING_MESSAGE_END" | "REASONING_END";
    })
  | (Call & {
      readonly type: "TOOL_CALL_START";
      readonly toolCallName: string;
      readonly parentMessageId: string;
    })
  | (Call & { readonly type: "TOOL_CALL_ARGS"; readonly delta: string })
  | (Call & { readonly type: "TOOL_CALL_END" })
  | (Call & Named & { readonly type: "TOOL_CALL_RESULT"; readonly content: string; readonly role: "tool" })
  | { readonly type: "MESSAGES_SNAPSHOT"; readonly messages: readonly AgUiMessage[] }
  | { readonly type: "STATE_SNAPSHOT"; readonly snapshot: AgUiState }
  | {
      readonly type: "STATE_DELTA";
      /** A patch of RFC 6902. */
      readonly delta: readonly {
        readonly op: "replace";
        readonly path: string;
        readonly value: AgUiState[keyof AgUiState];
      }[];
    }
  | {
      readonly type: "SUBAGENT_STARTED";
      readonly subagentRunId: string;
      readonly name: string;
      readonly parentToolCallId: string;
      readonly parentSubagentRunId?: string;
    }
  | {
      readonly type: "SUBAGENT_FINISHED";
      readonly subagentRunId: string;
      readonly outcome:
        | { readonly type: "success" }
        | { readonly type: "suspended"; readonly interruptIds: readonly string[] };
    }
  | { readonly type: "SUBAGENT_ERROR"; readonly subagentRunId: string; readonly message: string }
  | { readonly type: "CUSTOM"; readonly name: string; readonly value: Json };
