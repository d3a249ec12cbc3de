import { loadTurn } from "../session/restore.ts";
import type { Runtime } from "./runtime.ts";

/** The messages of a session that are needed: those that a turn reads, or all. */
export type Needed = "turn" | "all";

/** Reads messages of an open session that are not here yet; undefined if all that are needed are. Rejects `session/damaged`, and as the
 *  store does. */
export function load(
  { context, host }: Pick<Runtime, "context" | "host">,
  needed: Needed,
): Promise<void> | undefined {
  // a persona's tools may be offered by what was said at any time
  return needed === "all" || host.personas ? context.transcript.load() : loadTurn(context);
}

/** Calls `next` when `ready` has resolved, at once if there is nothing to wait for. */
export function after<T>(ready: Promise<void> | undefined, next: () => T): T | Promise<Awaited<T>> {
  return ready ? (ready.then(next) as Promise<Awaited<T>>) : next();
}
