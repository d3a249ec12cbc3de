import type { SessionStore } from "agentchart";

export type Death = { readonly append: number; readonly when: "before" | "after" };

export type Mortal = {
  readonly store: SessionStore;
  readonly appends: () => number;
  readonly isDead: () => boolean;
  /** Ends what hangs, so that the test can end. */
  readonly bury: () => void;
};

/** A store as a process sees it that dies before or after its n-th append: nothing it asks is done or answered any more. */
export function mortal(real: SessionStore, death?: Death): Mortal {
  const buried = Promise.withResolvers<never>();
  buried.promise.catch(() => {});
  let appends = 0;
  let isDead = false;
  const dieIf = (when: Death["when"]): void => {
    if (death?.append === appends && death.when === when) isDead = true;
  };
  const store = new Proxy(real, {
    get(target, key) {
      const member = Reflect.get(target, key, target) as unknown;
      if (typeof member !== "function" || key === "read") return member;
      return async (...args: unknown[]) => {
        if (key === "append") {
          appends++;
          dieIf("before");
        }
        if (isDead) return buried.promise;
        const result: unknown = await Reflect.apply(member, target, args);
        if (key === "append") dieIf("after");
        return isDead ? buried.promise : result;
      };
    },
  });
  return {
    store,
    appends: () => appends,
    isDead: () => isDead,
    bury: () => {
      isDead = true;
      buried.reject(new Error("buried"));
    },
  };
}
