import type { SessionStore } from "agentchart/session";

/** A life of a process: after its death nothing that it does is seen any more. */
export type Life = {
  readonly store: SessionStore;
  readonly isOver: () => boolean;
  /** Resolves once it is over. */
  readonly death: Promise<void>;
  end(): void;
};

const never = (): Promise<never> => new Promise(() => {});

/** Begins a life that ends at one of its appends, before or after it is stored; each operation of the store then hangs, as those of a process
 *  that is gone. Nothing can end it from inside, as nothing hears of a SIGKILL. */
export function begin(
  real: SessionStore,
  endsAt?: { readonly append: number; readonly isStored: boolean },
): Life {
  let isOver = false;
  let appends = 0;
  let tell = (): void => {};
  const death = new Promise<void>((resolve) => (tell = resolve));
  const end = (): void => {
    isOver = true;
    tell();
  };
  const append: SessionStore["append"] = async (...given) => {
    const isLast = endsAt !== undefined && ++appends === endsAt.append;
    if (isLast && !endsAt.isStored) end();
    if (isOver) return never();
    const seq = await real.append(...given);
    if (isLast) end();
    return isOver ? never() : seq;
  };
  const store = new Proxy(real, {
    get(target, name) {
      if (name === "append") return append;
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) =>
        isOver ? never() : (value as (...all: unknown[]) => unknown).apply(target, given);
    },
  });
  return { store, isOver: () => isOver, death, end };
}
