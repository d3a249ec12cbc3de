import { AgentError } from "../base/error.ts";
import { misspeltIn } from "../base/options.ts";
import type { DispatcherOptions } from "./types.ts";

/** Throws `config/invalid` unless the options have a queue and a store, and for a misspelt option. `more`: the names of the other
 *  options; `from` begins the message. */
export function checkBackend(options: DispatcherOptions, more: readonly string[], from: string): void {
  const fail = (problem: string): never => {
    throw new AgentError("config/invalid", `${from}: ${problem}`);
  };
  if (typeof options !== "object" || options === null) fail("expected an object with `queue` and `store`.");
  if (typeof options.queue?.wake !== "function")
    fail("`queue` must be a WakeQueue, such as inProcessQueue() or bullQueue().");
  if (typeof options.store?.putInput !== "function")
    fail("`store` must be a SessionStore, such as postgresStore().");
  const problem = misspeltIn(options, ["queue", "store", ...more], "option");
  if (problem !== undefined) fail(problem);
}
