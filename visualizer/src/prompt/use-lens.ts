import { useEffect, useState } from "react";
import type { PromptPlace } from "../logic/prompt-steps.ts";
import { keyOf, loadLens } from "../store/lens.ts";
import type { PromptLens } from "../wire/types.ts";

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
    const retry = (): void => setAttempt((count) => count + 1);
    loadLens(place).then(
      (lens) => set({ kind: "ready", lens }),
      ({ message }: Error) => set({ kind: "failed", message, retry }),
    );
    return () => void (isCurrent = false);
  }, [key, attempt]);
  return loaded?.key === key && loaded ? loaded.state : { kind: "loading" };
}
