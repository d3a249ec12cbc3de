import { type AppendState, toKey, labelsOf, readPosition } from "./shared.ts";
import { chained, hashOf } from "./checksum.ts";
import type { Batch, SessionPhase } from "./port.ts";

/** The columns that an append writes. Ids are keys (see {@link toKey}); strings that hold JSON are named so. */
export type AppendRow = {
  readonly key: string;
  /** The session's `seq` after the append. */
  readonly seq: number;
  /** `checksum`: the sum of the hashes of the batch up to this entry. */
  readonly entries: readonly { readonly seq: number; readonly json: string; readonly checksum: number }[];
  readonly positionJson: string;
  readonly phase: SessionPhase;
  readonly wakeAt: number | null;
  /** Null: the former `meta` and labels stay. */
  readonly metaJson: string | null;
  readonly labels: readonly string[] | null;
  /** Null: the former checkpoint stays. */
  readonly checkpointJson: string | null;
  readonly inputKeys: readonly string[];
  /** `batch`: the sum of the hashes of all entries. The others are hashes of what is written, null for what is not. */
  readonly checksums: {
    readonly batch: number;
    readonly position: number;
    readonly meta: number | null;
    readonly checkpoint: number | null;
  };
  /** The append ends the lease, unless another input is due. */
  readonly releases: boolean;
  /** Null: the clock of the database. */
  readonly now: number | null;
};

/** The outcome of an append. It has written the batch, and may have ended the lease; or it has written nothing, in this state of the session,
 *  undefined if there is none. */
export type Appended = "written" | "released" | AppendState | undefined;

/** Returns what a batch writes into the rows of the session with this key. */
export function appendRowOf(key: string, batch: Batch, now: number | null): AppendRow {
  const { expectedSeq, entries, position, checkpoint, ackInputs = [] } = batch;
  const { phase, wakeAt = null, meta } = readPosition(position);
  const seq = expectedSeq + entries.length;
  let sum = 0;
  const rows = entries.map((entry) => {
    const json = JSON.stringify(entry);
    sum = chained(sum, hashOf(json, "entry", key, entry.seq));
    return { seq: entry.seq, json, checksum: sum };
  });
  const positionJson = JSON.stringify(position);
  const metaJson = meta ? JSON.stringify(meta) : null;
  const checkpointJson = checkpoint ? JSON.stringify(checkpoint) : null;
  return {
    key,
    seq,
    entries: rows,
    positionJson,
    phase,
    wakeAt,
    metaJson,
    labels: meta ? labelsOf(meta) : null,
    checkpointJson,
    inputKeys: ackInputs.map(toKey),
    releases: batch.onRelease !== undefined,
    checksums: {
      batch: sum,
      position: hashOf(positionJson, "position", key, seq),
      meta: metaJson === null ? null : hashOf(metaJson, "meta", key),
      checkpoint: checkpointJson === null ? null : hashOf(checkpointJson, "checkpoint", key),
    },
    now,
  };
}
