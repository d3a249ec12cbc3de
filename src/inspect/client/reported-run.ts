import type { ChartVersion } from "../protocol/chart-version.ts";
import type { PendingItem } from "../protocol/commands.ts";
import type { RunRow, StreamDelta } from "../protocol/protocol.ts";
import type { History } from "./history.ts";

/** The data of a run that the hub receives besides its steps. */
export type RunReport = {
  readonly row: RunRow;
  /** The open calls. */
  readonly pending: readonly PendingItem[];
  /** The exceeded limit of the budget. */
  readonly exceeded?: string;
};

/** This process, as it appears in rows. */
export type WorkerInfo = NonNullable<RunRow["worker"]>;

/** A run that this process reports: the session of an agent, or an actor of another system. */
export interface ReportedRun {
  readonly runId: string;
  /** The recorded steps. */
  readonly history: History;
  /** The chart and its hash. */
  readonly chart: ChartVersion;
  /** True once nothing more will happen. */
  readonly hasEnded: boolean;
  /** Writes what was recorded as steps. */
  write(): void;
  /** Reports the current row, the open calls and the exceeded limit. */
  report(worker: WorkerInfo): RunReport;
  /** Takes the streamed text that waits to be sent. */
  drain(): { readonly items: readonly StreamDelta[]; readonly dropped: number };
}
