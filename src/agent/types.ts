// src/agent implements createAgent: the API of an agent over one running machine, its events and its journal.
import type { AgentEvent } from "../core/event/types.ts";
import type { AnyActorRef } from "xstate";
import type { Hook } from "../core/hook/types.ts";
import type { Json, JsonObject } from "../core/base/json.ts";
import type { AnswerSource } from "../core/message/msg.ts";
import type { FinishReason, Msg, Reason, Usage } from "../core/message/types.ts";
import type { SessionPhase } from "../core/base/phase.ts";
import type { SavedParts } from "../session/save.ts";
import type { SessionStore } from "../store/port.ts";
import type { ClientTool } from "../core/tool/declared-tools.ts";
import type { OutputOf, Schema, Slot, Toolkit } from "../core/tool/types.ts";
import type { AnyCall, Decision, PendingCall, WaitsFor } from "../core/tool/pending.ts";
import type { ChatModel } from "../core/model/port.ts";
import type { Limits } from "../../machines/agent/limits.ts";

/** Limits of a turn beside `maxIters`, each a number above 0; an absent one is not a limit. They are checked before each model call
 *  and before tools run, so the last step may exceed them. */
export type Budget = Limits & {
  /** Default `suspend`: the turn waits for `extendBudget`. */
  readonly onExceeded?: "suspend" | "stop" | undefined;
};

/** The options that only {@link Agent.stream} has. */
export type StreamOptions = {
  /** True: each delta also has all text of its block. Default false. */
  readonly cumulative?: boolean | undefined;
  /** The handling of the turn if its reader leaves the loop before the end: `interrupt` (default) interrupts it, `continue` lets it come to
   *  its end, as a server wants whose client has gone; `reply` is then still to be had. */
  readonly onLeave?: "interrupt" | "continue" | undefined;
};

/** The options that only {@link Agent.call} has. */
export type RetryOptions = {
  /** The number of times that the call goes on with its turn if that fails, under one idempotency key: the given one, or a new one. Nothing
   *  that is stored is done again. It waits in between as `modelOptions.execution` says, or until `retryAt` of the error. Errors that would
   *  come again, such as `model/auth`, and refusals of the call are not tried again. Default 0. */
  readonly retries?: number | undefined;
};

/** The input of a call. Without one, the agent resumes an unfinished turn or runs its open calls; otherwise the model is called
 *  again. */
export type Input = string | Msg | readonly Msg[] | null | undefined;

/** Options of {@link Agent.call} and {@link Agent.stream}. */
export type CallOptions<S = undefined, Ctx = unknown> = {
  /** Asks for an answer of this shape, found in `reply.output`: typed as the schema, or as `JsonObject` for JSON Schema. Rejects
   *  `output/missing` if the model does not give it, and `config/invalid` for a schema that cannot be used. */
  readonly output?: S | undefined;
  /** The tools that the client of this input runs itself, at most 64 and 48 KiB of JSON. Those that are listed in `toolOptions.clientTools`
   *  of the agent belong to the turn that the input begins, also when it goes on in another process. Rejects `message/invalid` for a
   *  declaration of another form and for an invalid schema, having changed nothing. Default: none. */
  readonly clientTools?: readonly ClientTool[] | undefined;
  /** Replaces the `context` of the agent for this call. */
  readonly context?: Ctx | undefined;
  /** Bounds the whole call, in ms, the time in which its session is opened or it waits in a queue too. A call that has not begun
   *  rejects `run/timeout` or replies with `fallbackReply`; a turn that runs is interrupted first. It ends at most
   *  `turnOptions.interruptGraceMs` and one second later, whatever the store does. */
  readonly timeoutMs?: number | undefined;
  /** The text with which a call that timed out replies instead of rejecting. */
  readonly fallbackReply?: string | undefined;
  /** While another call runs: `refuse` (default) rejects `run/busy`, `queue` waits for it. */
  readonly whenBusy?: "refuse" | "queue" | undefined;
  /** The identification of the input in its session. A second call with the same key and input gets the final outcome of that input, even
   *  if another call or process resumed its turn, also in another process if there is a store. While the turn is suspended it gets the
   *  present state. If the turn failed and none has followed, the call goes on with it; an input that was refused is accepted again. Rejects
   *  `run/key-reused` for another input with the same key. Without a store the newest 1,000 keys count. */
  readonly idempotencyKey?: string | undefined;
  /** An aborted signal interrupts the turn, then the call rejects with `run/aborted`. */
  readonly signal?: AbortSignal | undefined;
};

/** The reply of a call: the last message of its turn. */
export type Reply<O = undefined, Calls extends AnyCall = AnyCall> = Msg & {
  /** The reason for which the turn ended, or for which it waits. */
  readonly reason: Reason;
  /** The reason for which the model ended the message: by itself (`stop`, `tool_calls`), its token limit (`length`), a filter or a refusal.
   *  Absent if no model made it. */
  readonly finishReason?: FinishReason | undefined;
  /** The text blocks of the message. */
  readonly text: string;
  /** The structured answer; undefined if none was asked for. */
  readonly output: O;
  /** The calls that wait for a decision or an answer; empty unless the turn is suspended. */
  readonly pending: readonly PendingCall<Calls>[];
  /** The sources on which the answers of the turn may rest, because the model was shown them. These are passages of `knowledge` and
   *  memories of `longTermMemory`, each once, in the order in which they were shown; empty if there are no sources. */
  readonly sources: readonly AnswerSource[];
  /** The usage of the turn so far. */
  readonly turn: {
    readonly usage: Usage;
    readonly iterations: number;
    readonly modelCalls: number;
    readonly toolCalls: number;
    readonly durationMs: number;
  };
};

/** The state of a session. */
export type Status<Calls extends AnyCall = AnyCall> = {
  /** `stopped`: ready for the next input. `running`: a call is opened, runs or is saved. `suspended`: the turn waits for what
   *  `waitsFor` says. `unfinished`: the turn was cut off, and `call()` resumes it. `quarantined`: this release cannot run the
   *  session. */
  readonly phase: SessionPhase;
  /** The reason for which the last turn ended or is suspended. */
  readonly reason?: Reason | undefined;
  /** The conditions for which a suspended turn waits. */
  readonly waitsFor: readonly WaitsFor[];
  /** The calls that wait for a decision or an answer. */
  readonly pending: readonly PendingCall<Calls>[];
  /** The persona that has the session; absent if it is the agent itself. */
  readonly persona?: string | undefined;
  /** Journal position; 0 without a store. */
  readonly seq: number;
};

/** A session as plain JSON: the transcript, the slots, and at most 4 KB besides and what suspended calls remember. */
export type Snapshot = JsonObject & { readonly format: number };

/** A value that is taking form: members and items may be missing. */
export type PartialOf<T> = [JsonObject] extends [T]
  ? T
  : T extends readonly (infer Item)[]
    ? readonly PartialOf<Item>[]
    : T extends object
      ? { readonly [K in keyof T]?: PartialOf<T[K]> }
      : T;

/** An event of a stream: as {@link AgentEvent}, with `output.partial` typed by the schema of the answer. */
export type StreamEvent<O, Calls extends AnyCall = AnyCall> =
  | Exclude<AgentEvent<Calls>, { readonly type: "output.partial" }>
  | (Omit<Extract<AgentEvent<Calls>, { readonly type: "output.partial" }>, "value"> & {
      readonly value: [O] extends [undefined] ? Json : PartialOf<O>;
    });

/** The events of one call, and its reply. The call starts when the first event is read; a loop that is left interrupts the turn. */
export type AgentStream<O, Calls extends AnyCall = AnyCall> = AsyncIterable<StreamEvent<O, Calls>> & {
  readonly reply: Promise<Reply<O, Calls>>;
};

/** Options of {@link Agent.decide}. */
export type DecideOptions = {
  /** The `argsHash` of the call that was decided about. */
  readonly argsHash?: string | undefined;
  /** Who has decided, for the journal: a name of 1 to 200 characters. */
  readonly by?: string | undefined;
};

/** The slots of a session, read and written from outside. */
export interface AgentSlots {
  /** Returns the value of a slot, deeply frozen, and its revision: the number of its writes so far. Rejects `slot/version` for a
   *  value of a newer version. */
  get<T>(slot: Slot<T>): Promise<{ readonly value: T; readonly revision: number }>;
  /** Writes a slot, at rest or while a turn runs; resolves when that is stored. With `seen` it writes only if the slot still has
   *  that revision. Rejects `slot/conflict` for another revision and while a call that may write the slot runs, `slot/invalid` for
   *  a value that the slot does not take, and `config/invalid` for a slot that the agent does not have. */
  set<T>(slot: Slot<T>, value: T, seen?: { readonly revision: number }): Promise<void>;
}

/** An agent: one session of the chart in this process. `Calls` are those that its events and its `pending` have, see
 *  {@link CallsOf}. */
export interface Agent<Ctx = unknown, Calls extends AnyCall = AnyCall> {
  readonly name: string;
  readonly sessionId: string;
  /** The tools of this agent. */
  readonly toolkit: Toolkit<Ctx>;
  /** The slots of this session. */
  readonly slots: AgentSlots;
  /** The XState actor, to subscribe to and to inspect. An agent at rest has none until you ask for it; then it stays. To persist the
   *  session use `sessionOptions.snapshot` or a store. */
  readonly actor: AnyActorRef;
  /** Opens the session, as every method does when it needs it. No turn runs before `call` or `stream`, but one whose hooks at its end were
   *  cut off ends first. Rejects `session/conflict` while another process or agent has the session, or was killed less than its
   *  `sessionOptions.leaseMs` ago: `data.holder` says which, and `retryAt` when its lease ends. `waitMs`: how long that is waited for,
   *  default 0. Rejects also `session/damaged` and `session/version`, and why the agent was closed in the meantime. */
  open(options?: { readonly waitMs?: number | undefined }): Promise<void>;
  /** Runs a turn to its end. Rejects with AgentError: `run/busy`, `run/pending`, `run/bad-results`, `run/undecided`,
   *  `message/invalid` (nothing changed), or the error that ended the turn. */
  call<const S extends Schema | undefined = undefined>(
    input?: Input,
    options?: CallOptions<S, Ctx> & RetryOptions,
  ): Promise<Reply<OutputOf<S>, Calls>>;
  /** As {@link Agent.call}, with every event of the turn. Deltas that arrive together, or while the reader is busy, are one: no text is lost, and the turn
   *  does not wait for the reader. `cumulative`: each delta also has all text of its block. */
  stream<const S extends Schema | undefined = undefined>(
    input?: Input,
    options?: CallOptions<S, Ctx> & StreamOptions,
  ): AgentStream<OutputOf<S>, Calls>;
  /** Records a decision, runs nothing, and returns the calls that are still undecided; then use `call()`. A call whose outcome is unknown takes
   *  `"retry"`, `{ answer }` and `"deny"` only. A question of a call has the address of its entry in `pending`, such as
   *  "call_1/nights". Rejects `run/bad-results` for an unknown call or question and for a response that the schema of its question
   *  does not accept, `run/stale-decision` for a call or a question that is decided already (the first decision counts) and
   *  if the arguments or the question are others than `options` says, and `run/bad-decision` if the call does not accept this decision, such as an edit
   *  that the schema of the tool refuses, or if its permission is settled. */
  decide(callId: string, decision: Decision, options?: DecideOptions): Promise<PendingCall<Calls>[]>;
  /** Interrupts the turn that runs or is suspended; `message` is stored as the user's. A turn whose answer is finished, so that only
   *  hooks see it, ends with that answer, and the `metadata.interrupted` of the reply is true. Returns false, and keeps nothing, if
   *  there is no such turn. */
  interrupt(message?: string | Msg): boolean;
  /** Adds a message that the next model call of this turn sees. This is also the one that is about to be made, such as in a listener of
   *  `turn.start`; or the next turn, if the structured answer of this one is complete. Returns false, and keeps nothing, if no turn runs. */
  steer(message: string | Msg): boolean;
  /** Adds messages to the transcript without calling the model. While calls are open, they are stored after the results. */
  observe(messages: Msg | readonly Msg[]): Promise<void>;
  /** Replaces messages of a resting session, or removes them: `change` gets all of them and returns those that stay, with new ones or
   *  without some. The former ones stay in the journal, at earlier positions. If messages were changed that a summary stands for, the
   *  model sees the whole transcript again until it is bounded again. Rejects `message/invalid`, having changed nothing, for messages
   *  that are none, and if a call has lost its result or a result its call; `run/pending` while a turn waits, `run/busy` while one
   *  runs. */
  edit(change: (messages: readonly Msg[]) => readonly Msg[]): Promise<void>;
  /** Returns the transcript. Of a stored session the older messages are read when they are first needed; rejects `session/damaged` if
   *  they cannot be. */
  messages(): Promise<Msg[]>;
  /** Returns the state of the session, as far as this process knows it. */
  status(): Status<Calls>;
  /** Makes the prompt shorter while no turn runs. A model sums up all but the newest messages, which stay as they are; the transcript is
   *  not changed. `instructions` says what the summary is to keep. Does nothing if there is nothing to sum up. Rejects with the error of
   *  the model, and then nothing has changed; `run/busy` while a turn runs, `run/pending` in the middle of one that rests, and
   *  `config/invalid` with `compaction: false`. `interrupt()` ends it. */
  compact(options?: { readonly instructions?: string | undefined }): Promise<CompactionResult>;
  /** Adds to the limits of the turn that runs or waits, and runs nothing; then use `call()`. The next turn has the limits of the
   *  configuration. */
  extendBudget(extra: Omit<Budget, "onExceeded">): Promise<void>;
  /** Calls `listener` with each event; errors that it throws are ignored. `types`: only these events, and events without a listener
   *  are not created. `after`: the events of the journal after that entry, or after the event with that `position`,
   *  come first. Returns a function that unsubscribes. Throws `config/invalid` for an unknown type. */
  subscribe(
    listener: (event: AgentEvent<Calls>) => void,
    options?: {
      readonly after?: number | string | undefined;
      readonly types?: readonly AgentEvent["type"][] | undefined;
    },
  ): () => void;
  /** Adds a hook and its tools, from the next hook point on. */
  addHook(hook: Hook<Ctx>): void;
  /** Removes the hooks of this name and their tools. Returns false if there are none. */
  removeHook(name: string): boolean;
  /** Returns the session at this instant, with which `createAgent({ ...config, snapshot })` resumes it. Throws `run/busy` while older
   *  messages of a stored session are not read yet: await {@link messages} first. */
  snapshot(): Snapshot;
  /** Saves the session under another key: messages, open calls, active tool groups. Rejects `session/conflict` while another
   *  process has that session. */
  saveTo(store: SessionStore, key: string, parts?: SavedParts): Promise<void>;
  /** Replaces the session by one that {@link Agent.saveTo} saved. Rejects `session/not-found`, and `run/busy` while a call runs. */
  loadFrom(store: SessionStore, key: string, parts?: SavedParts): Promise<void>;
  /** As {@link Agent.loadFrom}; returns false, and changes nothing, if there is no such session. */
  loadIfExists(store: SessionStore, key: string, parts?: SavedParts): Promise<boolean>;
  /** Gives the session of a resting agent back. Its memory is freed, its actor ends, its lease is released, and other processes may go on
   *  with it. The agent is then as it was created, with the hooks, tools and listeners that were added since: it opens the session again,
   *  with a new actor, when it is used. Does nothing if the session is not open. Rejects `run/busy` while a call runs, and `config/invalid`
   *  for an agent without a store. */
  passivate(): Promise<void>;
  /** Lets the turn reach its next commit point, saves and frees everything. The running call rejects `run/shutdown`, and `call()` in any
   *  process goes on. After `deadlineMs` (default 10,000) the turn ends wherever it is; a store that does not answer is waited for half a
   *  second more, and the lease then expires by itself. */
  shutdown(options?: { readonly deadlineMs?: number | undefined }): Promise<void>;
  /** Interrupts the turn that runs, saves it and frees everything. Later calls reject `run/closed`. */
  close(): Promise<void>;
}

/** An agent for any context. */
export type AnyAgent = Agent<never>;
/** The options of a call for any context. */
export type AnyCallOptions<S = undefined> = CallOptions<S, never>;
/** A reply with any output. */
export type AnyReply = Reply<never>;

/**
 * The options by which a prompt stays within the model's window. When it comes near, old tool results are first shown as one line each, all
 * that are not new in one go; if that is not enough, a model sums up what came before the newest messages. The same happens once when the
 * model refuses a prompt as too long. All sizes are tokens; they are estimates, corrected by what the provider counts.
 */
export type CompactionOptions = {
  /** `false`: only `compact()` does it. Default true. */
  readonly auto?: boolean | undefined;
  /** The model's context window; default: what the model says in its `capabilities`, else what is known of its name. Without any, a
   *  prompt is made shorter only when the model has refused it. */
  readonly contextTokens?: number | undefined;
  /** The part of the window that is reserved for the answer. The default is an eighth of the window, but at least 4,000 (in windows below
   *  20,000 a fifth) and at most 20,000. */
  readonly reserveTokens?: number | undefined;
  /** The size of the end of the conversation that stays as it is beside a summary; default 20,000, at most a quarter of the window. */
  readonly keepRecentTokens?: number | undefined;
  /** The size that a compaction aims at; default half the window. */
  readonly targetTokens?: number | undefined;
  /** The results that are cleared. The newest ones of together `protectTokens` (default 40,000, at most a sixteenth of the window) are not
   *  cleared, and no results are unless that frees `minimumTokens` (default 20,000, at most a tenth of the window). Results that the model
   *  has not seen are never cleared. `false`: no results. */
  readonly clear?:
    | false
    | { readonly protectTokens?: number | undefined; readonly minimumTokens?: number | undefined }
    | undefined;
  /** The condition under which a summary is made. With `fit` (default) it is made if clearing is not enough for the prompt to fit;
   *  `threshold`: also if it is not enough to come down to `targetTokens`; `never`: only by `compact()`. */
  readonly summarise?: "fit" | "threshold" | "never" | undefined;
  /** The content that a summary is to keep beside what every summary keeps, in words for the model. */
  readonly instructions?: string | undefined;
  /** The most tokens of a summary, as `generateOptions.maxTokens`; default: those of the agent's `generateOptions`. */
  readonly maxSummaryTokens?: number | undefined;
  /** The number of compactions of a turn, one after the other, that may change nothing or make hardly any room. After these no other is
   *  tried in the turn; default 3. */
  readonly maxFailures?: number | undefined;
  /** The model that makes the summaries; default: that of the agent. */
  readonly model?: ChatModel | undefined;
};

/** The outcome of `compact`, in tokens of the prompt. */
export type CompactionResult = {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Index of the first message that is still shown as it is. */
  readonly from: number;
};
