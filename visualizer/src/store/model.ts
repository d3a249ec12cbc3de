import type { Breakpoint } from "../../../src/core/tool/breakpoint.ts";
import type { ActorBreak } from "../../../src/inspect/protocol/actor-break.ts";
import type { ChartIndex } from "../logic/chart-index.ts";
import { NO_STREAM, type StreamState } from "../logic/stream-text.ts";
import type { Selection } from "../logic/address.ts";
import type { ChartMessage, ForkPlace, PendingItem, RunGroup, RunRow, WorkerRow } from "../wire/types.ts";
import { t } from "../words/t.ts";
import { NO_FILTER, type ListFilter } from "../logic/run-filter.ts";
import type { Preferences } from "./preferences.ts";
import { RunData } from "./run-data.ts";
import type { StepQuery } from "./step-search.ts";

/** The state of the connection to the server. Times are epoch ms. */
export type ConnectionState =
  | { readonly kind: "connecting" }
  | { readonly kind: "open"; readonly version: string; readonly readonly: boolean }
  | { readonly kind: "lost"; readonly since: number; readonly retryAt: number }
  /** The server has never answered. */
  | { readonly kind: "unreachable"; readonly retryAt: number }
  | { readonly kind: "noToken" }
  | { readonly kind: "badToken" }
  | { readonly kind: "version"; readonly serverVersion: number | undefined };

/** A chart with its layouts and lookup tables. */
export type IndexedChart = Omit<ChartMessage, "type"> & { readonly index: ChartIndex };

/** The open calls and the exceeded limit of the selected run. */
export type PendingState = { readonly items: readonly PendingItem[]; readonly exceeded?: string };

/** The tabs of the details panel. */
export const TABS = [
  "conversation",
  "prompt",
  "context",
  "diff",
  "event",
  "tokens",
  "raw",
  "plan",
  "rules",
] as const;
/** A tab of the details panel. */
export type Tab = (typeof TABS)[number];
/** The names of the tabs. */
export const TAB_NAMES: { readonly [tab in Tab]: string } = {
  conversation: t("Conversation"),
  prompt: t("Prompt"),
  context: t("Context"),
  diff: t("Diff"),
  event: t("Event"),
  tokens: t("Tokens"),
  raw: t("Raw"),
  plan: t("Plan"),
  rules: t("Rules"),
};

/** A picture of the agent. */
export type View = Preferences["view"];

/**
 * A filter of the list of steps. They entered a state or took an edge of the chart, something happened in a place of the map, or a
 * search finds them.
 */
export type StepFilter = ChartFilter | PlaceFilter | StepQuery;
/** Steps that entered one of the states, or took one of the edges. */
export type ChartFilter = { readonly kind: "state" | "edge"; readonly ids: readonly string[] };

/** Steps and messages of a place of the agent map: a card, a row of it, an edge or a hook. */
export type PlaceFilter = {
  readonly kind: "place";
  readonly id: string;
  /** The name of the place where the filter is shown. */
  readonly label: string;
  /** The tools that the place stands for, if it is a list of them or an edge to one. */
  readonly tools?: readonly string[];
};

/** A short message at the edge of the page, which disappears by itself. */
export type Notice = { readonly id: number; readonly tone: "info" | "good" | "bad"; readonly text: string };

/** The open dialog. */
export type Dialog =
  | { readonly kind: "help" }
  /** A fork begins before a step; that behind the newest one stands for the end of the run. `edited`: what is edited at first, see
   *  `Editable.key`. `at`: where exactly the fork begins. */
  | {
      readonly kind: "fork";
      readonly stepNumber: number;
      readonly edited?: string;
      readonly at?: ForkPlace;
    }
  | { readonly kind: "goTo" }
  | { readonly kind: "handOn" }
  | { readonly kind: "label"; readonly runId: string }
  /** `add` is what is to be added first. */
  | { readonly kind: "breakpoints"; readonly add?: Breakpoint }
  | { readonly kind: "actorBreaks"; readonly add?: ActorBreak }
  /**
   * A message to the run. `revision` is that of the run when the dialog was opened; `text` was refused with
   * `error`.
   */
  | {
      readonly kind: "message";
      readonly action: "steer" | "send" | "compact" | "interrupt";
      readonly revision?: string | undefined;
      readonly text?: string;
      readonly error?: string;
    }
  | { readonly kind: "blob"; readonly sha: string; readonly length: number; readonly head: string };

/** For each group of runs, its size and the cursor of the next page. */
export type RunLists = {
  readonly [group in RunGroup]: { readonly total: number; readonly cursor: string | undefined };
};
const NO_LIST = { total: 0, cursor: undefined };

const NO_WORKERS = { rows: [], up: 0, total: 0 };

/** A run that was opened from a file. */
export type OpenedFile = {
  readonly name: string;
  readonly row: RunRow;
  readonly data: RunData;
  readonly blobs: ReadonlyMap<string, string>;
  readonly damage?: { readonly line: number; readonly message: string };
  /** Its chart is neither in the file nor known to the server. */
  readonly lacksChart: boolean;
};

/** True for a run that a connected process drives. */
export function isDriven({ phase, worker, source, actor }: RunRow): boolean {
  return !actor && phase === "running" && worker?.isUp !== false && source !== "file";
}

/** The update interval of a hidden page, ms. */
const HIDDEN_INTERVAL_MS = 250;

/**
 * The state of the page. Fields are replaced, not mutated; code that replaces one calls {@link Model.changed}.
 */
export class Model {
  /** The state of the connection to the server. */
  connection: ConnectionState = { kind: "connecting" };
  /** The id of the server that was connected last. */
  hub: string | undefined;
  /** The selected run and step. */
  selection: Selection = { runId: null, stepNumber: null };
  /** The known rows by run id. */
  rows: ReadonlyMap<string, RunRow> = new Map();
  /** The loaded parts of the list of runs. */
  lists: RunLists = { needsYou: NO_LIST, running: NO_LIST, suspended: NO_LIST, finished: NO_LIST };
  /** The number of times that a person asked to follow the newest step. */
  liveRequests = 0;
  /** The text that filters the list of runs. */
  search = "";
  /** The other conditions that filter the list of runs. */
  filter: ListFilter = NO_FILTER;
  /** The ids of the runs that the server has found for the text and the filter. */
  found: ReadonlySet<string> = new Set();
  /** True until the server has answered what it has found for them. */
  isAsking = false;
  /** The number of stored runs that the server cannot find yet, because they are being indexed. */
  unindexed = 0;
  /** The group that filters the list of runs. */
  group: RunGroup | "all" = "all";
  /** The connected and lost processes, with their total numbers. */
  workers: { readonly rows: readonly WorkerRow[]; readonly up: number; readonly total: number } = NO_WORKERS;
  /** The id of the process whose runs are listed; null for all. */
  worker: string | null = null;
  /** True after the first answer of the server to the list of runs. */
  isListed = false;
  /** The runs of opened files, by run id. */
  files: ReadonlyMap<string, OpenedFile> = new Map();
  /** The hashes of charts that the server does not have. */
  unknownCharts: ReadonlySet<string> = new Set();
  /** The loaded charts, by hash. */
  charts: ReadonlyMap<string, IndexedChart> = new Map();
  /** The steps of the selected run. */
  run = new RunData();
  /** True until the first steps of the selected run have arrived. */
  isLoading = false;
  /** The open calls of the selected run. */
  pending: PendingState = { items: [] };
  /** The streamed text of the selected run that is not in its context yet. */
  stream: StreamState = NO_STREAM;
  /** The open tab. */
  tab: Tab = "conversation";
  /** The picture of the agent that is displayed: the map, the whole chart or its outline. */
  view: View = "map";
  /** The panel that is visible on a phone. */
  phoneView: "runs" | "chart" | "steps" | "details" = "chart";
  /** The filter of the list of steps; null for none. */
  stepFilter: StepFilter | null = null;
  /** The step that the diff compares with; null for the previous step. */
  compareWith: number | null = null;
  /** The runs that are compared, in place of the selected one; null for none. */
  compare: readonly string[] | null = null;
  /** The page about many runs that is shown in place of the selected one, as its address says it; null for none. */
  many: string | null = null;
  /** The runs that a person has chosen to compare; null unless some are being chosen. */
  chosen: ReadonlySet<string> | null = null;
  /** The speed of the playback; null while it is paused. */
  playback: { readonly speed: 1 | 2 | 4 } | null = null;
  /** The place of the hint of the guided run that is shown; null for none. */
  guide: number | null = null;
  /** The open dialog; null for none. */
  dialog: Dialog | null = null;
  /** The visible notices, oldest first. */
  notices: readonly Notice[] = [];
  /** Commands that were sent and not answered, by call or by type. */
  sent: ReadonlyMap<string, string> = new Map();
  /** The least time between two notifications of what arrives by itself, ms. */
  arrivalIntervalMs = 0;
  readonly #listeners = new Set<() => void>();
  #notifiedAt = -Infinity;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #isScheduled = false;

  /** The number of the displayed step; 0 if there is none. */
  get stepNumber(): number {
    const { first, last, total } = this.run;
    const { stepNumber } = this.selection;
    const newest = Math.max(last, total);
    return stepNumber === null ? last : Math.min(newest, Math.max(first, stepNumber));
  }

  /** True if the page follows the newest step. */
  get isLive(): boolean {
    return this.selection.stepNumber === null;
  }

  /** The row of the selected run. */
  get row(): RunRow | undefined {
    const { runId } = this.selection;
    return runId === null ? undefined : (this.files.get(runId)?.row ?? this.rows.get(runId));
  }

  /** True while the page is about the selected run, not a comparison or many runs. */
  get isAboutRun(): boolean {
    return this.compare === null && this.many === null;
  }

  /** The chart of the selected run, if it is loaded. */
  get chart(): IndexedChart | undefined {
    return this.row && this.charts.get(this.row.chart);
  }

  /** True while the page is connected. */
  get isConnected(): boolean {
    return this.connection.kind === "open";
  }

  /** True while the run is running and the page is connected. */
  get isWorking(): boolean {
    const { row } = this;
    return this.isConnected && row !== undefined && isDriven(row);
  }

  /** Adds a listener; returns a function that removes it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Notifies listeners once per animation frame; a page without frames does so four times a second. */
  changed(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // a hidden page has no frames; it may become hidden after the request
    const timer = setTimeout(() => notify(), HIDDEN_INTERVAL_MS);
    const frame = document.hidden ? undefined : requestAnimationFrame(() => notify());
    const notify = (): void => {
      clearTimeout(timer);
      if (frame !== undefined) cancelAnimationFrame(frame);
      this.#isScheduled = false;
      this.#notifiedAt = performance.now();
      for (const listener of this.#listeners) listener();
    };
  }

  /** Replaces fields and notifies listeners. */
  set(change: Partial<Model>): void {
    Object.assign(this, change);
    this.changed();
  }

  /** Replaces fields that change by themselves: listeners are notified no more often than they want to be. */
  arrived(change: Partial<Model>): void {
    Object.assign(this, change);
    if (this.#isScheduled || this.#waiting !== undefined) return;
    const wait = this.#notifiedAt + this.arrivalIntervalMs - performance.now();
    if (wait > 0) this.#waiting = setTimeout(() => this.changed(), wait);
    else this.changed();
  }
}

/** The state of this page. */
export const model = new Model();
