import { randomUUID } from "node:crypto";
import type { JsonObject } from "../core/base/json.ts";
import type { OpenFile } from "./file-access.ts";
import type { Acknowledged } from "./file-journal.ts";
import { checkEnd } from "./file-end.ts";
import {
  appendLine,
  endOf,
  hasLostNewline,
  isSameFile,
  lineAt,
  linesForward,
  wholeSize,
  type FileEnd,
  type FileLine,
} from "./file-lines.ts";
import { compareIds, dueTime } from "./shared.ts";
import type { SessionInput } from "./port.ts";
import { sessionDamaged } from "./stored-json.ts";

// A session's inputs, one per line. Of lines with the same id the first counts. The journal holds what is acknowledged, so
// that an append and its acknowledgements are one write.

/** A line of the inbox, without its data. */
type Item = {
  readonly id: string;
  /** Tells the writer whether the first line with its id is its own. */
  readonly put: string;
  readonly dueAt?: number;
  /** Offsets of its first byte and of the byte after it. */
  readonly off: number;
  readonly end: number;
};

/** The lines of an inbox, as far as it was read. */
export type InboxIndex = {
  end: FileEnd;
  readUpTo: number;
  readonly items: Item[];
  readonly byId: Map<string, Item>;
};

/** Returns the index of an inbox, updated from `known` if that is an index of the same file. Throws
 *  `session/damaged`. One call at a time may update an index. */
export async function indexOf(file: OpenFile, sessionId: string, known?: InboxIndex): Promise<InboxIndex> {
  const end = await endOf(file, known?.end);
  if (end === known?.end) return known;
  if (end.isTorn && (await hasLostNewline(file, end.size)))
    throw sessionDamaged(sessionId, "the end of its inbox");
  const isSame = known !== undefined && isSameFile(known.end, end) && known.readUpTo <= end.size;
  const index = isSame ? known : { end, readUpTo: 0, items: [], byId: new Map<string, Item>() };
  for await (const lines of linesForward(file, index.readUpTo, end.size))
    for (const line of lines) addLine(index, line, sessionId);
  const extent = { end: await wholeSize(file, end), count: index.items.length };
  await checkEnd(file, extent, sessionId, "its inbox");
  index.end = end;
  return index;
}

function addLine(index: InboxIndex, line: FileLine, sessionId: string): void {
  const { off, value } = line;
  // A line may land behind the place that its writer intended, never before it.
  if (!value || (value["off"] as number) > off) throw sessionDamaged(sessionId, `its inbox at byte ${off}`);
  const { id, put, dueAt } = value as unknown as Item;
  const item = { id, put, off, end: line.end, ...(dueAt !== undefined && { dueAt }) };
  if (!index.byId.has(item.id)) {
    index.byId.set(item.id, item);
    index.items.push(item);
  }
  index.readUpTo = line.end;
}

/** Appends an input. Returns false if the inbox had its id, and undefined if the caller must try again. */
export async function appendInput(
  file: OpenFile,
  sessionId: string,
  index: InboxIndex,
  input: SessionInput,
): Promise<boolean | undefined> {
  const put = randomUUID().slice(0, 8);
  const { id, data, dueAt } = input;
  const isFirst = index.items.length === 0; // the folder's name may be a hash
  await appendLine(file, index.end, () => ({
    ...(isFirst && { session: sessionId }),
    id,
    put,
    ...(dueAt !== undefined && { dueAt }),
    data,
  }));
  const written = (await indexOf(file, sessionId, index)).byId.get(input.id);
  return written && written.put === put;
}

/** So many acknowledged inputs behind one that waits are named. */
const MAX_ALSO = 20;

/** Returns what is acknowledged once `ids` are acknowledged too. */
export function acknowledge(index: InboxIndex, before: Acknowledged, ids: readonly string[]): Acknowledged {
  const done = new Set(ids);
  const left = new Set(waitingItems(index, before).filter(({ id }) => !done.has(id)));
  const [first] = left;
  const behind = first ? index.items.slice(index.items.lastIndexOf(first)) : [];
  const also = behind.filter((item) => !left.has(item));
  const last = also.at(-1);
  if (last && also.length > MAX_ALSO) {
    const but = [...left].filter(({ off }) => off < last.off);
    if (but.length < also.length) return { upTo: last.end, also: { but: but.map(({ id }) => id) } };
  }
  const upTo = first?.off ?? Math.max(before.upTo, index.items.at(-1)?.end ?? 0);
  return { upTo, also: also.map(({ id }) => id) };
}

/** The inputs that are not acknowledged, in the order they came. */
function waitingItems({ items, byId }: InboxIndex, { upTo, also }: Acknowledged): readonly Item[] {
  const behind = items.slice(items.findLastIndex(({ off }) => off < upTo) + 1);
  if ("but" in also) return [...also.but.flatMap((id) => byId.get(id) ?? []), ...behind];
  const done = new Set(also);
  return behind.filter(({ id }) => !done.has(id));
}

/** Returns the first `limit` ids after `after` of inputs that are acknowledged. */
export function takenIds(
  index: InboxIndex,
  acknowledged: Acknowledged,
  { after, limit }: { readonly after: string; readonly limit: number },
): readonly string[] {
  const waiting = new Set(waitingItems(index, acknowledged));
  const taken = index.items.filter((item) => !waiting.has(item) && compareIds(item.id, after) > 0);
  return taken
    .map(({ id }) => id)
    .toSorted(compareIds)
    .slice(0, limit);
}

/** True if an input that is not acknowledged is due at `before`. */
export function hasDueInput(index: InboxIndex, acknowledged: Acknowledged, before: number): boolean {
  return waitingItems(index, acknowledged).some((item) => dueTime(item) <= before);
}

/** Returns the first `limit` inputs that are not acknowledged, in the order of {@link SessionStore.takeInputs}. */
export async function waitingInputs(
  file: OpenFile,
  sessionId: string,
  index: InboxIndex,
  acknowledged: Acknowledged,
  limit: number,
): Promise<SessionInput[]> {
  const inputs: SessionInput[] = [];
  const waiting = waitingItems(index, acknowledged).toSorted((a, b) => dueTime(a) - dueTime(b));
  for (const { id, off, dueAt } of waiting.slice(0, limit)) {
    const value = (await lineAt(file, off))?.value;
    if (!value) throw sessionDamaged(sessionId, `its inbox at byte ${off}`);
    inputs.push({ id, data: value["data"] as JsonObject, ...(dueAt !== undefined && { dueAt }) });
  }
  return inputs;
}
