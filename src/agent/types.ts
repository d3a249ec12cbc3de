// src/agent implements createAgent: the API of an agent over one running machine, its events and its journal.
import type { AgentEvent } from "../event/types.ts";
import type { AnyActorRef, InspectionEvent } from "xstate";
import type { Hook } from "../hook/types.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Msg, Reason, Usage } from "../message/types.ts";
import type { ChatModel, Execution, GenerateOptions } from "../model/port.ts";
import type { SavedParts } from "../session/save.ts";
import type { SessionStore } from "../store/port.ts";
import type { OutputOf, PermissionAction, Schema, Tool, Toolkit } from "../tool/types.ts";
import type { Decision, PendingCall, WaitsFor } from "../tool/pending.ts";

/** Order: deny rules, remembered rules, ask rules, the tool's own, allow rules, `otherwise` (`allow`).
 *  Judged on the parsed input that would run. */
export type Permissions = {
  readonly rules?: readonly {
    /** A tool's name, in which `*` stands for any characters and `?` for one. A rule that matches no tool of the agent, of its
     *  groups and of its hooks is refused. */
    readonly tool: string;
    /** True for a rule that may match no tool yet, because one is added later; default false. */
    readonly optional?: boolean;
    readonly action: PermissionAction;
    /** Default: always. One that throws denies the call. */
    readonly when?: (input: JsonObject) => boolean;
    /** Told to whoever decides, or to the model that is denied. */
    readonly reason?: string;
  }[];
  /** For calls that no rule is about; default `allow`. */
  readonly otherwise?: PermissionAction;
  /** How long an approval is waited for, in ms; then the call is denied. Default: for ever. */
  readonly expiresAfterMs?: number;
};

/** Limits of a turn beside `maxIters`, each a number above 0. They are looked at before a model call and before tools run, so
 *  the last step may go beyond them. */
export type Budget = {
  readonly modelCalls?: number;
  readonly toolCalls?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Input and output tokens together. */
  readonly totalTokens?: number;
  /** In the currency of `prices`. */
  readonly cost?: number;
  /** Time of the turn in ms, without that in which it was suspended. */
  readonly wallMs?: number;
  /** Default `suspend`: the turn waits for `extendBudget`. */
  readonly onExceeded?: "suspend" | "stop";
};

/** What watches whole agents and not only their charts; `inspector()` of `agentchart/inspect` makes one. */
export interface AgentWatcher {
  /** Called once by createAgent; `position` gives the journal position. Must not throw. */
  watch(
    agent: Agent<never>,
    config: AgentConfig<never>,
    position: () => number,
  ): {
    /** The journal has grown to another position. Must not throw. */
    committed(): void;
    /** Ends when all that was seen is sent, or soon. */
    flushed(): Promise<void>;
  };
}

/** What a caller may attach to watch an agent: an XState inspection observer or function, or an {@link AgentWatcher}. */
export type Inspector = { next?(e: InspectionEvent): void } | ((e: InspectionEvent) => void) | AgentWatcher;

export type AgentConfig<Ctx = unknown> = {
  readonly name: string;
  readonly sysPrompt?: string;
  readonly model: ChatModel;
  /** Asked when `model` has failed for good and nothing of its answer was delivered. */
  readonly fallbackModel?: ChatModel;
  /** One of `tools` and `toolkit`. */
  readonly tools?: readonly Tool<Ctx>[];
  readonly toolkit?: Toolkit<Ctx>;
  readonly hooks?: readonly Hook<Ctx>[];
  /** Initial transcript. */
  readonly messages?: readonly Msg[];
  /** Bounds what the model sees, not what is stored: the message that began the turn and the end of the transcript, at most
   *  `maxMessages` messages and about `maxTokens` tokens together, but at least that message and the last one, and never a tool
   *  result without its call. Default: no bound. */
  readonly contextWindow?: { readonly maxMessages?: number; readonly maxTokens?: number };
  /** Reasoning steps a turn before it is summarised; default 10. */
  readonly maxIters?: number;
  /** Times a turn that hooks may ask for another reasoning round; default 3. */
  readonly maxGotos?: number;
  /** How many calls of a batch run at once: `false` (default) one, `true` all, or a number. */
  readonly parallelToolCalls?: boolean | number;
  /** Stops the turn after this message, as a `postReasoning` hook that returns `stop` would. */
  readonly stopWhen?: (message: Msg) => boolean;
  readonly generateOptions?: GenerateOptions;
  readonly modelExecution?: Execution;
  readonly toolExecution?: Execution;
  /** How a model that forgets the structured output is reminded; default `TOOL_CHOICE`. */
  readonly structuredReminder?: "TOOL_CHOICE" | "PROMPT";
  readonly permissions?: Permissions;
  readonly budget?: Budget;
  /** Per million tokens. A model that is not listed has an unknown cost, never 0; then so has the turn that asks it. A
   *  `budget.cost` needs a price of every model. */
  readonly prices?: {
    readonly [model: string]: {
      readonly input: number;
      readonly output: number;
      readonly cachedInput?: number;
    };
  };
  /** What a user message does while calls are open; default `refuse`. */
  readonly onTextWhilePending?: "refuse" | "cancelPending" | "queue";
  /** Close calls of loaded history that no record knows; default true. */
  readonly recoverOrphans?: boolean;
  /** How long an interrupt waits for a deaf model or tool, in ms; default 2000. */
  readonly interruptGraceMs?: number;
  /** Reaches tools and hooks; never stored, so asked for again on resume. */
  readonly context?: Ctx | ((session: { readonly sessionId: string; readonly meta: JsonObject }) => Ctx);
  /** Where the session lives. It is restored from there when the agent is opened, and every step is saved. */
  readonly store?: SessionStore;
  /** Default: a new UUID. */
  readonly sessionId?: string;
  /** `step` (default): nothing that has a side effect starts before what led to it is stored. `turn`: saved only at rest;
   *  what a turn did is lost with its process, and its tools run again. */
  readonly durability?: "step" | "turn";
  /** How long the session stays taken after the death of its process, in ms; default 30,000. It is renewed at a third. */
  readonly leaseMs?: number;
  /** Applied to all that is stored or snapshotted. */
  readonly redact?: (value: Json) => Json;
  /** Tenant, labels. */
  readonly meta?: JsonObject;
  /** Goes on from {@link Agent.snapshot}. */
  readonly snapshot?: Snapshot;
  /** Who watches: observers, or the visualizer. `"auto"` finds the one that `agentchart inspect` started on this machine, now
   *  or later; else its address, with the token as `#w=…` unless the environment has it. Without it nothing is observed. */
  readonly inspect?: "auto" | (string & {}) | Inspector | readonly Inspector[];
  readonly now?: () => number;
  readonly newId?: () => string;
};

/** Nothing = go on: an unfinished turn, stop-requested calls, suspended tools; else the model is asked again. */
export type Input = string | Msg | readonly Msg[] | null | undefined;

export type CallOptions<S = undefined, Ctx = unknown> = {
  /** Asks for an answer of this shape, found in `reply.output`: typed as the schema, or as `JsonObject` for JSON Schema. Rejects
   *  `output/missing` if the model does not give it, and `config/invalid` for a schema that cannot be used. */
  readonly output?: S;
  readonly context?: Ctx;
  /** Bounds the whole call, in ms, the time in which its session is opened or it waits in a queue too. A call that has not begun
   *  rejects `run/timeout` or replies with `fallbackReply`; a turn that runs is interrupted first. It ends at most
   *  `interruptGraceMs` and one second later, whatever the store does. */
  readonly timeoutMs?: number;
  readonly fallbackReply?: string;
  /** `queue` waits for the running turn instead of rejecting `run/busy`. */
  readonly whenBusy?: "refuse" | "queue";
  /** Identifies the input in its session: a second call with the same key and input gets the final outcome of that input, whoever went
   *  on with its turn, also in another process if there is a store. While the turn is suspended it gets the present state. If
   *  the turn failed and none has followed, the call goes on with it; an input that was refused is taken again. Rejects
   *  `run/key-reused` for another input with the same key. Without a store the newest 1,000 keys count. */
  readonly idempotencyKey?: string;
  /** An aborted signal interrupts the turn, then the call rejects with `run/aborted`. */
  readonly signal?: AbortSignal;
};

export type Reply<O = undefined> = Msg & {
  /** Why the turn ended, or what it waits for. */
  readonly reason: Reason;
  /** The text blocks of the message. */
  readonly text: string;
  /** The structured answer; undefined if none was asked for. */
  readonly output: O;
  /** The calls that wait for somebody; empty unless the turn is suspended. */
  readonly pending: readonly PendingCall[];
  /** What the turn has used so far. */
  readonly turn: {
    readonly usage: Usage;
    readonly iterations: number;
    readonly modelCalls: number;
    readonly toolCalls: number;
    readonly durationMs: number;
  };
};

export type Status = {
  /** `stopped`: ready for the next input. `suspended`: the turn waits for somebody. `unfinished`: it was cut off, and `call()`
   *  goes on with it. `quarantined`: this release cannot run the session. */
  readonly phase: "stopped" | "running" | "suspended" | "unfinished" | "quarantined";
  /** Of the turn that ended last or is suspended. */
  readonly reason?: Reason;
  readonly waitsFor: readonly WaitsFor[];
  readonly pending: readonly PendingCall[];
  /** Journal position; 0 without a store. */
  readonly seq: number;
};

/** A session as plain JSON: the transcript and at most 4 KB beside it. */
export type Snapshot = JsonObject & { readonly format: number };

/** The events of one turn, and its reply. Starts when first read; leaving the loop interrupts the turn. */
export type AgentStream<O> = AsyncIterable<AgentEvent> & { readonly reply: Promise<Reply<O>> };

export interface Agent<Ctx = unknown> {
  readonly name: string;
  readonly sessionId: string;
  readonly toolkit: Toolkit<Ctx>;
  /** To subscribe and inspect; to persist, use snapshot(). */
  readonly actor: AnyActorRef;
  /** Makes the agent ready. Every method does it by itself; nothing runs before call() or stream(). Rejects
   *  `session/conflict` while another process has the session, or had it when it died less than its `leaseMs` ago. */
  open(): Promise<void>;
  /** Runs a turn to its end. Rejects with AgentError: `run/busy`, `run/pending`, `run/bad-results`, `run/undecided`,
   *  `message/invalid` (nothing changed), or what failed the turn. */
  call<const S extends Schema | undefined = undefined>(
    input?: Input,
    options?: CallOptions<S, Ctx>,
  ): Promise<Reply<OutputOf<S>>>;
  /** As call, with every event on the way. A slow reader gets fewer, longer deltas; no text is lost and the run is
   *  not slowed. */
  stream<const S extends Schema | undefined = undefined>(
    input?: Input,
    options?: CallOptions<S, Ctx> & { readonly cumulative?: boolean },
  ): AgentStream<OutputOf<S>>;
  /** Records a decision, runs nothing, and returns what is still undecided; then call(). A call whose outcome is unknown takes
   *  `"retry"`, `{ answer }` and `"deny"` only. Rejects `run/bad-results` for an unknown call, `run/stale-decision` if the
   *  arguments are others than `expect` says, and `run/bad-decision` for a decision that this call does not take. */
  decide(callId: string, decision: Decision, expect?: { readonly argsHash: string }): Promise<PendingCall[]>;
  /** False: no turn was running or suspended, and nothing is remembered. */
  interrupt(message?: string | Msg): boolean;
  /** Seen by the next model call: of this turn, or of the next one if the structured answer of this one is there already.
   *  False: no turn is running, and nothing is remembered. */
  steer(message: string | Msg): boolean;
  /** Adds messages without running anything; while calls are open they wait behind them. */
  observe(messages: Msg | readonly Msg[]): Promise<void>;
  messages(): Promise<Msg[]>;
  status(): Status;
  /** Adds to the limits of the turn that runs or waits; then call(). Runs nothing. The next turn has the configured ones. */
  extendBudget(extra: Omit<Budget, "onExceeded">): Promise<void>;
  /** A listener that throws harms nobody. With `types` only events of these are heard, and others that nobody listens to
   *  are not even made; with `after`, what a store has from that position on comes first. Returns the way to stop. Throws
   *  `config/invalid` for a type there is not. */
  subscribe(
    listener: (event: AgentEvent) => void,
    options?: { readonly after?: number; readonly types?: readonly AgentEvent["type"][] },
  ): () => void;
  addHook(hook: Hook<Ctx>): void;
  removeHook(name: string): boolean;
  /** At any instant; holds the transcript and nothing else of that size. `createAgent({ ...config, snapshot })` goes on. */
  snapshot(): Snapshot;
  /** Saves the session under another key: messages, open calls, active tool groups. Rejects `session/conflict` while another
   *  process has that session. */
  saveTo(store: SessionStore, key: string, parts?: SavedParts): Promise<void>;
  /** Goes on with what {@link Agent.saveTo} saved. Rejects `session/not-found`. */
  loadFrom(store: SessionStore, key: string, parts?: SavedParts): Promise<void>;
  /** As loadFrom; false, and nothing changed, if there is no such session. */
  loadIfExists(store: SessionStore, key: string, parts?: SavedParts): Promise<boolean>;
  /** Lets the turn reach its next commit point, saves and frees everything; the running call rejects `run/shutdown`, and
   *  `call()` in any process goes on. After `deadlineMs` (default 10,000) the turn ends wherever it is; a store that does not answer
   *  is waited for half a second more, and the lease then expires by itself. */
  shutdown(options?: { readonly deadlineMs?: number }): Promise<void>;
  /** Interrupts what runs and frees everything. Later calls reject `run/closed`. */
  close(): Promise<void>;
}

/** Any JSON value, named here for callers that build snapshots by hand. */
export type { Json };
