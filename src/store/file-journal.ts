import type { JsonObject } from "../core/base/json.ts";
import type { OpenFile } from "./file-access.ts";
import {
  appendLine,
  endOf,
  hasLostNewline,
  lineAt,
  linesBackward,
  linesForward,
  isPlausibleOffset,
  type FileEnd,
  type FileLine,
} from "./file-lines.ts";
import type { JournalEntry } from "./port.ts";
import { sessionDamaged } from "./stored-json.ts";

// A session's journal. Each line holds what happened and, in `head`, the state of the session after it: a writer reads the
// last line, decides, and appends a line.
//
// D1 A line counts if it is at the offset `off` that it names: then no other line came between what its writer had read and
//    the line itself, so the writer's decision is valid. This puts the leases and appends of all processes into one sequence.
// D2 A line at a higher offset lost against another writer and has changed nothing.
// D3 `head` holds the offsets of the lines with the newest position, checkpoint and meta, so a load reads at most three lines.

/** The inputs that are acknowledged: those before the offset `upTo` of the inbox, and those with the ids in `also`. Where these would be many,
 *  such as behind a delayed input, `but` has the ids of those before `upTo` that are not. A release that does not know `but` reads no such
 *  inbox, because it looks for a list. */
export type Acknowledged = {
  readonly upTo: number;
  readonly also: readonly string[] | { readonly but: readonly string[] };
};

/** The state of a session after a line. `position`, `checkpoint` and `meta` are offsets, null while there is no such line. */
export type JournalHead = {
  readonly seq: number;
  readonly fence: number;
  /** Null once the lease was released. */
  readonly owner: string | null;
  readonly expiresAt: number;
  /** Absent in a journal of an earlier release. */
  readonly takeovers?: number;
  readonly position: number | null;
  readonly checkpoint: number | null;
  readonly meta: number | null;
  readonly inbox: Acknowledged;
};

/** One line: an acquired lease, a released one, or an append. */
type JournalLine = {
  readonly off: number;
  readonly kind: "lease" | "release" | "append";
  /** Epoch ms. */
  readonly time: number;
  readonly head: JournalHead;
  /** Of a lease. */
  readonly session?: string;
  /** Of an append: the seq before it, and what it wrote. */
  readonly from?: number;
  readonly entries?: readonly JournalEntry[];
  readonly position?: JsonObject;
  readonly checkpoint?: JsonObject;
  /** Of an append with a checkpoint: the offset of the previous checkpoint. */
  readonly formerCheckpoint?: number | null;
};

/** The end of a journal, and the `head` of its last line that counts; undefined for an empty journal. */
export type JournalTail = { readonly end: FileEnd; readonly head: JournalHead | undefined };

/** True for a line that counts (D1), false for one that does not (D2). Throws `session/damaged`. */
async function counts(file: OpenFile, { off, value }: FileLine, sessionId: string): Promise<boolean> {
  const intended = value?.["off"];
  if (intended === off) return true;
  if (typeof intended === "number" && intended < off && (await isPlausibleOffset(file, off, intended)))
    return false;
  throw sessionDamaged(sessionId, `its journal at byte ${off}`);
}

/** Returns the tail of a journal; `known` itself if nothing was written since. Throws `session/damaged`. */
export async function tailOf(file: OpenFile, sessionId: string, known?: JournalTail): Promise<JournalTail> {
  const end = await endOf(file, known?.end);
  if (end === known?.end) return known;
  if (end.isTorn && (await hasLostNewline(file, end.size)))
    throw sessionDamaged(sessionId, "the end of its journal");
  for await (const line of linesBackward(file, end.size)) {
    if (await counts(file, line, sessionId))
      return { end, head: line.value!["head"] as unknown as JournalHead };
  }
  return { end, head: undefined };
}

/** Returns the line at an offset out of a `head`. Throws `session/damaged`. */
export async function journalLineAt(file: OpenFile, sessionId: string, off: number): Promise<JournalLine> {
  const line = await lineAt(file, off);
  if (!line || line.value?.["off"] !== off) throw sessionDamaged(sessionId, `its journal at byte ${off}`);
  return line.value as unknown as JournalLine;
}

/** Yields the lines that count, beginning with the one at `off`. Throws `session/damaged` when it reaches damage. */
export async function* journalLines(
  file: OpenFile,
  sessionId: string,
  off: number,
): AsyncGenerator<JournalLine> {
  let seq: number | undefined;
  for await (const lines of linesForward(file, off, (await endOf(file)).size)) {
    for (const line of lines) {
      if (!(line.value?.["off"] === line.off || (await counts(file, line, sessionId)))) continue;
      const found = line.value as unknown as JournalLine;
      const before = found.from ?? found.head.seq;
      if (before !== (seq ?? before)) throw sessionDamaged(sessionId, `what comes after entry ${seq}`);
      seq = found.head.seq;
      yield found;
    }
  }
  await tailOf(file, sessionId); // throws for a damaged end
}

/** Returns an offset after which {@link journalLines} yields every entry above `after`, and few others. */
async function offsetBefore(
  file: OpenFile,
  sessionId: string,
  head: JournalHead,
  after: number,
): Promise<number> {
  let off = head.checkpoint;
  while (off !== null) {
    const line = await journalLineAt(file, sessionId, off);
    if (line.from !== undefined && line.from <= after) return off;
    off = line.formerCheckpoint ?? null;
  }
  return 0;
}

/** Yields at most `limit` entries above `after`. Throws `session/damaged` when it reaches damage. */
export async function* journalEntries(
  file: OpenFile,
  sessionId: string,
  after: number,
  limit: number,
): AsyncGenerator<JournalEntry> {
  if (limit <= 0) return;
  let [left, off] = [limit, 0];
  if (after > 0) {
    const { head } = await tailOf(file, sessionId);
    if (!head || head.seq <= after) return;
    off = await offsetBefore(file, sessionId, head, after);
  }
  for await (const { entries = [] } of journalLines(file, sessionId, off)) {
    for (const entry of entries) {
      if (entry.seq <= after) continue;
      yield entry;
      if (--left <= 0) return;
    }
  }
}

/** A line to append: its own fields, and its `head` given the offset that it will have. */
export type LineDraft = {
  readonly fields: Omit<JournalLine, "off" | "head">;
  readonly headAt: (off: number) => JournalHead;
};

/** Appends a line after `tail` to a journal and returns the new tail. It returns undefined if another line came first or the
 *  journal is another one by now, so that this line does not count. */
export async function commit(
  file: OpenFile,
  tail: JournalTail,
  { fields, headAt }: LineDraft,
): Promise<JournalTail | undefined> {
  let head: JournalHead | undefined;
  const end = await appendLine(file, tail.end, (off) => {
    head = headAt(off);
    return { ...fields, head };
  });
  return end && { end, head };
}
