import type { PendingItem, RunRow } from "../protocol/protocol.ts";
import type { RunLog } from "./run-log.ts";

/** A run to look at, wherever it comes from. */
export type OpenRun = {
  readonly row: RunRow;
  readonly pending: readonly PendingItem[];
  readonly exceeded?: string;
  readonly log: RunLog;
  /** A long string that its steps refer to. */
  blob(sha: string): string | undefined;
  /** All of them. */
  blobs(): Iterable<readonly [sha: string, text: string]>;
};

/** How the list of runs is divided. */
export const GROUPS = ["needsYou", "running", "suspended", "finished"] as const;
export type Group = (typeof GROUPS)[number];

export function groupOf({ phase, waitsFor }: Pick<RunRow, "phase" | "waitsFor">): Group {
  switch (phase) {
    case "running":
      return "running";
    case "suspended":
      return waitsFor.length > 0 ? "needsYou" : "suspended";
    case "unfinished":
    case "quarantined":
      return "suspended";
    case "stopped":
      return "finished";
  }
}
