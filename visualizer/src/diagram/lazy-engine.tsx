import { useSyncExternalStore, type ComponentType } from "react";

type Engine = typeof import("./engine.tsx");

let engine: Engine | undefined;
let loading: Promise<void> | undefined;
const listeners = new Set<() => void>();

/** Loads what draws the chart, so that it is there at once when a person zooms into the map. A failure is tried again by the next call. */
export function loadEngine(): void {
  loading ??= import("./engine.tsx").then(
    (loaded) => {
      engine = loaded;
      for (const listener of listeners) listener();
    },
    () => void (loading = undefined),
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  loadEngine();
  return () => void listeners.delete(listener);
}

/** A part of the engine: nothing until it is loaded, and from then on rendered without a break. */
function part<Props extends object>(select: (all: Engine) => ComponentType<Props>): ComponentType<Props> {
  return function Part(props: Props) {
    const all = useSyncExternalStore(subscribe, () => engine);
    const Loaded = all && select(all);
    return Loaded ? <Loaded {...props} /> : null;
  };
}

/** The parts of the page that draw the whole chart, loaded when one of them is rendered for the first time. */
export const ChartPane = part((all) => all.ChartPane);
/** See {@link ChartPane}. */
export const ChartLayer = part((all) => all.ChartLayer);
/** See {@link ChartPane}. */
export const Outline = part((all) => all.Outline);
/** See {@link ChartPane}. */
export const StateCaption = part((all) => all.StateCaption);
