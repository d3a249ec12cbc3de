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
  const acquiring = new Set<Promise<unknown>>();
  /** A lease that is being acquired is printed before the process dies: the test could not end it otherwise. */
  const dieIf = async (when: DieAt["when"]): Promise<void> => {
    if (dieAt?.when !== when || dieAt.append !== appends) return;
    await Promise.allSettled(acquiring);
    process.kill(process.pid, "SIGKILL");
  };
  const store = new Proxy(real, {
    get(target, key) {
      const member = Reflect.get(target, key, target) as unknown;
      if (typeof member !== "function") return member;
      if (key === "acquire")
        return async (...args: Parameters<SessionStore["acquire"]>) => {
          const acquired = target.acquire(...args);
          const printed = acquired.then((lease) => process.stdout.write(`LEASE ${JSON.stringify(lease)}\n`));
          acquiring.add(printed);
          await printed.finally(() => acquiring.delete(printed));
          return acquired;
        };
      if (key !== "append") return member.bind(target) as unknown;
      return async (...args: Parameters<SessionStore["append"]>) => {
        appends++;
        await dieIf("before");
        const seq = await target.append(...args);
        await dieIf("after");
        return seq;
      };
    },
  });
  return { store, appends: () => appends };
}
