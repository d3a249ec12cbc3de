import type { SessionStore } from "agentchart";

/** `append`: the number of the operation among those that are counted. */
export type Death = { readonly append: number; readonly when: "before" | "after" };

export type Mortal = {
  readonly store: SessionStore;
  readonly appends: () => number;
  readonly isDead: () => boolean;
  /** Ends what hangs, so that the test can end. */
  readonly bury: () => void;
};

/** A store as a process sees it that dies before or after its n-th append: nothing it asks is done or answered any more. `counted`: the
 *  operations that count as appends. */
export function mortal(
  real: SessionStore,
  death?: Death,
  counted: readonly (keyof SessionStore)[] = ["append"],
): Mortal {
  const buried = Promise.withResolvers<never>();
  buried.promise.catch(() => {});
  let appends = 0;
  let isDead = false;
  const dieIf = (when: Death["when"], append: number): void => {
    if (death?.append === append && death.when === when) isDead = true;
  };
  const store = new Proxy(real, {
    get(target, key) {
      const member = Reflect.get(target, key, target) as unknown;
      if (typeof member !== "function" || key === "read") return member;
      return async (...args: unknown[]) => {
        const number = counted.includes(key as keyof SessionStore) ? ++appends : undefined;
        if (number !== undefined) dieIf("before", number);
        if (isDead) return buried.promise;
        const result: unknown = await Reflect.apply(member, target, args);
        if (number !== undefined) dieIf("after", number);
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
