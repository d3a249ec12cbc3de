import type { AgentError, ErrorInfo } from "../base/error.ts";
import type { Msg } from "../message/types.ts";
import type { Lease } from "../store/port.ts";
import type { Decision, PendingCall } from "../tool/pending.ts";
import type { Agent, Budget, Input, Reply } from "./types.ts";

/**
 * An agent as a worker drives it from the inbox of its session.
 *
 * B1 What it is told with an `inputId` is acknowledged by the very append that stores its effect, so that it takes effect
 *    once whatever happens to the process. What throws, or is answered with false, acknowledges nothing: `refuse` does.
 */
export interface InboxAgent extends Agent<never> {
  /** The lease, once it is open. */
  readonly lease: Lease | undefined;
  /** Why it has ended, if it has: shut down, or its lease was lost. */
  readonly gone: AgentError | undefined;
  /** As `call`, for an input that lies in the inbox. Whatever it rejects with, the input is used up. */
  begin(input: Input, inputId: string): Promise<Reply>;
  /** A decision holds if it was made in time, epoch ms, however late it is read; default now. */
  decide(
    callId: string,
    decision: Decision,
    expect?: { readonly argsHash: string },
    inputId?: string,
    madeAt?: number,
  ): Promise<PendingCall[]>;
  interrupt(message?: string | Msg, inputId?: string): boolean;
  steer(message: string | Msg, inputId?: string): boolean;
  extendBudget(extra: Omit<Budget, "onExceeded">, inputId?: string): Promise<void>;
  /** The input comes to nothing: its reason is written down, and it is acknowledged. */
  refuse(inputId: string, error: ErrorInfo): Promise<void>;
  /** Ends when nothing runs and all is durable. */
  rest(): Promise<void>;
  /** Ends here and now as if the process had died: the session is free when its lease expires. */
  abandon(error: AgentError): void;
  /** Writes down where the session stands, for lists that have it otherwise. */
  mark(): Promise<void>;
  /** When a suspended turn can go on without being told more, epoch ms; undefined: not by itself. */
  goesOnAt(): number | undefined;
}
