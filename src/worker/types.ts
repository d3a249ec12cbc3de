import type { AgentEvent } from "../core/event/types.ts";
import type { SessionOptions } from "../agent/options/config-groups.ts";
import type { AgentConfig } from "../agent/options/agent-config.ts";
import type { Budget, DecideOptions, Input } from "../agent/types.ts";
import type { ErrorInfo } from "../core/base/error.ts";
import type { Json, JsonObject } from "../core/base/json.ts";
import type { Msg, Reason } from "../core/message/types.ts";
import type { WakeQueue } from "./queue/port.ts";
import type { ScheduleOptions } from "./schedule/options.ts";
import type { SessionPhase, SessionStore } from "../store/port.ts";
import type { ClientTool } from "../core/tool/declared-tools.ts";
import type { Decision, PendingCall, WaitsFor } from "../core/tool/pending.ts";
import type { Schema } from "../core/tool/types.ts";

// ── Dispatcher

/** Options of {@link Dispatcher.dispatch}. */
export type DispatchOptions = {
  /** The name of the worker's agent that drives the session. Required for a new session, ignored for others. */
  readonly agent?: string | undefined;
  /** An integer from 0 (default, first) to 2,097,152 (last). */
  readonly priority?: number | undefined;
  /** The input is processed no earlier than this many ms from now; default 0. The store holds the time, not the queue. */
  readonly delayMs?: number | undefined;
  /** A second input with the same key is not accepted (`state: "duplicate"`), and a call with other messages is rejected with
   *  `run/key-reused`. Default: a new key. */
  readonly idempotencyKey?: string | undefined;
  /** Labels of a new session, ignored for others. Limits apply by `meta.tenant`. */
  readonly meta?: JsonObject | undefined;
  /** The id of a session of the same store. When the turn of this input has ended (not while it waits), that session gets a message
   *  with the reply or the error, once: in its running turn, or as the input of a new one. Nothing happens if no worker drives it. */
  readonly reportTo?: string | undefined;
  /** The tools that the client of this input runs itself, as the option of `call`: those count that the agent lists in `clientTools`.
   *  Rejects `message/invalid` for a declaration of another form, and for more than 64 tools or 48 KiB of JSON. */
  readonly clientTools?: readonly ClientTool[] | undefined;
};

/** Options of the other commands of a {@link Dispatcher}. */
export type CommandOptions = Pick<DispatchOptions, "idempotencyKey">;

/** The result of dispatching an input. */
export type Dispatched = {
  /** Its idempotency key. */
  readonly inputId: string;
  /** `accepted`: the input is durable. `duplicate`: the session had an input with this key, and nothing was changed. */
  readonly state: "accepted" | "duplicate";
  /** False if the queue did not accept the wake-up: a worker's sweep finds the input later. */
  readonly woken: boolean;
};

/** The status of a session according to its store. */
export type SessionStatus = {
  readonly sessionId: string;
  /** The name of the worker's agent that drives it. */
  readonly agent?: string | undefined;
  /** `stopped` with a `seq` of 0 for a session whose first input is not processed yet. */
  readonly phase: SessionPhase;
  /** The reason for which the last turn ended. */
  readonly reason?: Reason | undefined;
  /** The error with which the last turn ended, or with which the last inputs were refused because their agent cannot be made. Its message
   *  may be cut. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** The conditions for which a suspended session waits. */
  readonly waitsFor: readonly WaitsFor[];
  /** The calls that wait for a decision or an answer. */
  readonly pending: readonly PendingCall[];
  /** The number of the newest journal entry. */
  readonly seq: number;
  /** Epoch ms at which a worker resumes it without an input. */
  readonly wakeAt?: number | undefined;
  /** Its labels. */
  readonly meta: JsonObject;
  /** The number of inputs that are not processed yet; 100 means 100 or more. */
  readonly inputs: number;
  /** Present if the phase is `quarantined`. */
  readonly quarantine?: Quarantine | undefined;
};

/** The reason for which a session is not resumed. */
export type Quarantine = {
  readonly reason: string;
  /** Epoch ms since when. */
  readonly at: number;
};

/** A quarantined session. */
export type DeadLetter = Quarantine & { readonly sessionId: string; readonly meta: JsonObject };

/** Options of {@link Dispatcher.subscribe}. */
export type SubscribeOptions = {
  /** Only events after the journal entry with this number, or after the event with this `position`; default 0: all. */
  readonly after?: number | string | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Sends inputs and commands to sessions that workers drive. It needs no worker in its process and acquires no lease. What it
 * accepts is durable and takes effect once, in the order of acceptance, whatever happens to workers. `interrupt`, `steer`,
 * `cancel`, `extendBudget` and `setSlot` also reach a running turn, before the inputs that are queued behind it.
 *
 * If the agent then refuses an input (a decision that came too late, steering without a running turn), subscribers receive
 * `input.refused`, or a `turn.end` with an error, and the input is not repeated.
 *
 * Methods reject `message/invalid` and `config/invalid` for invalid arguments, `session/not-found` for a command to a session
 * without journal and inputs, and `store/failed`.
 */
export interface Dispatcher {
  /** Adds an input to a session, and creates the session if it is new. `undefined` resumes the session, as `agent.call()`
   *  does. */
  dispatch(sessionId: string, input: Input, options?: DispatchOptions): Promise<Dispatched>;
  /** Decides about an open call; once all calls are decided the turn is resumed. `argsHash` binds the decision to the call's
   *  arguments, `by` says in the journal who has decided. A decision that is dispatched before the approval expires is valid, however late a worker reads it. */
  decide(
    sessionId: string,
    callId: string,
    decision: Decision,
    options?: CommandOptions & DecideOptions,
  ): Promise<Dispatched>;
  /** Answers an open call; once no call is open the turn is resumed. `by` says in the journal who has answered. */
  answer(
    sessionId: string,
    callId: string,
    answer: Extract<Decision, { readonly answer: unknown }>["answer"],
    options?: CommandOptions & Pick<DecideOptions, "by">,
  ): Promise<Dispatched>;
  /** Ends the running or suspended turn. `message` is stored and read by the model in the next turn. */
  interrupt(sessionId: string, message?: string | Msg, options?: CommandOptions): Promise<Dispatched>;
  /** Adds a message to the next model call of the running turn. */
  steer(sessionId: string, message: string | Msg, options?: CommandOptions): Promise<Dispatched>;
  /** As `interrupt`; also refuses the inputs that are not processed yet, delayed ones included. */
  cancel(sessionId: string, options?: CommandOptions): Promise<Dispatched>;
  /** Raises the limits of the turn by `extra`, and resumes it if it was suspended for its budget. */
  extendBudget(
    sessionId: string,
    extra: Omit<Budget, "onExceeded">,
    options?: CommandOptions,
  ): Promise<Dispatched>;
  /** Writes a slot of the session, at rest or while a turn runs. With `revision`, the number of writes that was seen, it is refused
   *  (`slot/conflict`) if the slot was written since. */
  setSlot(
    sessionId: string,
    name: string,
    value: Json,
    options?: CommandOptions & { readonly revision?: number | undefined },
  ): Promise<Dispatched>;
  /** Sums up the conversation once no turn runs, as `agent.compact()` does; refused in the middle of a turn that rests.
   *  If its worker ends meanwhile it is done again, by the next turn at the latest. */
  compact(
    sessionId: string,
    options?: CommandOptions & { readonly instructions?: string | undefined },
  ): Promise<Dispatched>;
  /** Returns the status of a session. Rejects `session/not-found` for a session without journal and inputs. */
  status(sessionId: string): Promise<SessionStatus>;
  /** Yields the events of a session, whichever process drives it, in the order of its agent. Those of the journal come each with its `seq`
   *  and `position`, and none is missing (`message`, `tool.start`, `tool.end`, `retry` of a call, `pending`, `slot`, `agent.changed`,
   *  `session.taken`, `turn.end`, `input.refused`). Between them come, with best effort, those that are not stored (deltas, states). Ends
   *  when `signal` aborts. Throws `session/not-found` once a session that was deleted has begun again. */
  subscribe(sessionId: string, options?: SubscribeOptions): AsyncIterable<AgentEvent>;
  /** Returns one page (`limit` sessions, default 100) of the quarantined sessions, in the order of their ids. `meta`: only
   *  sessions with these labels. */
  deadLetters(options?: {
    readonly meta?: JsonObject | undefined;
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
  }): Promise<{ readonly letters: readonly DeadLetter[]; readonly cursor?: string | undefined }>;
  /** Ends a quarantine and wakes the session. Returns false if the session was not quarantined. Rejects `session/conflict`
   *  while another process holds its lease, and `session/damaged` if its journal is damaged. */
  retry(sessionId: string): Promise<boolean>;
  /** Wakes a session; has no effect if it has nothing to do. */
  wake(sessionId: string, options?: { readonly priority?: number | undefined }): Promise<void>;
}

/** Options of {@link createDispatcher}. */
export type DispatcherOptions = {
  /** The queue of the workers. */
  readonly queue: WakeQueue;
  /** The store of the workers. */
  readonly store: SessionStore;
  /** The clock of delays, epoch ms; default `Date.now`. */
  readonly now?: (() => number) | undefined;
};

// ── Workers

/** The session for which a worker makes an agent. */
export type WorkerSession = { readonly sessionId: string; readonly meta: JsonObject };

/** The configuration of an agent, without the options that the worker sets. Without `turnOptions.onTextWhilePending`, text that comes
 *  while calls are open stays in the inbox until none is open. */
export type WorkerAgentConfig<Ctx = never> = Omit<
  AgentConfig<Ctx>,
  "store" | "sessionId" | "sessionOptions"
> & {
  readonly sessionOptions?: Omit<SessionOptions, "snapshot" | "leaseMs"> | undefined;
  /** The shape of the answer of each turn, as the option of `call`. A turn that another process began with a schema that cannot
   *  be stored, such as one of zod, goes on only with that schema. Default: none is asked for. */
  readonly output?: Schema | undefined;
};

/** The configuration of an agent with any context; use `satisfies WorkerAgentConfig<MyContext>` to have it checked. */
export type AnyWorkerAgentConfig = Omit<WorkerAgentConfig, "context"> & { readonly context?: unknown };

/** The agents of a worker: functions by name, each called whenever a session of that name is opened. */
export type WorkerAgents = {
  readonly [name: string]: (session: WorkerSession) => AnyWorkerAgentConfig | Promise<AnyWorkerAgentConfig>;
};

/** Limits of one tenant, over all workers of a store. */
export type TenantLimits = {
  /** The number of sessions that run at once. */
  readonly concurrency?: number | undefined;
  /** At most `max` sessions are started within `perMs` ms. */
  readonly rate?: { readonly max: number; readonly perMs: number } | undefined;
};

/** Options of {@link createWorker}. */
export type WorkerOptions = {
  readonly queue: WakeQueue;
  readonly store: SessionStore;
  readonly agents: WorkerAgents;
  /** The number of sessions at once; default 10. */
  readonly concurrency?: number | undefined;
  /** The time for which a session stays locked after its worker died, ms; default 10,000. */
  readonly leaseMs?: number | undefined;
  /** The interval at which a running session reads its inbox for inputs whose signal was lost, ms; default 1,000. */
  readonly pollMs?: number | undefined;
  /** The interval at which the store is searched for sessions whose wake-up was lost, ms; default 5,000; 0: never. */
  readonly sweepMs?: number | undefined;
  /** The delay before a session that cannot run now is requeued, ms; default 1,000. Another process holds such a session, its tenant's
   *  limits hold it back, its agent is unknown, or this release cannot read it. The delay doubles up to 32 times this value, except for
   *  limits. */
  readonly retryMs?: number | undefined;
  /** The number of workers in a row that died with a session before it is quarantined; default 3. */
  readonly maxCrashes?: number | undefined;
  /** The number of times in a row that this worker tries to make the agent of a session before it refuses the inputs that wait; default 3.
   *  Failures of store and queue, errors that say that they are retryable, and sessions that another process has do not count. */
  readonly maxTries?: number | undefined;
  /** The time for which an input waits for a worker that has its agent, ms; default 600,000, 10 minutes. It is refused then
   *  (`config/no-agent`) by a worker that has looked for the agent `maxTries` times. Give more where workers that have it may be busy for
   *  longer. */
  readonly unknownAgentMs?: number | undefined;
  /** The time for which operations of a failing store are repeated before a session is released, ms; default 30,000; 0: not at all. */
  readonly storeTimeoutMs?: number | undefined;
  /** Schedules by their names, which are stored when the worker is started: any worker of the store runs them. A name that a program has added
   *  rejects `schedule/exists` then. One that is no longer here stays until it is removed. */
  readonly schedules?: { readonly [name: string]: ScheduleOptions } | undefined;
  /** By `meta.tenant`; those of `*` apply to tenants that are not listed. Default: no limits. */
  readonly limits?: { readonly [tenant: string]: TenantLimits } | undefined;
  /** The clock, epoch ms; default `Date.now`. */
  readonly now?: (() => number) | undefined;
};

/** Counters since the worker was created; `state` and `running` are current values. */
export type WorkerStats = {
  readonly state: "idle" | "running" | "draining" | "closed";
  /** Sessions that are open now. */
  readonly running: number;
  /** Sessions opened. */
  readonly sessions: number;
  /** Sessions opened after another worker had died with them. */
  readonly takeovers: number;
  /** Turns that ended. */
  readonly turns: number;
  /** Turns that ended with an error. */
  readonly failures: number;
  /** Model calls and tool calls that ended. */
  readonly steps: number;
  /** Sessions released while suspended. */
  readonly suspended: number;
  /** Inputs that took effect. */
  readonly inputsTaken: number;
  /** Inputs that the agent refused. */
  readonly inputsRefused: number;
  /** Leases that were lost to another worker. */
  readonly leasesLost: number;
  /** Model and tool calls that were repeated after a failure. */
  readonly retries: number;
  /** Sessions that were requeued, see `session.putBack` of {@link WorkerEvent}. */
  readonly putBack: number;
  /** Sessions that were quarantined. */
  readonly quarantined: number;
  /** Sessions that the sweep woke. */
  readonly swept: number;
  /** Failures of queue and store, those included after which an operation was repeated. */
  readonly errors: number;
};

/** The session that an event is about; `agent` and `tenant` are absent while they are unknown. */
export type WorkerSessionRef = {
  readonly sessionId: string;
  readonly agent?: string | undefined;
  readonly tenant?: string | undefined;
};

/** The tick that an event is about. */
export type ScheduleTick = { readonly schedule: string; readonly tick: number; readonly sessionId: string };

/** The events of a worker, for logs and metrics. `at` is epoch ms. No event holds a message or an argument. */
export type WorkerEvent = { readonly at: number } & (
  | { readonly type: "worker.state"; readonly state: WorkerStats["state"] }
  /** A session was opened. `queueDelayMs`: since its wake-up was due. `isTakeover`: another worker had died with it, whose process
   *  `takenFrom` names if it is known. */
  | (WorkerSessionRef & {
      readonly type: "session.start";
      readonly queueDelayMs: number;
      readonly fence: number;
      readonly isTakeover: boolean;
      readonly takenFrom?: string | undefined;
    })
  /** A session was released. */
  | (WorkerSessionRef & {
      readonly type: "session.end";
      readonly phase: SessionPhase;
      readonly reason?: Reason | undefined;
      readonly durationMs: number;
    })
  /** The lease of a session was lost. */
  | (WorkerSessionRef & { readonly type: "session.lost"; readonly error: ErrorInfo })
  /** A session was requeued for `retryAt` (epoch ms). Another process holds it (`taken`), its tenant's limits hold it back, this release
   *  cannot read it, its turn is that of another release (`pinned`), or its agent could not be made. */
  | (WorkerSessionRef & {
      readonly type: "session.putBack";
      readonly why: "taken" | "limited" | "unreadable" | "pinned" | "failed";
      readonly error?: ErrorInfo | undefined;
      readonly retryAt: number;
    })
  /** This worker has no agent of the session's name. Another worker may have one, so its inputs are refused only after
   *  `unknownAgentMs`. */
  | (WorkerSessionRef & { readonly type: "session.unknown" })
  | (WorkerSessionRef & { readonly type: "session.quarantined"; readonly reason: string })
  /** An input took effect. `waitedMs`: since it was due. */
  | (WorkerSessionRef & {
      readonly type: "input.taken";
      readonly inputId: string;
      readonly kind: string;
      readonly waitedMs: number;
    })
  /** The agent refused an input, cannot be made, or is unknown. */
  | (WorkerSessionRef & {
      readonly type: "input.refused";
      readonly inputId: string;
      readonly kind: string;
      readonly error: ErrorInfo;
    })
  /** A model call or a tool call ended. */
  | (WorkerSessionRef & {
      readonly type: "step";
      readonly step: "model" | "tool";
      readonly durationMs: number;
      readonly isError: boolean;
    })
  /** A model call or a tool call is repeated after a failure. */
  | (WorkerSessionRef & {
      readonly type: "retry";
      readonly step: "model" | "tool";
      readonly attempt: number;
    })
  | (WorkerSessionRef & {
      readonly type: "turn.end";
      readonly reason: Reason;
      readonly durationMs: number;
      readonly error?: ErrorInfo | undefined;
    })
  /** A tick of a schedule (epoch ms) has started a session, or was given to one as an input. */
  | (ScheduleTick & { readonly type: "schedule.tick"; readonly lateMs: number })
  /** A tick of a schedule could not be started, and is not tried again. */
  | (ScheduleTick & { readonly type: "schedule.failed"; readonly error: ErrorInfo })
  /** The ticks of a schedule between these two (epoch ms) never start: no worker was there in time. */
  | {
      readonly type: "schedule.skipped";
      readonly schedule: string;
      readonly from: number;
      readonly to: number;
    }
  /** The queue, which was away when the worker was started, delivers wake-ups now. */
  | { readonly type: "queue.connected" }
  /** A sweep woke sessions. */
  | { readonly type: "sweep"; readonly woken: number }
  | { readonly type: "error"; readonly from: "queue" | "store" | "worker"; readonly error: ErrorInfo }
);

/** Drives the sessions that its queue wakes, from their inboxes, until they are at rest. */
export interface Worker {
  /** Starts to process wake-ups; resolves when it is ready. While the queue is away it takes sessions from the store, reports an `error`
   *  for each attempt to reach the queue, and `queue.connected` once it is there. Rejects `store/failed`, `queue/failed` for a queue that is
   *  closed, `run/invalid-event` if it was started before, and `run/closed` if it was closed. */
  start(): Promise<void>;
  /** Processes no more wake-ups, lets running sessions reach their next commit point, releases them and wakes them for another
   *  worker. Sessions that still run after `deadlineMs` (default 10,000) are abandoned. Leaves queue and store open. */
  close(options?: { readonly deadlineMs?: number | undefined }): Promise<void>;
  /** Returns the current counters. */
  stats(): WorkerStats;
  /** Calls `listener` with every event. A listener that throws affects nothing else. Returns a function that unsubscribes. */
  subscribe(listener: (event: WorkerEvent) => void): () => void;
}
