import { type AppendState, toKey, labelsOf, readPosition } from "./shared.ts";
import { chained, hashOf } from "./checksum.ts";
import type { Batch, SessionPhase } from "./port.ts";

/** The columns that an append writes. Ids are keys (see {@link toKey}); strings that hold JSON are named so. */
export type AppendRow = {
  readonly key: string;
  /** The session's `seq` after the append. */
  readonly seq: number;
  /** The rows of its entries. `checksum`: the sum of the hashes of the batch up to this row. */
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
  /** `batch`: the sum of the hashes of all rows of entries. The others are hashes of what is written, null for what is not. */
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

/** A row of entries is ended once it has so many characters, so that a reader of one entry does not read many others. */
const ROW_CHARACTERS = 8_000;

/** Returns the rows of entries, as `entriesOf` reads them. */
function entryRowsOf(key: string, entries: Batch["entries"]): AppendRow["entries"] {
  const rows: AppendRow["entries"][number][] = [];
  let texts: string[] = [];
  let [first, size, sum, before] = [0, 0, 0, 0];
  for (const [index, entry] of entries.entries()) {
    const { seq, at, ...rest } = entry;
    if (texts.length === 0) first = seq;
    const text = JSON.stringify(texts.length === 0 ? entry : { ...(at !== before && { at }), ...rest });
    before = at;
    texts.push(text);
    size += text.length;
    if (size < ROW_CHARACTERS && index < entries.length - 1) continue;
    const [head, ...more] = texts;
    const json = more.length === 0 ? head! : `${head!.slice(0, -1)},"more":[${more.join()}]}`;
    sum = chained(sum, hashOf(json, "entry", key, first));
    rows.push({ seq, json, checksum: sum });
    [texts, size] = [[], 0];
  }
  return rows;
}

/** Returns what a batch writes into the rows of the session with this key. */
export function appendRowOf(key: string, batch: Batch, now: number | null): AppendRow {
  const { expectedSeq, entries, position, checkpoint, ackInputs = [] } = batch;
  const { phase, wakeAt = null, meta } = readPosition(position);
  const seq = expectedSeq + entries.length;
  const rows = entryRowsOf(key, entries);
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
      batch: rows.at(-1)?.checksum ?? 0,
      position: hashOf(positionJson, "position", key, seq),
      meta: metaJson === null ? null : hashOf(metaJson, "meta", key),
      checkpoint: checkpointJson === null ? null : hashOf(checkpointJson, "checkpoint", key),
    },
    now,
  };
}
