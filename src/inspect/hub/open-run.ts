import type { PendingItem } from "../protocol/commands.ts";
import type { RunRow } from "../protocol/protocol.ts";
import type { RunLog } from "./run-log.ts";

/** A run that was opened to be displayed: live, from a store or from a file. */
export type OpenRun = {
  readonly row: RunRow;
  /** The open calls. */
  readonly pending: readonly PendingItem[];
  /** The exceeded limit of the budget; "" or absent if none is. */
  readonly exceeded?: string;
  readonly log: RunLog;
  /** Returns a long string that steps refer to. */
  blob(sha: string): string | undefined;
  /** All long strings. */
  blobs(): Iterable<readonly [sha: string, text: string]>;
};
