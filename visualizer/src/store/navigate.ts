import { stepAmong, stepsThat } from "../diagram/lit.ts";
import { readAddress, writeAddress, type Selection } from "../logic/address.ts";
import { NO_STREAM } from "../logic/stream-text.ts";
import { send } from "./client.ts";
import { loadChart, loadRun } from "./load.ts";
import { model, type StepFilter } from "./model.ts";
import { RunData } from "./run-data.ts";

/** Browsers stop taking addresses from who writes many a second: while scrubbing, only where it stays is written, after ms. */
const SETTLED = 120;
let writing: ReturnType<typeof setTimeout> | undefined;

/** Looks at a run, or at another step of it. */
export function select(selection: Selection, how: "push" | "replace" = "push"): void {
  const before = model.selection;
  const address = writeAddress(selection);
  const isMoving = before.runId === selection.runId && before.q !== null && selection.q !== null;
  clearTimeout(writing);
  if (location.hash !== address) {
    if (how === "replace") history.replaceState(null, "", address);
    else if (isMoving) writing = setTimeout(() => history.replaceState(null, "", address), SETTLED);
    else history.pushState(null, "", address);
  }
  const isOther = before.runId !== selection.runId;
  if (isOther) changeRun(before.runId, selection.runId);
  const enteringPast = before.q === null && selection.q !== null;
  const tab =
    enteringPast && model.tab === "conversation"
      ? "diff"
      : isOther && model.tab === "diff"
        ? "conversation"
        : model.tab;
  model.set({ selection, tab, ...(selection.q === null && { playback: null }) });
  if (isOther) subscribe();
}

function changeRun(from: string | null, to: string | null): void {
  if (from !== null && !model.files.has(from)) send({ type: "unsub", runId: from });
  const file = to === null ? undefined : model.files.get(to);
  model.set({
    run: file?.data ?? new RunData(),
    isLoading: file === undefined && to !== null,
    pending: { items: [] },
    stream: NO_STREAM,
    stepFilter: null,
    compareWith: null,
    playback: null,
    sent: new Map(),
  });
  if (to === null || file) return;
  const row = model.rows.get(to);
  if (row) void loadChart(row.chart);
  else void loadRun(to);
}

/** Asks for the steps of the selected run that are not here yet, and all that follow. */
export function subscribe(): void {
  const { runId } = model.selection;
  if (runId !== null && !model.files.has(runId)) send({ type: "sub", runId, after: model.run.last });
}

/** Looks at step `q`, bound to those there are. */
export function goTo(q: number): void {
  const { run, selection } = model;
  const last = Math.max(run.last, run.total);
  if (last === 0) return;
  select({ runId: selection.runId, q: Math.min(last, Math.max(run.first, Math.round(q))) });
}

/** The next or an earlier step, among those that the filter leaves. Forward from the newest is live. */
export function move(by: number): void {
  const { q, run, stepFilter } = model;
  const next = stepFilter ? stepAmong(stepsThat(run, stepFilter), q, by) : q + by;
  if (next > run.last) goLive();
  else if (next !== q) goTo(next);
}

/** The step at which the top state last or next changes. */
export function moveTop(direction: 1 | -1): void {
  const { run } = model;
  const topAt = (q: number): string | undefined => run.statesAt(q)[1];
  let q = model.q;
  const here = topAt(q);
  while (q + direction >= run.first && q + direction <= run.last && topAt(q) === here) q += direction;
  goTo(q);
}

export function goLive(): void {
  const { selection } = model;
  select({ runId: selection.runId, q: null });
  if (model.tab === "diff") model.set({ tab: "conversation" });
}

/** Narrows the timeline to a state or an edge; the same again widens it. */
export function narrow(filter: StepFilter | null): void {
  const isSame = filter !== null && model.stepFilter?.ids.join() === filter.ids.join();
  model.set({ stepFilter: isSame ? null : filter });
}

/** Follows the address of the page; who asks for a step by it has seen enough of what was playing. */
export function followAddress(): void {
  addEventListener("hashchange", ({ newURL }) => {
    const selection = readAddress(new URL(newURL).hash);
    model.set({ playback: null });
    if (selection.runId !== model.selection.runId || selection.q !== model.selection.q)
      select(selection, "replace");
  });
}
