import type { AgentError, ErrorInfo } from "../core/base/error.ts";
import type { Json } from "../core/base/json.ts";
import type { Msg } from "../core/message/types.ts";
import type { Lease } from "../store/port.ts";
import type { Decision, PendingCall } from "../core/tool/pending.ts";
import type { OutputOf, Schema } from "../core/tool/types.ts";
import type {
  CompactionResult,
  AnyAgent,
  Budget,
  CallOptions,
  DecideOptions,
  Input,
  Reply,
} from "./types.ts";
import type { Journal } from "../session/journal.ts";
import type { TurnStats } from "../../machines/agent/context.ts";

/**
 * An agent as a worker drives it from the inbox of its session.
 *
 * B1 A method that takes an `inputId` acknowledges that input in the same append that stores the effect, so that the input
 *    takes effect exactly once whatever happens to the process. A method that throws or returns false acknowledges
 *    nothing; the worker then calls `refuse`.
 * B2 A new session is made by the append that takes its first input. A crash before that leaves the input in the inbox, and no
 *    session: the next worker creates it.
 * B3 That append may have what the model has answered as well: it is made after 50 ms, or when something else must be durable, or when
 *    somebody waits for an event of the turn. A crash before it repeats the request to the model, as one after it does.
 */
export interface InboxAgent extends AnyAgent {
  /** The session's lease; undefined before `open()` has resolved. */
  readonly lease: Lease | undefined;
  /** The error that ended the agent, such as `run/shutdown` or `session/lease-lost`; undefined while it is alive. */
  readonly closedBy: AgentError | undefined;
  /** The position of the journal, for events that are not in it. */
  readonly journal: Pick<Journal, "recordedSeq" | "written" | "isReleased">;
  /** As `call`, for an input from the inbox. The input is consumed even if the returned promise rejects. */
  begin(
    input: Input,
    inputId: string,
    options?: Pick<CallOptions<Schema | undefined>, "output" | "clientTools">,
  ): Promise<void>;
  /** Returns the reason for which an input would be refused now, whose turn could not begin; undefined if it would be accepted. */
  refusalOf(messages: readonly Msg[]): ErrorInfo | undefined;
  /** As `Agent.decide`. `madeAt` (epoch ms, default now) is when the decision was made: a decision that was made before the
   *  approval expired is accepted however late it is processed. */
  decide(
    callId: string,
    decision: Decision,
    options?: DecideOptions,
    inputId?: string,
    madeAt?: number,
  ): Promise<PendingCall[]>;
  interrupt(message?: string | Msg, inputId?: string): boolean;
  steer(message: string | Msg, inputId?: string): boolean;
  extendBudget(extra: Omit<Budget, "onExceeded">, inputId?: string): Promise<void>;
  /** As `slots.set`, for a slot of this name that clients may write. `seen`: only if the slot still has this revision. */
  writeSlot(name: string, value: Json, seen?: number, inputId?: string): Promise<void>;
  /** As `Agent.compact`. With an `inputId` it resolves also if nothing came of the compaction: the input is consumed then too. */
  compact(options?: { readonly instructions?: string }, inputId?: string): Promise<CompactionResult>;
  /** Journals that the input was refused with this error, and acknowledges it. */
  refuse(inputId: string, error: ErrorInfo): Promise<void>;
  /** Acknowledges an input whose effect is outside of the session. */
  acknowledge(inputId: string): Promise<void>;
  /** Resolves when nothing runs and everything is durable. */
  rest(): Promise<void>;
  /** Ends the agent immediately, as if the process had died: the session can be acquired when its lease expires. */
  abandon(error: AgentError): void;
  /** Journals the current position although nothing has changed, so that the store's session index is refreshed. */
  touch(): Promise<void>;
  /** Epoch ms at which a suspended turn can go on without further input (0: now); undefined if it cannot. */
  wakeAt(): number | undefined;
}

/** An agent inside of a call of another one, as the tool of that call drives it. */
export interface InnerAgent extends AnyAgent, Pick<InboxAgent, "rest"> {
  /** The usage of its turn so far, with the usage of the agents that wait inside of its calls. */
  readonly stats: TurnStats;
}

/** An agent as an actor of another machine drives it. */
export interface ActorAgent extends AnyAgent, Pick<InboxAgent, "rest" | "wakeAt"> {
  /** The reply of the turn that has come to rest last, in whatever process. */
  lastReply<S extends Schema | undefined>(schema: S): Promise<Reply<OutputOf<S>>>;
}
