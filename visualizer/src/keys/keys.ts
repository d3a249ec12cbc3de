import { groupOf } from "../logic/run-groups.ts";
import { cameraKeys } from "../diagram/camera-keys.ts";
import { pauseRun, resumeRun } from "../store/pause-run.ts";
import { model, TABS } from "../store/model.ts";
import { goLive, goTo, move, moveTop, select } from "../store/navigate.ts";
import { togglePlay } from "../store/playback.ts";
import { preferences } from "../store/preferences.ts";

type Key = {
  /** As `KeyboardEvent.key`; with "Shift+" in front if it must be held. */
  readonly keys: readonly string[];
  readonly show: readonly string[];
  readonly what: string;
  readonly act: () => void;
};

export const KEYS: readonly Key[] = [
  { keys: ["j", "ArrowDown", "ArrowRight"], show: ["j", "↓", "→"], what: "next step", act: () => move(1) },
  { keys: ["k", "ArrowUp", "ArrowLeft"], show: ["k", "↑", "←"], what: "previous step", act: () => move(-1) },
  { keys: ["Shift+ArrowRight"], show: ["Shift", "→"], what: "next top state", act: () => moveTop(1) },
  { keys: ["Shift+ArrowLeft"], show: ["Shift", "←"], what: "previous top state", act: () => moveTop(-1) },
  { keys: ["Home"], show: ["Home"], what: "first step", act: () => goTo(model.run.first) },
  { keys: ["l", "End"], show: ["l", "End"], what: "live, the newest step", act: goLive },
  { keys: [" "], show: ["space"], what: "play or stop", act: togglePlay },
  { keys: ["g"], show: ["g"], what: "go to a step", act: () => model.set({ dialog: { kind: "goTo" } }) },
  { keys: ["/"], show: ["/"], what: "find a run", act: () => document.getElementById("find-run")?.focus() },
  ...TABS.map((tab, place) => ({
    keys: [String(place + 1)],
    show: [String(place + 1)],
    what: tab,
    act: () => model.set({ tab }),
  })),
  {
    keys: ["d"],
    show: ["d"],
    what: "what this step changed",
    act: () => model.set({ tab: "diff", compareWith: null }),
  },
  {
    keys: ["o"],
    show: ["o"],
    what: "chart or outline",
    act: () => model.set({ view: model.view === "chart" ? "outline" : "chart" }),
  },
  { keys: ["0"], show: ["0"], what: "show the whole chart", act: () => cameraKeys.current?.fit() },
  { keys: ["+", "="], show: ["+"], what: "larger", act: () => cameraKeys.current?.zoom(1.3) },
  { keys: ["-"], show: ["−"], what: "smaller", act: () => cameraKeys.current?.zoom(1 / 1.3) },
  { keys: ["f"], show: ["f"], what: "fork from this step", act: fork },
  { keys: ["p"], show: ["p"], what: "pause or resume the run", act: pauseOrResume },
  {
    keys: ["y"],
    show: ["y"],
    what: "to what waits for you",
    act: toWhatWaits,
  },
  { keys: ["?"], show: ["?"], what: "these keys", act: () => model.set({ dialog: { kind: "help" } }) },
];

/** The card of the shown run, else the run that has waited longest; there the same key leads to its card. */
function toWhatWaits(): void {
  const card = document.getElementById("approval");
  if (card) return card.focus();
  const waiting = [...model.rows.values()].filter((row) => groupOf(row) === "needsYou");
  const [longest] = waiting.toSorted((a, b) => a.updatedAt - b.updatedAt);
  if (longest) select({ runId: longest.runId, q: null });
}

function fork(): void {
  if (model.isConnected && model.row?.can.includes("fork") && model.q > 0)
    model.set({ dialog: { kind: "fork", q: model.q } });
}

function pauseOrResume(): void {
  const can = (model.isConnected && model.row?.can) || [];
  if (can.includes("shutdown")) pauseRun();
  else if (can.includes("resume")) resumeRun();
}

const NATIVE = "input, textarea, select, dialog, [contenteditable]";

/** Single keys act wherever nobody is typing. */
export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (ctrlKey || metaKey || altKey || event.defaultPrevented || model.dialog) return;
    if (!preferences().keys) return;
    if (target instanceof Element && target.closest(NATIVE)) return;
    if (key === " " && target instanceof Element && target.closest("button, summary, a")) return;
    const name = shiftKey && key.startsWith("Arrow") ? `Shift+${key}` : key;
    const found = KEYS.find(({ keys }) => keys.includes(name));
    if (!found) return;
    event.preventDefault();
    found.act();
  });
}
