import type { Plan } from "../../kit/plan/plan.ts";
import type { Json } from "../../core/base/json.ts";
import type { AgentEvent } from "../../core/event/types.ts";
import { addUsage } from "../../core/message/msg.ts";
import { GOES_ON, type Reason, type Usage } from "../../core/message/types.ts";
import type { PendingCall } from "../../core/tool/pending.ts";
import { ConversationFold, userMessage } from "../../core/event/conversation/conversation-fold.ts";
import type { TurnMessage } from "../../core/event/conversation/message-fold.ts";
import type { SessionState } from "./session-api.ts";
import { SubagentFold, type Subagent } from "./subagent-fold.ts";

/** The data that a page shows of a session. */
export type SessionView = {
  /** The conversation: one message for each input of the user and one for each turn, as `useChat` of the AI SDK has them. A message that
   *  does not change stays the same object. */
  readonly messages: readonly TurnMessage[];
  /** The status of the session. It is `ready` if the agent rests; `submitted`: what was said or decided, here or in another page, has not
   *  been taken up; `running`: a turn runs; `suspended`: it waits, mostly for {@link SessionView.pending}; `failed`: the last turn failed,
   *  and the session takes more. */
  readonly status: "ready" | "submitted" | "running" | "suspended" | "failed";
  /** The state that the chart has entered last, such as "reasoning.calling"; undefined before the first one since the page was loaded. */
  readonly state: string | undefined;
  /** The reason for which the last turn ended or is suspended; undefined while it runs. */
  readonly reason: Reason | undefined;
  /** The structured answer of the turn so far, if one was asked for: what fits its schema but for what may still come. Undefined before
   *  its first part, and when the next turn begins. */
  readonly partialOutput: Json | undefined;
  /** The calls and questions that wait for a decision. */
  readonly pending: readonly PendingCall[];
  /** The plan of the agent; null without one. */
  readonly plan: Plan | null;
  /** The agents that work inside of calls of this session now. What they have said and done is in their own sessions. */
  readonly subagents: readonly Subagent[];
  /** The values of the session's slots that were written. */
  readonly slots: { readonly [name: string]: Json };
  /** The usage of the agent's own answers in this session. */
  readonly usage: Usage;
  /** The reason for which the last turn has failed, an input was refused, or the session cannot be read. */
  readonly error: { readonly code: string; readonly message: string } | undefined;
};

type Phase = "ready" | "running" | "suspended" | "failed";

const keyOf = ({ callId, argsHash }: PendingCall): string => `${callId} ${argsHash}`;

/** Folds the events of a session, and what its page does, into a {@link SessionView}. */
export class SessionFold {
  readonly #conversation = new ConversationFold();
  readonly #subagents = new SubagentFold();
  /** The inputs of this page; a decision with the {@link keyOf} its call. */
  readonly #sent = new Map<string, string | undefined>();
  readonly #refused = new Map<string, SessionView["error"] & {}>();
  #phase: Phase = "ready";
  #isSubmitted = false;
  #endedTurn = 0;
  #hasAsked = false;
  #seq = 0;
  #state: string | undefined;
  #reason: Reason | undefined;
  #partialOutput: Json | undefined;
  #error: SessionView["error"];
  #pending: readonly PendingCall[] = [];
  #slots: { readonly [name: string]: Json } = {};
  #usage: Usage = {};
  /** The messages that the user has said and no worker has accepted, as the server knew them last. */
  #waiting: readonly TurnMessage[] = [];

  get view(): SessionView {
    const { messages } = this.#conversation;
    const said = this.#waiting.filter(({ id }) => messages.every((message) => message.id !== id));
    const waiting = this.#pending.length > 0 ? "suspended" : undefined;
    const submitted = this.#isSubmitted || said.length > 0 ? "submitted" : undefined;
    return {
      messages: said.length > 0 ? [...messages, ...said] : messages,
      status: this.#phase === "running" ? "running" : (waiting ?? submitted ?? this.#phase),
      state: this.#state,
      reason: this.#reason,
      partialOutput: this.#partialOutput,
      pending: this.#pending,
      plan: (this.#slots["plan"] ?? null) as Plan | null,
      subagents: this.#subagents.working,
      slots: this.#slots,
      usage: this.#usage,
      error: this.#error,
    };
  }

  /** True if the turn waits: then the server knows best for what. */
  get isSuspended(): boolean {
    return this.#phase === "suspended";
  }

  push(event: AgentEvent): void {
    this.#subagents.push(event);
    if (event.source) return;
    this.#conversation.push(event);
    this.#seq = Math.max(this.#seq, event.seq);
    switch (event.type) {
      case "output.partial":
        this.#run(event.turn);
        this.#partialOutput = event.value;
        return;
      case "turn.start":
      case "block.start":
        return this.#run(event.turn);
      case "message":
        if (event.message.role === "assistant") this.#usage = addUsage(this.#usage, event.message.usage);
        return this.#run(event.turn);
      case "tool.start":
        if (event.attempt > 0) this.#close(event.call.id);
        return this.#run(event.turn);
      case "tool.end":
        if (event.result.state !== "suspended") this.#close(event.callId);
        return;
      case "pending":
        this.#hasAsked = true;
        return this.#wait(event.calls);
      case "state":
        this.#state = event.value;
        return;
      case "slot":
        this.#slots = { ...this.#slots, [event.name]: event.value };
        return;
      case "input.refused":
        this.#refused.set(event.inputId, event.error);
        return this.#refuse(event.inputId);
      case "turn.end":
        return this.#end(event);
      default: // no news for these fields
    }
  }

  /** Takes what the server says of the session, unless later events are known. */
  take({ phase, seq, pending, waiting = [] }: SessionState): void {
    this.#waiting = waiting.map(userMessage);
    if (!this.isSuspended || seq < this.#seq) return;
    if (phase === "suspended") this.#wait(pending);
    else if (phase === "stopped") [this.#phase, this.#pending] = ["ready", []];
  }

  /** The page has sent something. */
  submit(): void {
    this.#isSubmitted = true;
    this.#error = undefined;
  }

  /** The server has stored what the page has sent; `call` is the one that it decides. The event that refuses it may have come before. */
  accept(inputId: string, call: PendingCall | undefined): void {
    this.#sent.set(inputId, call && keyOf(call));
    this.#wait(this.#pending);
    this.#refuse(inputId);
  }

  /** Reports that what was sent has been refused, or that the session cannot be read. */
  fail({ code, message }: { readonly code: string; readonly message: string }): void {
    this.#isSubmitted = false;
    this.#error = { code, message };
  }

  /** The reason for a failure is gone. */
  forgive(): void {
    this.#error = undefined;
  }

  #refuse(inputId: string): void {
    const error = this.#refused.get(inputId);
    if (!error || !this.#sent.delete(inputId)) return; // of another page
    this.fail(error);
  }

  #run(turn: number): void {
    if (turn < this.#endedTurn || (turn === this.#endedTurn && !this.isSuspended)) return;
    if (this.#phase === "running") return;
    this.#phase = "running";
    this.#isSubmitted = false;
    this.#hasAsked = false;
    [this.#reason, this.#error] = [undefined, undefined];
    if (turn > this.#endedTurn) this.#partialOutput = undefined;
  }

  #wait(calls: readonly PendingCall[]): void {
    const decided = new Set(this.#sent.values());
    this.#pending = calls.filter((call) => call.decided === undefined && !decided.has(keyOf(call)));
  }

  /** A call no longer waits, nor do its questions. */
  #close(id: string): void {
    this.#pending = this.#pending.filter(({ callId }) => callId !== id && !callId.startsWith(`${id}/`));
  }

  #end({ turn, reason, error }: Extract<AgentEvent, { readonly type: "turn.end" }>): void {
    if (reason === "SHUTDOWN") return; // another worker goes on
    if (!this.#hasAsked) this.#pending = [];
    this.#endedTurn = turn;
    this.#isSubmitted = false;
    this.#reason = reason;
    this.#error = error && { code: error.code, message: error.message };
    this.#phase = error ? "failed" : GOES_ON.has(reason) ? "suspended" : "ready";
  }
}
