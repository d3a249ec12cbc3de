import { useSyncExternalStore } from "react";
import type { SavedView } from "../logic/quick-filters.ts";
import { keep, kept } from "./kept.ts";

/** The preferences of a user. */
export type Preferences = {
  readonly theme: "system" | "dark" | "light";
  /** Sizes of the panels in px. */
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  /** True if single-key shortcuts are enabled. */
  readonly keys: boolean;
  /** True if the chart displays how often each state was active. */
  readonly visits: boolean;
  /** True if the chart follows the active state. */
  readonly follow: boolean;
  /** The panel below the scrubber. */
  readonly lower: "steps" | "waterfall";
  /** True if the list of steps also shows what the engine does for itself, and its states. */
  readonly internals: boolean;
  /** The picture of the agent that a person has chosen last: its map, its whole chart, or the outline of the chart. */
  readonly view: "map" | "chart" | "outline";
  /** The saved filters of the list of runs. */
  readonly views: readonly SavedView[];
};

const KEY = "agentchart.preferences";
/** The share of the window that the conversation gets, unless a person has moved its border. */
const CONVERSATION = 0.4;
const DEFAULTS: Preferences = {
  theme: "system",
  left: 300,
  right: Math.round(Math.min(900, Math.max(420, (globalThis.innerWidth ?? 1_440) * CONVERSATION))),
  bottom: 300,
  keys: true,
  visits: false,
  follow: false,
  lower: "steps",
  internals: false,
  view: "map",
  views: [],
};

const listeners = new Set<() => void>();
let current: Preferences = { ...DEFAULTS, ...stored() };
applyTheme();

function stored(): Partial<Preferences> {
  try {
    return JSON.parse(kept(KEY) ?? "{}") as Partial<Preferences>;
  } catch {
    return {};
  }
}

function applyTheme(): void {
  const { theme } = current;
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** Returns the current preferences. */
export const preferences = (): Preferences => current;

/** Changes preferences, which are stored in this browser. */
export function prefer(change: Partial<Preferences>): void {
  const chosen = { ...stored(), ...change }; // another tab may have changed others
  current = { ...DEFAULTS, ...chosen };
  keep(KEY, JSON.stringify(chosen));
  applyTheme();
  for (const listener of listeners) listener();
}

/** Returns the preferences, and renders the component again when they change. */
export function usePreferences(): Preferences {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, preferences);
}
