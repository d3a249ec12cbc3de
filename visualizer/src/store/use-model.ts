import { useSyncExternalStore } from "react";
import { model, type Model } from "./model.ts";

/** A part of the model. `select` gives a primitive or a field that is replaced when it changes. */
export function useModel<T>(select: (model: Model) => T): T {
  return useSyncExternalStore(model.subscribe, () => select(model));
}
