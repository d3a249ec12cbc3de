// src/core/event defines what an agent reports while it works: the event types, their emitter, and a buffer for slow readers.
import type { ErrorInfo } from "../base/error.ts";
import type { Json } from "../base/json.ts";
import type { Chunk } from "../hook/types.ts";
import type {
  FinishReason,
  Msg,
  ReachedLimit,
  Reason,
  TakeOver,
  ToolResultBlock,
  ToolUseBlock,
  Usage,
} from "../message/types.ts";
import type { AgentChange } from "../tool/fingerprint.ts";
import type { AnyCall, PendingCall } from "../tool/pending.ts";

type EventBase = {
  /** Journal position of the last durable fact; 0 without a store. */
  readonly seq: number;
  /** Number of the event in this process, rising by 1 for each event that is emitted. */
  readonly n: number;
  /** Epoch ms. */
  readonly at: number;
  /** Number of the turn in the session, from 1; 0 before the first turn. */
  readonly turn: number;
  /** The position at which a subscriber goes on that has seen this event, for `after` and for `Last-Event-ID`: "12.0" is the first event of
   *  journal entry 12. Only events that are read from a journal have it. */
  readonly position?: string;
  /** The names of the agents inside of which it happened, the outermost first; absent for an event of the session itself. Its message
   *  and call ids begin with the id of the call inside of which it happened, and "/". */
  readonly source?: readonly string[];
};
type Phase = "reasoning" | "summary";
type ModelPhase = Phase | "compaction";

/** The body of an event. Every start event is followed by its end event, also if the turn fails. */
export type AgentEventBody<Calls extends AnyCall = AnyCall> =
  /** A call was accepted. `resumed` is true if it goes on with a turn that was suspended or cut off. */
  | { readonly type: "turn.start"; readonly input: readonly Msg[]; readonly resumed: boolean }
  /** The chart has entered a state in which it rests or waits for a service, such as "reasoning.calling". */
  | { readonly type: "state"; readonly value: string }
  /** A request to the model begins. `messageId` is the id of the answer; `attempt` counts from 1. */
  | {
      readonly type: "model.start";
      readonly messageId: string;
      readonly phase: ModelPhase;
      readonly model: string;
      readonly attempt: number;
    }
  /** The request has ended; with `error` if it failed. */
  | {
      readonly type: "model.end";
      readonly messageId: string;
      readonly finishReason: FinishReason;
      readonly usage?: Usage;
      readonly error?: ErrorInfo;
    }
  /** A block of the answer begins or ends; a listener that comes later gets nothing of an open block. One block of a message is open at a time; `index` numbers them from 0. A tool call has
   *  `callId` and `name`. */
  | {
      readonly type: "block.start" | "block.end";
      readonly messageId: string;
      readonly phase: Phase;
      readonly index: number;
      readonly kind: Chunk["kind"];
      readonly callId?: string;
      readonly name?: string;
    }
  /** The open block has grown by `delta`: text, or the argument string of a call. */
  | ({
      readonly type: "block.delta";
      readonly phase: Phase;
      readonly index: number;
      /** The whole block so far; only in a stream with `cumulative: true`. */
      readonly soFar?: string;
    } & Omit<Chunk, "soFar">)
  /** The structured answer that was asked for has grown. The event has all of it so far, as the model gives it, which fits the schema but
   *  for what may still come. It replaces the one before. If the answer is refused or asked for again, it begins again. */
  | { readonly type: "output.partial"; readonly messageId: string; readonly value: Json }
  /** The prompt is being made shorter. It is near the model's window, the model has refused it, `compact()` was called, or a persona takes
   *  over that sees a summary. */
  | {
      readonly type: "compaction.start";
      readonly cause: "threshold" | "overflow" | "manual" | "handoff";
      /** The size of the prompt, an estimate in tokens of the provider. */
      readonly tokensBefore: number;
    }
  /** The prompt is shorter: old results are cleared, or messages are summed up. Or nothing has changed, because of `error`, or because
   *  the turn was interrupted. */
  | {
      readonly type: "compaction.end";
      readonly tokensAfter: number;
      readonly did: "clear" | "summarise" | "nothing";
      readonly error?: ErrorInfo;
    }
  /** A message was added to the transcript, as it is stored, after hooks. */
  | { readonly type: "message"; readonly phase: Phase | "other"; readonly message: Msg }
  /** An attempt of a tool call begins; `attempt` counts from 1. Each call that the model asks for has a start and an end, also one that is
   *  not run: then `attempt` is 0, and the end follows at once. So it is for a call that is denied, has invalid arguments or names no tool,
   *  that waits for an approval, whose result comes from elsewhere, or whose turn is interrupted. The tool that gives structured answers
   *  is not one of these: it has no events. */
  | {
      readonly type: "tool.start";
      readonly call: Omit<ToolUseBlock, keyof AnyCall> & Calls;
      readonly attempt: number;
    }
  /** The running tool has reported progress with `emit`. */
  | { readonly type: "tool.delta"; readonly callId: string; readonly delta: string }
  /** The attempt has ended with this result, before hooks; a call that waits has the state `suspended`, and starts again once it goes on.
   *  An attempt that is repeated ends with `retry` instead. */
  | {
      readonly type: "tool.end";
      readonly callId: string;
      readonly result: ToolResultBlock & { readonly name: Calls["name"] };
      readonly durationMs: number;
    }
  /** The turn is suspended until these calls are answered or decided. */
  | { readonly type: "pending"; readonly calls: readonly PendingCall<Calls>[] }
  /** Attempt number `attempt` has failed and will be repeated at `until`, epoch ms. It is an attempt of the tool call `callId`, or of the
   *  model if that is absent. */
  | {
      readonly type: "retry";
      readonly callId?: string;
      readonly attempt: number;
      readonly until: number;
      readonly error: ErrorInfo;
    }
  /** A slot of the session was written; `revision` counts its writes. */
  | { readonly type: "slot"; readonly name: string; readonly value: Json; readonly revision: number }
  /** This process has taken the session over from one that had not released it. */
  | ({ readonly type: "session.taken" } & TakeOver)
  /** The session was in the middle of a turn of another agent, and goes on with this one. */
  | { readonly type: "agent.changed"; readonly change: AgentChange }
  /** The session was handed over from one persona to another; null stands for the agent itself. */
  | { readonly type: "handoff"; readonly from: string | null; readonly to: string | null }
  /** A tool is not offered to the model, since its provider would refuse every request for it. Once for each tool and model. */
  | { readonly type: "tool.omitted"; readonly tool: string; readonly model: string; readonly reason: string }
  /** A hook has failed at a point where that does not fail the turn. */
  | { readonly type: "hook.failed"; readonly hook: string; readonly error: ErrorInfo }
  /** An input that another process sent to the session was refused. */
  | { readonly type: "input.refused"; readonly inputId: string; readonly error: ErrorInfo }
  /** The turn is over: the last event of a turn, emitted once. With `error`, iterating over the stream throws it next. `limit` is the one that the
   *  turn has reached, if it ended or rests for that. Read from a journal, it has a `reply` only if hooks have made that another one than the
   *  answer that is stored. */
  | {
      readonly type: "turn.end";
      readonly reason: Reason;
      readonly reply?: Msg;
      readonly limit?: ReachedLimit;
      readonly error?: ErrorInfo;
    };

/** An event of an agent: its position and its body. Events are deeply frozen. `Calls`: see {@link CallsOf}. */
export type AgentEvent<Calls extends AnyCall = AnyCall> = EventBase & AgentEventBody<Calls>;
