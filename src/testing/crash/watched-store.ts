import { withMembers } from "../../core/base/with-members.ts";
import type { Batch, Lease, SessionStore } from "../../store/port.ts";

/** The listener to what happens around the appends of a store. */
export type AppendWatch = {
  /** Called before the n-th append and after it, counted from 1: a process that dies here has not written it, or has. */
  readonly instant: (append: number, when: "before" | "after", sessionId: string, batch: Batch) => void;
  /** Called with each lease, before anybody uses it. */
  readonly acquired: (lease: Lease) => void;
};

/** A store that says when it appends, so that a process can die there. A lease that is being acquired is known before. */
export function watchedStore(real: SessionStore, watch: AppendWatch): SessionStore {
  let appends = 0;
  const acquiring = new Set<Promise<unknown>>();
  const instant = async (...args: Parameters<AppendWatch["instant"]>): Promise<void> => {
    await Promise.allSettled(acquiring);
    watch.instant(...args);
  };
  const acquire: SessionStore["acquire"] = (...args) => {
    const acquired = real.acquire(...args).then((lease) => {
      if (lease) watch.acquired(lease);
      return lease;
    });
    acquiring.add(acquired);
    const done = (): void => void acquiring.delete(acquired);
    acquired.then(done, done);
    return acquired;
  };
  const append: SessionStore["append"] = async (sessionId, batch) => {
    const number = ++appends;
    await instant(number, "before", sessionId, batch);
    const seq = await real.append(sessionId, batch);
    await instant(number, "after", sessionId, batch);
    return seq;
  };
  return withMembers(real, { acquire, append });
}
