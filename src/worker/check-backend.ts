import { AgentError } from "../base/error.ts";
import { misspeltIn } from "../base/options.ts";
import type { DispatcherOptions } from "./types.ts";

/** Throws `config/invalid` unless these options have a queue and a store, and none that is nearly one of `more`. */
export function checkBackend(options: DispatcherOptions, more: readonly string[], from: string): void {
  const fail = (problem: string): never => {
    throw new AgentError("config/invalid", `${from}: ${problem}`);
  };
  if (typeof options !== "object" || options === null)
    fail("an object with `queue` and `store` is expected.");
  if (typeof options.queue?.wake !== "function")
    fail("`queue` must be a WakeQueue, as inProcessQueue() and bullQueue() give.");
  if (typeof options.store?.putInput !== "function")
    fail("`store` must be a SessionStore, as postgresStore() gives.");
  const problem = misspeltIn(options, ["queue", "store", ...more], "option");
  if (problem !== undefined) fail(problem);
}
