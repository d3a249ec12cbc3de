import type { SessionStore } from "agentchart";
import { watchedStore } from "../../../src/testing/crash/watched-store.ts";

/** When a process dies: before or after its n-th append. */
export type DieAt = { readonly append: number; readonly when: "before" | "after" };

/** Longer than a process may stall on a busy machine; `live` ends the leases of one that was killed. */
export const LEASE_MS = 60_000;

/** A store in whose append the process dies by its orders, and the number of appends so far. It prints each lease behind "LEASE", so
 *  that the test can end one whose holder it knows to be dead. */
export function dyingStore(
  real: SessionStore,
  dieAt: DieAt | undefined,
): { readonly store: SessionStore; readonly appends: () => number } {
  let appends = 0;
  const store = watchedStore(real, {
    acquired: (lease) => void process.stdout.write(`LEASE ${JSON.stringify(lease)}\n`),
    instant: (append, when) => {
      appends = Math.max(appends, append);
      if (dieAt?.when === when && dieAt.append === append) process.kill(process.pid, "SIGKILL");
    },
  });
  return { store, appends: () => appends };
}
