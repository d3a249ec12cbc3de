import { stepAmong, matchingSteps } from "./run-queries.ts";
import {
  readAddress,
  readComparison,
  readMany,
  writeAddress,
  writeComparison,
  type Selection,
} from "../logic/address.ts";
import { edgesLeaving, type ChartIndex } from "../logic/chart-index.ts";
import { NO_STREAM } from "../logic/stream-text.ts";
import { send } from "./client.ts";
import { loadChart, loadRun } from "./load.ts";
import { model, type ChartFilter, type PlaceFilter, type StepFilter } from "./model.ts";
import { RunData } from "./run-data.ts";
import type { StepQuery } from "./step-search.ts";

/**
 * Browsers limit changes of the address: while the user scrubs, the address is written after this delay, ms.
 */
const ADDRESS_DELAY_MS = 120;
let writing: ReturnType<typeof setTimeout> | undefined;

/** Writes the address, unless the browser has gone to another one by then. */
function writeLater(address: string): void {
  const { hash } = location;
  writing = setTimeout(() => {
    if (location.hash === hash) history.replaceState(history.state, "", address);
  }, ADDRESS_DELAY_MS);
}

/** Selects a run, or a step of it. The tab stays open, except that another run does not begin with a diff. */
export function select(selection: Selection, how: "push" | "replace" = "push"): void {
  const before = model.selection;
  const address = writeAddress(selection);
  const isMoving =
    before.runId === selection.runId && before.stepNumber !== null && selection.stepNumber !== null;
  clearTimeout(writing);
  if (location.hash !== address) {
    if (how === "replace") history.replaceState(history.state, "", address);
    else if (isMoving) writeLater(address);
    else history.pushState(history.state, "", address);
  }
  const isOther = before.runId !== selection.runId;
  if (isOther) changeRun(before.runId, selection.runId);
  const tab = isOther && model.tab === "diff" ? "conversation" : model.tab;
  model.set({
    selection,
    tab,
    compare: null,
    many: null,
    ...(selection.stepNumber === null && { playback: null }),
  });
  if (isOther) subscribe();
}

/** Shows runs side by side. */
export function compareRuns(compare: readonly string[]): void {
  const address = writeComparison(compare);
  clearTimeout(writing);
  if (location.hash !== address) history.pushState(history.state, "", address);
  model.set({ compare, many: null, chosen: null, playback: null });
}

/** Shows a page about many runs: "overview", or "reports" with their numbers. */
export function showMany(many: string): void {
  clearTimeout(writing);
  if (location.hash !== `#/${many}`) history.pushState(history.state, "", `#/${many}`);
  model.set({ many, compare: null, chosen: null, playback: null });
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
    ...(from !== null && { dialog: null }), // it is about the run before
  });
  if (to === null || file) return;
  const row = model.rows.get(to);
  if (row) void loadChart(row.chart);
  else void loadRun(to);
}

/** Subscribes to the steps of the selected run, from the first missing one on. */
export function subscribe(): void {
  const { runId } = model.selection;
  if (runId !== null && !model.files.has(runId))
    send({ type: "sub", runId, after: model.run.isOld ? 0 : model.run.last });
}

/** Selects a step, clamped to the existing ones. */
export function goTo(stepNumber: number): void {
  const { run, selection } = model;
  const last = Math.max(run.last, run.total);
  if (last === 0) return;
  const clamped = Math.min(last, Math.max(run.first, Math.round(stepNumber)));
  select({ runId: selection.runId, stepNumber: clamped });
}

/** Moves by a number of steps, among those of the filter. Forward from the newest step is live. */
export function move(by: number): void {
  const { stepNumber, run, stepFilter } = model;
  const next = stepFilter
    ? stepAmong(matchingSteps(run, stepFilter, model.chart?.index), stepNumber, by)
    : stepNumber + by;
  if (next > run.last) goLive();
  else if (next !== stepNumber) goTo(next);
}

/** Selects the previous or next step at which the top-level state changes. */
export function moveTop(direction: 1 | -1): void {
  const { run } = model;
  const topAt = (stepNumber: number): string | undefined => run.statesAt(stepNumber)[1];
  let stepNumber = model.stepNumber;
  const here = topAt(stepNumber);
  while (
    stepNumber + direction >= run.first &&
    stepNumber + direction <= run.last &&
    topAt(stepNumber) === here
  )
    stepNumber += direction;
  goTo(stepNumber);
}

/** Follows the newest step. */
export function goLive(): void {
  const { selection } = model;
  select({ runId: selection.runId, stepNumber: null });
  model.set({ liveRequests: model.liveRequests + 1 });
  if (model.tab === "diff") model.set({ tab: "conversation" });
}

/** Filters the list of steps by a state or an edge; the same filter again removes it. */
export function filterSteps(filter: ChartFilter | PlaceFilter | null): void {
  const { stepFilter } = model;
  model.set({ stepFilter: filter && stepFilter && idOf(filter) === idOf(stepFilter) ? null : filter });
}

const idOf = (filter: StepFilter): string | undefined =>
  filter.kind === "search" ? undefined : filter.kind === "place" ? `place:${filter.id}` : filter.ids.join();

/** Filters the list of steps by a search; an empty one removes the filter. */
export function searchSteps(query: StepQuery): void {
  model.set({ stepFilter: query.text.trim() === "" && query.sort === "" ? null : query });
}

/** Filters the list of steps by those that entered a state, or passed a decision. */
export function filterStepsOf(index: ChartIndex, id: string): void {
  const edges = edgesLeaving(index, id);
  filterSteps(edges ? { kind: "edge", ids: edges } : { kind: "state", ids: [id] });
}

/** Follows changes of the page's address, which end a playback. */
export function followAddress(): void {
  addEventListener("hashchange", ({ newURL }) => {
    const { hash } = new URL(newURL);
    const compare = readComparison(hash) ?? null;
    const many = readMany(hash);
    model.set({ playback: null, compare, many });
    if (!model.isAboutRun) return model.set({ dialog: null }); // it is about the run
    const selection = readAddress(hash);
    if (selection.runId !== model.selection.runId || selection.stepNumber !== model.selection.stepNumber)
      select(selection, "replace");
  });
}
