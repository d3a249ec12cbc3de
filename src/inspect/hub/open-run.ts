import type { PendingItem, RunGroup, RunRow } from "../protocol/protocol.ts";
import type { RunLog } from "./run-log.ts";

/** A run that was opened to be displayed: live, from a store or from a file. */
export type OpenRun = {
  readonly row: RunRow;
  readonly pending: readonly PendingItem[];
  readonly exceeded?: string;
  readonly log: RunLog;
  /** Returns a long string that steps refer to. */
  blob(sha: string): string | undefined;
  /** All long strings. */
  blobs(): Iterable<readonly [sha: string, text: string]>;
};

/** Returns the group of a run in the list. */
export function groupOf({ phase, waitsFor }: Pick<RunRow, "phase" | "waitsFor">): RunGroup {
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
