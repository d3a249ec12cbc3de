import type { AgentEvent } from "../event/types.ts";
import type { AgentConfig, Budget, Input } from "../agent/types.ts";
import type { ErrorInfo } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { Msg, Reason } from "../message/types.ts";
import type { WakeQueue } from "./queue/port.ts";
import type { SessionPhase, SessionStore } from "../store/port.ts";
import type { Decision, PendingCall, WaitsFor } from "../tool/pending.ts";

// ── dispatching: from any process

export type DispatchOptions = {
  /** Which of the workers' agents has the session. Needed for a session that is new; later it is known. */
  readonly agent?: string;
  /** A whole number from 0 (default, first) to 2,097,152 (last). */
  readonly priority?: number;
  /** The input is taken in so many ms after now, not before; default 0. Survives the queue: the store knows it. */
  readonly delayMs?: number;
  /** The same key twice is one input of the session. Default: a new one. */
  readonly idempotencyKey?: string;
  /** Tenant, labels; they count for a session that is new. `tenant` is what limits go by. */
  readonly meta?: JsonObject;
};

export type CommandOptions = Pick<DispatchOptions, "idempotencyKey">;

/** What became of an input. */
export type Dispatched = {
  /** Its idempotency key. */
  readonly inputId: string;
  /** `accepted`: it is durable. `duplicate`: the session was given this key before, and nothing was changed. */
  readonly state: "accepted" | "duplicate";
  /** False: the queue did not take the wake-up, so the input waits until a worker's sweep finds it. */
  readonly woken: boolean;
};

/** A session as the store knows it. */
export type SessionStatus = {
  readonly sessionId: string;
  /** Which of the workers' agents has it, once that is known. */
  readonly agent?: string;
  /** `stopped` with a `seq` of 0 for a session whose first input still waits. */
  readonly phase: SessionPhase;
  readonly reason?: Reason;
  readonly waitsFor: readonly WaitsFor[];
  /** The calls that wait for somebody. */
  readonly pending: readonly PendingCall[];
  readonly seq: number;
  /** Epoch ms when a worker will look at it by itself. */
  readonly wakeAt?: number;
  readonly meta: JsonObject;
  /** Inputs that are not taken in yet; 100 stands for that many or more. */
  readonly inputs: number;
  readonly quarantine?: Quarantine;
};

/** Why nobody goes on with a session. */
export type Quarantine = {
  readonly reason: string;
  /** Epoch ms. */
  readonly at: number;
};

export type DeadLetter = Quarantine & { readonly sessionId: string; readonly meta: JsonObject };

export type SubscribeOptions = {
  /** Only what came after this journal position; default 0, the whole story. */
  readonly after?: number;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
};

/**
 * Talks to sessions that workers drive. Needs no worker in its process and holds no lease. What it accepts is durable and
 * takes effect once, in the order accepted, whatever happens to workers; `interrupt`, `steer`, `decide`, `answer` and
 * `extendBudget` also reach a turn that runs, before the inputs that wait behind it.
 *
 * What a worker then refuses (a decision that came too late, steering when nothing runs) is told by the event
 * `input.refused` or by a `turn.end` with an error, and is not tried again.
 *
 * Throws `message/invalid` and `config/invalid` for what can never be taken, `session/not-found` for a word to a session that
 * nobody began, and `store/failed`.
 */
export interface Dispatcher {
  /** Gives a session its next input. Nothing = go on, as for `agent.call()`. */
  dispatch(sessionId: string, input: Input, options?: DispatchOptions): Promise<Dispatched>;
  /** Decides about an open call; once nothing is undecided the turn goes on. `argsHash` binds the decision to these very
   *  arguments. One that is dispatched before its time is over holds, however late a worker reads it. */
  decide(
    sessionId: string,
    callId: string,
    decision: Decision,
    options?: CommandOptions & { readonly argsHash?: string },
  ): Promise<Dispatched>;
  /** Gives the result of an open call; once none is open the turn goes on. */
  answer(
    sessionId: string,
    callId: string,
    answer: Extract<Decision, { readonly answer: unknown }>["answer"],
    options?: CommandOptions,
  ): Promise<Dispatched>;
  /** Ends the turn that runs or is suspended. */
  interrupt(sessionId: string, message?: string | Msg, options?: CommandOptions): Promise<Dispatched>;
  /** A message for the next model call of the turn that runs. */
  steer(sessionId: string, message: string | Msg, options?: CommandOptions): Promise<Dispatched>;
  /** As interrupt, and the inputs that wait are dropped, those with a delay too. */
  cancel(sessionId: string, options?: CommandOptions): Promise<Dispatched>;
  /** Adds to the limits of the turn and goes on with it. */
  extendBudget(
    sessionId: string,
    extra: Omit<Budget, "onExceeded">,
    options?: CommandOptions,
  ): Promise<Dispatched>;
  /** Rejects `session/not-found` for a session that has neither a journal nor an input. */
  status(sessionId: string): Promise<SessionStatus>;
  /** What happened and happens in a session, from whatever process it runs in: the facts of the journal in order, each with
   *  its `seq`, missing none; between them, best effort, what is not stored (deltas, states). Ends with its signal. */
  subscribe(sessionId: string, options?: SubscribeOptions): AsyncIterable<AgentEvent>;
  /** One page of the sessions that are quarantined, in the order of their ids. */
  deadLetters(options?: {
    readonly meta?: JsonObject;
    readonly cursor?: string;
    readonly limit?: number;
  }): Promise<{ readonly letters: readonly DeadLetter[]; readonly cursor?: string }>;
  /** Ends a quarantine and wakes the session. False if it was not quarantined. Rejects `session/conflict` while another
   *  process has it. */
  retry(sessionId: string): Promise<boolean>;
  /** Wakes a session; harmless if it has nothing to do. */
  wake(sessionId: string, options?: { readonly priority?: number }): Promise<void>;
}

export type DispatcherOptions = {
  readonly queue: WakeQueue;
  readonly store: SessionStore;
  readonly now?: () => number;
};

// ── working

export type WorkerSession = { readonly sessionId: string; readonly meta: JsonObject };

/** An agent's configuration without what the worker gives: the store and the session. Without `onTextWhilePending`, text that
 *  comes while calls are open waits in the inbox until they are not. */
export type WorkerAgentConfig<Ctx = never> = Omit<
  AgentConfig<Ctx>,
  "store" | "sessionId" | "snapshot" | "leaseMs"
>;

/** The configuration of an agent of any context; say `satisfies WorkerAgentConfig<MyContext>` to have it checked. */
export type AnyAgentConfig = Omit<WorkerAgentConfig, "context"> & { readonly context?: unknown };

/** The agents a worker can be, by name. Asked whenever a session is opened. */
export type WorkerAgents = {
  readonly [name: string]: (session: WorkerSession) => AnyAgentConfig | Promise<AnyAgentConfig>;
};

/** Limits of one tenant, all workers of the store together. */
export type TenantLimits = {
  /** Sessions that run at once. */
  readonly concurrency?: number;
  /** Sessions begun: at most `max` in any `perMs`. */
  readonly rate?: { readonly max: number; readonly perMs: number };
};

export type WorkerOptions = {
  readonly queue: WakeQueue;
  readonly store: SessionStore;
  readonly agents: WorkerAgents;
  /** Sessions at once; default 10. */
  readonly concurrency?: number;
  /** How long a session stays taken after the death of its worker, in ms; default 10,000. */
  readonly leaseMs?: number;
  /** How often a running session looks for inputs whose signal got lost, in ms; default 1,000. */
  readonly pollMs?: number;
  /** How often sessions whose wake-up got lost are looked for, in ms; default 5,000; 0 = never. */
  readonly sweepMs?: number;
  /** When a session is tried again that another process has, that its tenant's limits hold back, that has another agent, or
   *  that this release cannot read, in ms; default 1,000. All but limits hold it back ever longer, up to 32 times that. */
  readonly retryMs?: number;
  /** Deaths of workers in a row before a session is quarantined; default 3. */
  readonly maxCrashes?: number;
  /** How long a store that does not answer is waited for before a session is given up, in ms; default 30,000. */
  readonly storeTimeoutMs?: number;
  /** By tenant (`meta.tenant`); `*` is for those without their own. */
  readonly limits?: { readonly [tenant: string]: TenantLimits };
  readonly now?: () => number;
};

/** Counted since the worker began, except `running`. */
export type WorkerStats = {
  readonly state: "idle" | "running" | "draining" | "closed";
  /** Sessions open now. */
  readonly running: number;
  /** Sessions opened. */
  readonly sessions: number;
  /** Those of them that another worker had died with. */
  readonly takeovers: number;
  /** Turns that ended; those of them that ended with an error. */
  readonly turns: number;
  readonly failures: number;
  /** Model calls and tool calls that ended. */
  readonly steps: number;
  /** Sessions left suspended. */
  readonly suspended: number;
  readonly inputsTaken: number;
  readonly inputsRefused: number;
  readonly leasesLost: number;
  /** Attempts repeated: by the chart, of models and tools. */
  readonly retries: number;
  /** Sessions put back, because another process had them or limits held them back. */
  readonly putBack: number;
  readonly quarantined: number;
  /** Sessions that the sweep woke. */
  readonly swept: number;
  /** Failures of queue and store that it got over. */
  readonly errors: number;
};

type OfSession = { readonly sessionId: string; readonly agent?: string; readonly tenant?: string };

/** What a worker does, for logs and metrics. Holds no message and no argument of anybody. */
export type WorkerEvent = { readonly at: number } & (
  | { readonly type: "worker.state"; readonly state: WorkerStats["state"] }
  /** `queueDelayMs`: from when the wake-up was due to now. */
  | (OfSession & {
      readonly type: "session.start";
      readonly queueDelayMs: number;
      readonly fence: number;
      readonly isTakeover: boolean;
    })
  /** The job has ended and the session is free. */
  | (OfSession & {
      readonly type: "session.end";
      readonly phase: SessionPhase;
      readonly reason?: Reason;
      readonly durationMs: number;
    })
  | (OfSession & { readonly type: "session.lost"; readonly error: ErrorInfo })
  | (OfSession & {
      readonly type: "session.putBack";
      readonly why: "taken" | "limited" | "unreadable" | "failed";
      readonly error?: ErrorInfo;
      readonly retryAt: number;
    })
  /** No agent here has its name; another worker may. */
  | (OfSession & { readonly type: "session.unknown" })
  | (OfSession & { readonly type: "session.quarantined"; readonly reason: string })
  /** `waitedMs`: from when the input was due to now. */
  | (OfSession & {
      readonly type: "input.taken";
      readonly inputId: string;
      readonly kind: string;
      readonly waitedMs: number;
    })
  | (OfSession & {
      readonly type: "input.refused";
      readonly inputId: string;
      readonly kind: string;
      readonly error: ErrorInfo;
    })
  | (OfSession & {
      readonly type: "step";
      readonly step: "model" | "tool";
      readonly durationMs: number;
      readonly isError: boolean;
    })
  | (OfSession & { readonly type: "retry"; readonly step: "model" | "tool"; readonly attempt: number })
  | (OfSession & {
      readonly type: "turn.end";
      readonly reason: Reason;
      readonly durationMs: number;
      readonly error?: ErrorInfo;
    })
  | { readonly type: "sweep"; readonly woken: number }
  | { readonly type: "error"; readonly from: "queue" | "store" | "worker"; readonly error: ErrorInfo }
);

/** Drives the sessions that the queue wakes it for, from their inbox, until they are at rest. */
export interface Worker {
  /** Begins to take sessions; ends when it is ready to. Rejects `queue/failed` and `store/failed`. */
  start(): Promise<void>;
  /** Takes no more sessions, lets those that run reach their next commit point, saves, frees and wakes them for another
   *  worker. After `deadlineMs` (default 10,000) they end wherever they are. */
  close(options?: { readonly deadlineMs?: number }): Promise<void>;
  stats(): WorkerStats;
  /** A listener that throws harms nobody. Returns the way to stop. */
  subscribe(listener: (event: WorkerEvent) => void): () => void;
}
