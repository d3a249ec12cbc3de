import { AsyncLocalStorage } from "node:async_hooks";
import type { Cause } from "../../machines/agent/events.ts";

const storage = new AsyncLocalStorage<Cause>();

/** Runs a function; the events that methods of agents send meanwhile, also later in its promises, say that `cause` caused them. */
export function causedBy<T>(cause: Cause, run: () => T): T {
  return storage.run(cause, run);
}

/** The cause of an event that is sent now; undefined for the program that calls the agent. */
export function currentCause(): Cause | undefined {
  return storage.getStore();
}
