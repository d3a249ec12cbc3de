import type { AgentError } from "../core/base/error.ts";
import type { Json, JsonObject } from "../core/base/json.ts";
import { chained, hashOf, readChecked } from "./checksum.ts";
import type { JournalEntry, LoadedSession, SessionInfo, SessionInput } from "./port.ts";
import { readPosition, fromKey, toKey } from "./shared.ts";
import type { Row } from "./sql/transaction.ts";
import { readJson, sessionDamaged } from "./stored-json.ts";

/** Returns the position of a row. Throws `session/damaged`. */
export function positionOf({ position, position_checksum, seq }: Row, key: string): JsonObject {
  const about = ["position", key, Number(seq)] as const;
  return readChecked(position, position_checksum, fromKey(key), "its state", ...about);
}

// A row of entries has those that one append has written, up to some size: the first as it is, the others in its list `more`, without
// their numbers, and without a time that is that of the entry before. The number of the row is that of the last one. A release that does
// not know `more` reads the first one, which says the format of a journal if that is another one than before.

/** Returns the entries of a row from entry `next` on; `before` is the checksum of the row before. Throws `session/damaged`. */
export function entriesOf(
  row: Row,
  before: unknown,
  sessionId: string,
  next: number,
): readonly JournalEntry[] {
  const { checksum } = row;
  const what = `entry ${next}`;
  const { more = [], ...first } = readJson(row["entry"], sessionId, what) as Json as StoredRow;
  const { seq } = first;
  if (!(seq <= next) || !Array.isArray(more) || seq + more.length !== Number(row["seq"]))
    throw sessionDamaged(sessionId, `${what} is missing`);
  const hash = hashOf(String(row["entry"]), "entry", toKey(sessionId), seq);
  const isChained =
    checksum === null ? before === null : Number(checksum) === chained(Number(before ?? 0), hash);
  if (!isChained) throw sessionDamaged(sessionId, `${what} is not what was written`);
  let { at } = first;
  const others = more.map((each, index) => ({ seq: seq + index + 1, at: (at = each.at ?? at), ...each }));
  return [first, ...others].slice(next - seq);
}

type StoredRow = JournalEntry & {
  readonly more?: readonly (Omit<JournalEntry, "seq" | "at"> & { at?: number })[];
};

/** The error for entries that do not end where the session's row says. */
export function endMissing(sessionId: string, last: number): AgentError {
  return sessionDamaged(sessionId, `entry ${last} is not the newest one that was written`);
}

/** Returns what a load found; undefined if there is no session. Throws `session/damaged`. */
export function loadedOf(row: Row, sessionId: string): LoadedSession | undefined {
  if (row["seq"] === null) {
    if (!row["has_entries"]) return undefined;
    throw sessionDamaged(sessionId, "its state is missing");
  }
  const [key, seq] = [toKey(sessionId), Number(row["seq"])];
  const { checksum, position_checksum, checkpoint_checksum } = row;
  if ((checksum === null) !== (position_checksum === null))
    throw sessionDamaged(sessionId, "its state lacks a checksum");
  const position = positionOf(row, key);
  if (seq > 0 && row["last_seq"] === null) throw sessionDamaged(sessionId, `entry ${seq} is missing`);
  if (Number(row["last_checksum"] ?? 0) !== Number(checksum ?? 0)) throw endMissing(sessionId, seq);
  if (row["checkpoint"] === null) {
    if (checkpoint_checksum === null) return { seq, position };
    throw sessionDamaged(sessionId, "its checkpoint is missing");
  }
  const about = ["its checkpoint", "checkpoint", key] as const;
  return {
    seq,
    position,
    checkpoint: readChecked(row["checkpoint"], checkpoint_checksum, sessionId, ...about),
  };
}

/** Returns an input. Throws `session/damaged`. */
export function inputOf({ id, data, due_at, checksum }: Row, sessionId: string): SessionInput {
  const [key, dueAt] = [String(id), Number(due_at)];
  const about = ["input", toKey(sessionId), key, dueAt] as const;
  const input = readChecked(data, checksum, sessionId, `input '${fromKey(key)}'`, ...about);
  return { id: fromKey(key), data: input, ...(dueAt !== 0 && { dueAt }) };
}

/** Returns a session as a list shows it. */
export function infoOf(row: Row): SessionInfo {
  const key = String(row["session_id"]);
  const about = { sessionId: fromKey(key), seq: Number(row["seq"]), updatedAt: Number(row["updated_at"]) };
  try {
    const fields = readPosition(positionOf(row, key));
    const meta = readChecked(row["meta"], row["meta_checksum"], about.sessionId, "its meta", "meta", key);
    return { ...about, ...fields, meta };
  } catch {
    return { ...about, phase: "quarantined", waitsFor: [], meta: {} };
  }
}
