import type { JsonObject } from "../base/json.ts";
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

// A session's journal. Each line says what happened and, in `head`, all that a writer must know of what came before: whoever
// appends reads the last line, decides, and writes behind it.
//
// D1 A line counts if it stands at its `off`: then no other came between what its writer had read and the line itself, so
//    what its writer decided still held. This makes leases and appends of any number of processes one sequence.
// D2 A line that stands further back lost against another writer. It has changed nothing.
// D3 `head` holds offsets of the lines with the newest position, checkpoint and meta, so a load reads three lines at most.

/** Which inputs are acknowledged: those before `upTo` in the inbox, and `also` these. */
export type Acknowledged = { readonly upTo: number; readonly also: readonly string[] };

/** What a session is after a line. Offsets are null while there is no such line. */
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
export type JournalLine = {
  readonly off: number;
  readonly kind: "lease" | "release" | "append";
  /** Epoch ms. */
  readonly time: number;
  readonly head: JournalHead;
  /** Of a lease. */
  readonly session?: string;
  /** Of an append: the seq before it, and what it brought. */
  readonly from?: number;
  readonly entries?: readonly JournalEntry[];
  readonly position?: JsonObject;
  readonly checkpoint?: JsonObject;
  /** Of an append with a checkpoint: where the one before is. */
  readonly formerCheckpoint?: number | null;
};

/** A journal as its last line tells; without `head` it is empty. */
export type JournalTail = { readonly end: FileEnd; readonly head: JournalHead | undefined };

/** D1, D2. */
function counts(fd: number, { off, value }: FileLine, sessionId: string): boolean {
  const meant = value?.["off"];
  if (meant === off) return true;
  if (typeof meant === "number" && meant < off && isPlausibleOffset(fd, off, meant)) return false;
  throw sessionDamaged(sessionId, `its journal, at byte ${off}`);
}

/** Where the journal ends; `known` if nothing was written since. Throws `session/damaged`. */
export function tailOf(fd: number, sessionId: string, known?: JournalTail): JournalTail {
  const end = endOf(fd, known?.end);
  if (end === known?.end) return known;
  if (end.isTorn && hasLostNewline(fd, end.size)) throw sessionDamaged(sessionId, "the end of its journal");
  for (const line of linesBackward(fd, end.size)) {
    if (counts(fd, line, sessionId)) return { end, head: line.value!["head"] as unknown as JournalHead };
  }
  return { end, head: undefined };
}

/** The line at an offset that a head gave. Throws `session/damaged`. */
export function journalLineAt(fd: number, sessionId: string, off: number): JournalLine {
  const line = lineAt(fd, off);
  if (!line || line.value?.["off"] !== off) throw sessionDamaged(sessionId, `its journal, at byte ${off}`);
  return line.value as unknown as JournalLine;
}

/** The lines that count, from one of them on. Throws `session/damaged` when it comes to the damage. */
export function* journalLines(fd: number, sessionId: string, off: number): Generator<JournalLine> {
  let seq: number | undefined;
  for (const line of linesForward(fd, off, endOf(fd).size)) {
    if (!counts(fd, line, sessionId)) continue;
    const found = line.value as unknown as JournalLine;
    const before = found.from ?? found.head.seq;
    if (before !== (seq ?? before)) throw sessionDamaged(sessionId, `what comes after entry ${seq}`);
    seq = found.head.seq;
    yield found;
  }
  tailOf(fd, sessionId); // throws for a damaged end
}

/** An offset from which {@link journalLines} come to every entry above `after`, and to few others. */
function offsetBefore(fd: number, sessionId: string, head: JournalHead, after: number): number {
  let off = head.checkpoint;
  while (off !== null) {
    const line = journalLineAt(fd, sessionId, off);
    if (line.from !== undefined && line.from <= after) return off;
    off = line.formerCheckpoint ?? null;
  }
  return 0;
}

/** The entries above `after`, `limit` of them at most. Throws `session/damaged` when it comes to the damage. */
export function* journalEntries(
  fd: number,
  sessionId: string,
  after: number,
  limit: number,
): Generator<JournalEntry> {
  if (limit <= 0) return;
  let [left, off] = [limit, 0];
  if (after > 0) {
    const { head } = tailOf(fd, sessionId);
    if (!head || head.seq <= after) return;
    off = offsetBefore(fd, sessionId, head, after);
  }
  for (const { entries = [] } of journalLines(fd, sessionId, off)) {
    for (const entry of entries) {
      if (entry.seq <= after) continue;
      yield entry;
      if (--left <= 0) return;
    }
  }
}

/** What a writer wants to append: `head` and the line's own fields, given the offset it will have. */
export type LineDraft = {
  readonly fields: Omit<JournalLine, "off" | "head">;
  readonly headAt: (off: number) => JournalHead;
};

/** Appends a line behind `tail`. Undefined: another line came first, and this one does not count. */
export function commit(
  fd: number,
  tail: JournalTail,
  { fields, headAt }: LineDraft,
): JournalTail | undefined {
  const line = appendLine(fd, tail.end, (off) => ({ ...fields, head: headAt(off) }));
  return line && { end: line.end, head: headAt(line.off) };
}
