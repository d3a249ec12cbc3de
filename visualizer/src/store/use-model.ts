import { useSyncExternalStore } from "react";
import { model, type Model } from "./model.ts";

/**
 * Selects a part of the model and re-renders when it changes. `select` must return a primitive or a field of
 * the model.
 */
export function useModel<T>(select: (model: Model) => T): T {
  const selected = (): T => select(model);
  return useSyncExternalStore(model.subscribe, selected, selected);
}
