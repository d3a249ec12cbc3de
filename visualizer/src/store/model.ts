import type { ChartIndex } from "../logic/chart-index.ts";
import { NO_STREAM, type StreamState } from "../logic/stream-text.ts";
import type { Selection } from "../logic/address.ts";
import type { Group } from "../logic/run-groups.ts";
import type { ChartMessage, PendingItem, RunRow, WorkerRow } from "../wire/types.ts";
import { RunData } from "./run-data.ts";

export type ConnectionState =
  | { readonly kind: "connecting" }
  | { readonly kind: "open"; readonly version: string; readonly readonly: boolean }
  | { readonly kind: "lost"; readonly since: number; readonly retryAt: number }
  /** There never was a hub behind this page. */
  | { readonly kind: "unreachable"; readonly retryAt: number }
  | { readonly kind: "noToken" }
  | { readonly kind: "badToken" }
  | { readonly kind: "version"; readonly theirs: number | undefined };

export type KnownChart = Omit<ChartMessage, "type"> & { readonly index: ChartIndex };

export type PendingState = { readonly items: readonly PendingItem[]; readonly exceeded?: string };

export const TABS = ["conversation", "context", "diff", "event", "tokens", "raw"] as const;
export type Tab = (typeof TABS)[number];

/** What the timeline is narrowed to. */
export type StepFilter = { readonly kind: "state" | "edge"; readonly ids: readonly string[] };

export type Notice = { readonly id: number; readonly tone: "info" | "good" | "bad"; readonly text: string };

export type Dialog =
  | { readonly kind: "help" }
  | { readonly kind: "fork"; readonly q: number }
  | { readonly kind: "goTo" }
  /** `leaf` is that of the run when it was opened; `text` was to be said and was refused for `trouble`. */
  | {
      readonly kind: "say";
      readonly as: "steer" | "send" | "interrupt";
      readonly leaf?: string | undefined;
      readonly text?: string;
      readonly trouble?: string;
    }
  | { readonly kind: "blob"; readonly sha: string; readonly length: number; readonly head: string };

export type RunLists = {
  readonly [group in Group]: { readonly total: number; readonly cursor: string | undefined };
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
  /** Its chart is neither in it nor known to the hub. */
  readonly lacksChart: boolean;
};

/** True for a run that a process carries on. */
export function isDriven({ phase, worker, source }: RunRow): boolean {
  return phase === "running" && worker?.isUp !== false && source !== "file";
}

/** How often a page that nobody sees changes, ms. */
const UNSEEN = 250;

/** All that the page knows. Fields are replaced, not changed; who changes one calls {@link Model.changed}. */
export class Model {
  connection: ConnectionState = { kind: "connecting" };
  selection: Selection = { runId: null, q: null };
  rows: ReadonlyMap<string, RunRow> = new Map();
  lists: RunLists = { needsYou: NO_LIST, running: NO_LIST, suspended: NO_LIST, finished: NO_LIST };
  search = "";
  group: Group | "all" = "all";
  workers: { readonly rows: readonly WorkerRow[]; readonly up: number; readonly total: number } = NO_WORKERS;
  /** Id of the process whose runs are listed; null for all. */
  worker: string | null = null;
  /** The hub has told which runs there are, or that it cannot. */
  isListed = false;
  files: ReadonlyMap<string, OpenedFile> = new Map();
  /** Hashes of charts that the hub does not have. */
  unknownCharts: ReadonlySet<string> = new Set();
  charts: ReadonlyMap<string, KnownChart> = new Map();
  run = new RunData();
  isLoading = false;
  pending: PendingState = { items: [] };
  stream: StreamState = NO_STREAM;
  tab: Tab = "conversation";
  view: "chart" | "outline" = "chart";
  phoneView: "runs" | "chart" | "steps" | "details" = "chart";
  stepFilter: StepFilter | null = null;
  compareWith: number | null = null;
  playback: { readonly speed: 1 | 2 | 4 } | null = null;
  dialog: Dialog | null = null;
  notices: readonly Notice[] = [];
  /** Commands that were sent and not answered: by call, or by type. */
  sent: ReadonlyMap<string, string> = new Map();
  readonly #listeners = new Set<() => void>();
  #isScheduled = false;

  /** The step that is shown; 0 if there is none. */
  get q(): number {
    const { last } = this.run;
    return this.selection.q === null ? last : Math.min(this.selection.q, Math.max(last, this.run.total));
  }

  get isLive(): boolean {
    return this.selection.q === null;
  }

  get row(): RunRow | undefined {
    const { runId } = this.selection;
    return runId === null ? undefined : (this.files.get(runId)?.row ?? this.rows.get(runId));
  }

  get chart(): KnownChart | undefined {
    return this.row && this.charts.get(this.row.chart);
  }

  get isConnected(): boolean {
    return this.connection.kind === "open";
  }

  /** True while the run goes on as far as this page is told. */
  get isWorking(): boolean {
    const { row } = this;
    return this.isConnected && row !== undefined && isDriven(row);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Tells everybody, once in an animation frame; where there are none, four times a second. */
  changed(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // a page that is hidden, also since now, has no frames
    const timer = setTimeout(() => tell(), UNSEEN);
    const frame = document.hidden ? undefined : requestAnimationFrame(() => tell());
    const tell = (): void => {
      clearTimeout(timer);
      if (frame !== undefined) cancelAnimationFrame(frame);
      this.#isScheduled = false;
      for (const listener of this.#listeners) listener();
    };
  }

  /** Changes fields and tells everybody. */
  set(change: Partial<Model>): void {
    Object.assign(this, change);
    this.changed();
  }
}

export const model = new Model();
