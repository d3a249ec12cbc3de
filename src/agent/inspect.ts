import type { InspectionEvent } from "xstate";
import type { AgentConfig, AgentWatcher, Inspector } from "./types.ts";

type Observer = Exclude<Inspector, AgentWatcher>;

function inspectorsOf({ inspect = [] }: AgentConfig<never>): readonly Inspector[] {
  if (typeof inspect === "string") return []; // `createAgent` of the package turns addresses into watchers
  return Array.isArray(inspect) ? (inspect as readonly Inspector[]) : [inspect as Inspector];
}

function isWatcher(inspector: Inspector): inspector is AgentWatcher {
  return typeof inspector === "object" && "watch" in inspector;
}

export function watchersOf(config: AgentConfig<never>): readonly AgentWatcher[] {
  return inspectorsOf(config).filter(isWatcher);
}

/** One XState observer for all that are given; undefined if there is none, so that none is registered. */
export function observerOf(config: AgentConfig<never>): ((event: InspectionEvent) => void) | undefined {
  const observers = inspectorsOf(config).filter((each): each is Observer => !isWatcher(each));
  if (observers.length === 0) return undefined;
  return (event) => {
    for (const observer of observers) {
      try {
        if (typeof observer === "function") observer(event);
        else observer.next?.(event);
      } catch {
        // XState would stop the actor for good if an observer threw
      }
    }
  };
}
