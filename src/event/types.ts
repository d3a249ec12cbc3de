import type { ErrorInfo } from "../base/error.ts";
import type { Chunk } from "../hook/types.ts";
import type { Msg, Reason, ToolResultBlock, ToolUseBlock, Usage } from "../message/types.ts";
import type { FinishReason } from "../model/port.ts";
import type { PendingCall } from "../tool/pending.ts";

type EventBase = {
  /** Journal position of the last durable fact. */
  readonly seq: number;
  /** Number of the event in this process, rising by 1. */
  readonly n: number;
  /** Epoch ms. */
  readonly at: number;
  readonly turn: number;
};
type Phase = "reasoning" | "summary";

/** The body of an event. Every start has its end, also on error. */
export type AgentEventBody =
  | { readonly type: "turn.start"; readonly input: readonly Msg[]; readonly resumed: boolean }
  /** A state that was rested in or worked in, as "reasoning.calling.running". */
  | { readonly type: "state"; readonly value: string }
  | {
      readonly type: "model.start";
      readonly messageId: string;
      readonly phase: Phase;
      readonly model: string;
      readonly attempt: number;
    }
  | {
      readonly type: "model.end";
      readonly messageId: string;
      readonly finishReason: FinishReason;
      readonly usage?: Usage;
      readonly error?: ErrorInfo;
    }
  | {
      readonly type: "block.start" | "block.end";
      readonly messageId: string;
      readonly phase: Phase;
      readonly index: number;
      readonly kind: Chunk["kind"];
      readonly callId?: string;
      readonly name?: string;
    }
  | ({
      readonly type: "block.delta";
      readonly phase: Phase;
      readonly index: number;
      /** The whole block so far: only in a stream that is `cumulative`. */
      readonly soFar?: string;
    } & Omit<Chunk, "soFar">)
  /** A message as stored, after hooks. */
  | { readonly type: "message"; readonly phase: Phase | "other"; readonly message: Msg }
  | { readonly type: "tool.start"; readonly call: ToolUseBlock; readonly attempt: number }
  | { readonly type: "tool.delta"; readonly callId: string; readonly delta: string }
  | {
      readonly type: "tool.end";
      readonly callId: string;
      readonly result: ToolResultBlock;
      readonly durationMs: number;
    }
  | { readonly type: "pending"; readonly calls: readonly PendingCall[] }
  /** A failed attempt will be repeated at `until`; without `callId` it is the model's. */
  | {
      readonly type: "retry";
      readonly callId?: string;
      readonly attempt: number;
      readonly until: number;
      readonly error: ErrorInfo;
    }
  | { readonly type: "hook.failed"; readonly hook: string; readonly error: ErrorInfo }
  /** Something that was sent to the session from another process came to nothing, and why. */
  | { readonly type: "input.refused"; readonly inputId: string; readonly error: ErrorInfo }
  /** Always last, once; with an error the iteration then throws it. */
  | { readonly type: "turn.end"; readonly reason: Reason; readonly reply?: Msg; readonly error?: ErrorInfo };

export type AgentEvent = EventBase & AgentEventBody;
