import type { Worker, WorkerEvent } from "../../worker/types.ts";
import type { Log } from "./open-log.ts";

type Level = Parameters<Log["write"]>[0];

const LEVELS: { readonly [type in WorkerEvent["type"]]: Level } = {
  "worker.state": "info",
  "queue.connected": "info",
  "session.start": "info",
  "session.end": "info",
  "session.lost": "warn",
  "session.putBack": "debug",
  "session.unknown": "warn",
  "session.quarantined": "error",
  "input.taken": "debug",
  "input.refused": "warn",
  step: "debug",
  retry: "info",
  "turn.end": "info",
  "schedule.tick": "info",
  "schedule.failed": "error",
  "schedule.skipped": "warn",
  sweep: "debug",
  error: "error",
};

/** Logs the events of a worker. Returns a function that stops it. */
export function logWorker(worker: Worker, log: Log): () => void {
  return worker.subscribe((event) => {
    const { type, at: _, ...fields } = event;
    const error = "error" in event ? event.error : undefined;
    const level = error && LEVELS[type] !== "error" ? "warn" : LEVELS[type];
    log.write(level, type, { ...fields, ...(error && { error: log.error(error) }) });
  });
}
