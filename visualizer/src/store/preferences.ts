import { useSyncExternalStore } from "react";

export type Preferences = {
  readonly theme: "system" | "dark" | "light";
  /** Widths and heights of the panels in px. */
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  /** Single-key shortcuts. */
  readonly keys: boolean;
  readonly visits: boolean;
  readonly follow: boolean;
};

const KEY = "agentchart.preferences";
const DEFAULTS: Preferences = {
  theme: "system",
  left: 248,
  right: 440,
  bottom: 312,
  keys: true,
  visits: false,
  follow: false,
};

const listeners = new Set<() => void>();
let current: Preferences = { ...DEFAULTS, ...stored() };
applyTheme();

function stored(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>;
  } catch {
    return {};
  }
}

function applyTheme(): void {
  const { theme } = current;
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export const preferences = (): Preferences => current;

/** Kept in this browser. */
export function prefer(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  localStorage.setItem(KEY, JSON.stringify(current));
  applyTheme();
  for (const listener of listeners) listener();
}

export function usePreferences(): Preferences {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, preferences);
}
