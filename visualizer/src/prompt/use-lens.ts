import { useEffect, useState } from "react";
import type { PromptPlace } from "../logic/prompt-steps.ts";
import { stepThrottle } from "../store/displayed-step.ts";
import { keyOf, loadLens } from "../store/lens.ts";
import type { PromptLens } from "../wire/types.ts";

/** While a person drags along the steps, only requests are loaded at which the pointer rests so long, ms. */
const REST_MS = 120;

/** A request that is being loaded, was loaded, or could not be. */
export type Loaded =
  | { readonly kind: "loading" }
  | { readonly kind: "ready"; readonly lens: PromptLens }
  | { readonly kind: "failed"; readonly message: string; readonly retry: () => void };

/** Loads a request; loading, if there is none. */
export function useLens(place: PromptPlace | undefined): Loaded {
  const key = place && keyOf(place);
  const [attempt, setAttempt] = useState(0);
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly state: Loaded }>();
  useEffect(() => {
    if (!place || key === undefined) return;
    let isCurrent = true;
    const set = (state: Loaded): void => {
      if (isCurrent) setLoaded({ key, state });
    };
    const ask = (): void =>
      void loadLens(place).then(
        (lens) => set({ kind: "ready", lens }),
        ({ message }: Error) => set({ kind: "failed", message, retry }),
      );
    const retry = (): void => setAttempt((count) => count + 1);
    const timer = setTimeout(ask, stepThrottle.displayed.isAnimated ? 0 : REST_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key, attempt]);
  return loaded?.key === key && loaded ? loaded.state : { kind: "loading" };
}
