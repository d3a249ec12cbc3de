import { errorInfo } from "../core/base/error.ts";
import { guarded } from "../core/base/guarded.ts";
import { elapsed } from "../core/base/time.ts";
import type { AgentEvent } from "../core/event/types.ts";
import type { WorkerEvent, WorkerSessionRef, WorkerStats } from "./types.ts";

type WorkerEventBody = WorkerEvent extends infer E ? (E extends WorkerEvent ? Omit<E, "at"> : never) : never;
type Counters = { -readonly [name in Exclude<keyof WorkerStats, "state" | "running">]: number };

/** The counter that each event raises by one. */
const COUNTED: { readonly [type in WorkerEvent["type"]]?: keyof Counters } = {
  "session.start": "sessions",
  "session.lost": "leasesLost",
  "session.putBack": "putBack",
  "session.quarantined": "quarantined",
  "input.taken": "inputsTaken",
  "input.refused": "inputsRefused",
  "turn.end": "turns",
  step: "steps",
  retry: "retries",
  error: "errors",
};

function count(counters: Counters, event: WorkerEventBody): void {
  const counter = COUNTED[event.type];
  if (counter) counters[counter]++;
  if (event.type === "session.start" && event.isTakeover) counters.takeovers++;
  if (event.type === "session.end" && event.phase === "suspended") counters.suspended++;
  if (event.type === "turn.end" && event.error) counters.failures++;
  if (event.type === "sweep") counters.swept += event.woken;
}

/** Counts and emits the events of a worker. */
export class Report {
  readonly #listeners = new Set<(event: WorkerEvent) => void>();
  readonly #now: () => number;
  readonly counters: Counters = {
    sessions: 0,
    takeovers: 0,
    turns: 0,
    failures: 0,
    steps: 0,
    suspended: 0,
    inputsTaken: 0,
    inputsRefused: 0,
    leasesLost: 0,
    retries: 0,
    putBack: 0,
    quarantined: 0,
    swept: 0,
    errors: 0,
  };

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts an event and calls all listeners with it. */
  emit(body: WorkerEventBody): void {
    count(this.counters, body);
    const event = { at: this.#now(), ...body } as WorkerEvent;
    for (const listener of this.#listeners) guarded(() => listener(event));
  }

  /** Reports a failure as one of the queue, the store or the worker, whichever its code names. */
  failed(thrown: unknown): void {
    const error = errorInfo(thrown, "store/failed");
    const [area] = error.code.split("/");
    this.emit({ type: "error", from: area === "queue" || area === "store" ? area : "worker", error });
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: (event: WorkerEvent) => void): () => void {
    const own = (event: WorkerEvent): void => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}

/** Returns a listener for the events of a session's agent that reports its steps, retries and turns. */
export function stepReporter(report: Report, session: WorkerSessionRef): (event: AgentEvent) => void {
  const modelAt = new Map<string, number>();
  const running = new Set<string>();
  let turnAt = 0;
  return (event) => {
    const { at } = event;
    if (event.type === "turn.start") turnAt = at;
    if (event.type === "model.start") modelAt.set(event.messageId, at);
    if (event.type === "model.end") {
      const startedAt = modelAt.get(event.messageId) ?? at;
      modelAt.delete(event.messageId);
      report.emit({
        ...session,
        type: "step",
        step: "model",
        durationMs: elapsed(startedAt, at),
        isError: event.error !== undefined,
      });
    }
    if (event.type === "tool.start" && event.attempt > 0) running.add(event.call.id);
    if (event.type === "tool.end" && running.delete(event.callId)) {
      const { durationMs, result } = event;
      report.emit({ ...session, type: "step", step: "tool", durationMs, isError: result.state === "error" });
    }
    if (event.type === "retry") {
      const step = event.callId === undefined ? "model" : "tool";
      report.emit({ ...session, type: "retry", step, attempt: event.attempt });
    }
    if (event.type === "turn.end") {
      const { reason, error } = event;
      report.emit({
        ...session,
        type: "turn.end",
        reason,
        durationMs: elapsed(turnAt, at),
        ...(error && { error }),
      });
    }
  };
}
