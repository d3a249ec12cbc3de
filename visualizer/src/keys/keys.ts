import { groupOf } from "../wire/types.ts";
import { cameraControls } from "../diagram/camera-controls.ts";
import { showView, shownView } from "../diagram/view-switch.tsx";
import { pauseRun, resumeRun } from "../store/pause-run.ts";
import { model, TAB_NAMES, TABS } from "../store/model.ts";
import { goLive, goTo, move, moveTop, select } from "../store/navigate.ts";
import { togglePlay } from "../store/playback.ts";
import { prefer, preferences } from "../store/preferences.ts";
import { t } from "../words/t.ts";

type Key = {
  /** `KeyboardEvent.key`, with "Shift+" in front if it must be held. */
  readonly keys: readonly string[];
  readonly show: readonly string[];
  readonly label: string;
  readonly act: () => void;
  /** It acts in each view; the others are about the run that is shown. */
  readonly isGeneral?: true;
};

/** The keyboard shortcuts, in the order of the help dialog. */
export const KEYS: readonly Key[] = [
  {
    keys: ["j", "ArrowDown", "ArrowRight"],
    show: ["j", "↓", "→"],
    label: t("next step"),
    act: () => move(1),
  },
  {
    keys: ["k", "ArrowUp", "ArrowLeft"],
    show: ["k", "↑", "←"],
    label: t("previous step"),
    act: () => move(-1),
  },
  {
    keys: ["Shift+ArrowRight"],
    show: ["Shift", "→"],
    label: t("next top-level state"),
    act: () => moveTop(1),
  },
  {
    keys: ["Shift+ArrowLeft"],
    show: ["Shift", "←"],
    label: t("previous top-level state"),
    act: () => moveTop(-1),
  },
  { keys: ["Home"], show: ["Home"], label: t("first step"), act: () => goTo(model.run.first) },
  { keys: ["l", "End"], show: ["l", "End"], label: t("live (newest step)"), act: goLive },
  { keys: [" "], show: ["space"], label: t("play or pause"), act: togglePlay },
  { keys: ["g"], show: ["g"], label: t("go to a step"), act: () => model.set({ dialog: { kind: "goTo" } }) },
  {
    keys: ["/"],
    show: ["/"],
    label: t("find a run"),
    act: () => document.getElementById("find-run")?.focus(),
    isGeneral: true,
  },
  {
    keys: ["s"],
    show: ["s"],
    label: t("find a step"),
    act: () => document.getElementById("find-step")?.focus(),
  },
  ...TABS.map((tab, place) => ({
    keys: [String(place + 1)],
    show: [String(place + 1)],
    label: TAB_NAMES[tab],
    act: () => model.set({ tab }),
  })),
  {
    keys: ["d"],
    show: ["d"],
    label: t("changes of this step"),
    act: () => model.set({ tab: "diff", compareWith: null }),
  },
  {
    keys: ["o"],
    show: ["o"],
    label: t("chart or outline"),
    act: () => showView(shownView(model) === "outline" ? "chart" : "outline"),
  },
  {
    keys: ["m"],
    show: ["m"],
    label: t("map of the agent, or its whole chart"),
    act: () => showView(shownView(model) === "map" ? "chart" : "map"),
  },
  { keys: ["w"], show: ["w"], label: t("steps or waterfall"), act: toggleWaterfall },
  {
    keys: ["0"],
    show: ["0"],
    label: t("fit the chart to the view"),
    act: () => cameraControls.current?.fit(),
  },
  { keys: ["+", "="], show: ["+"], label: t("zoom in"), act: () => cameraControls.current?.zoom(1.3) },
  { keys: ["-"], show: ["−"], label: t("zoom out"), act: () => cameraControls.current?.zoom(1 / 1.3) },
  { keys: ["f"], show: ["f"], label: t("fork before this step"), act: fork },
  { keys: ["p"], show: ["p"], label: t("pause or resume the run"), act: pauseOrResume },
  {
    keys: ["y"],
    show: ["y"],
    label: t("go to the pending decision"),
    act: goToPending,
    isGeneral: true,
  },
  {
    keys: ["?"],
    show: ["?"],
    label: t("keyboard shortcuts"),
    act: () => model.set({ dialog: { kind: "help" } }),
    isGeneral: true,
  },
];

/** Focuses the pending decision of the selected run, else selects the run that has waited longest. */
function goToPending(): void {
  const card = document.getElementById("approval");
  if (card) return card.focus();
  const waiting = [...model.rows.values()].filter((row) => groupOf(row) === "needsYou");
  const [longest] = waiting.toSorted((a, b) => a.updatedAt - b.updatedAt);
  if (longest) select({ runId: longest.runId, stepNumber: null });
}

function toggleWaterfall(): void {
  prefer({ lower: preferences().lower === "steps" ? "waterfall" : "steps" });
}

/** Forks before the step that a person sees: while the steps of the run arrive, the newest that is here may be another one. A run that goes on
 *  or waits, and of which no step was chosen, is forked as it is now. */
function fork(): void {
  const { isLoading, selection, run } = model;
  if (isLoading || (selection.stepNumber ?? 0) > run.last) return;
  const isNow = model.isLive && model.row?.phase !== "stopped";
  if (model.isConnected && model.row?.can.includes("fork") && model.stepNumber > 0)
    model.set({ dialog: { kind: "fork", stepNumber: isNow ? run.last + 1 : model.stepNumber } });
}

function pauseOrResume(): void {
  const can = (model.isConnected && model.row?.can) || [];
  if (can.includes("shutdown")) pauseRun();
  else if (can.includes("resume")) resumeRun();
}

const TYPING_TARGETS = "input, textarea, select, dialog, [contenteditable]";

/** Installs the keyboard shortcuts, which act unless the user is typing. */
export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (ctrlKey || metaKey || altKey || event.defaultPrevented || model.dialog) return;
    if (!preferences().keys) return;
    if (target instanceof Element && target.closest(TYPING_TARGETS)) return;
    if (key === " " && target instanceof Element && target.closest("button, summary, a")) return;
    const name = shiftKey && key.startsWith("Arrow") ? `Shift+${key}` : key;
    const found = KEYS.find(({ keys }) => keys.includes(name));
    if (!found || !(found.isGeneral || model.isAboutRun)) return;
    event.preventDefault();
    found.act();
  });
}
