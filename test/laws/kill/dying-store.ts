import type { SessionStore } from "agentchart";

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
  const dieIf = (when: DieAt["when"]): void => {
    if (dieAt?.when === when && dieAt.append === appends) process.kill(process.pid, "SIGKILL");
  };
  const store = new Proxy(real, {
    get(target, key) {
      const member = Reflect.get(target, key, target) as unknown;
      if (typeof member !== "function") return member;
      if (key === "acquire")
        return async (...args: Parameters<SessionStore["acquire"]>) => {
          const lease = await target.acquire(...args);
          process.stdout.write(`LEASE ${JSON.stringify(lease)}\n`);
          return lease;
        };
      if (key !== "append") return member.bind(target) as unknown;
      return async (...args: Parameters<SessionStore["append"]>) => {
        appends++;
        dieIf("before");
        const seq = await target.append(...args);
        dieIf("after");
        return seq;
      };
    },
  });
  return { store, appends: () => appends };
}
