import type { Msg, ToolResultBlock } from "../core/message/types.ts";
import type { SessionStore } from "../store/port.ts";
import type { SessionEntry } from "./entry.ts";
import { damagedEntry, readEntries } from "./read-entry.ts";
import { type Checkpoint, marksOf, type Mark } from "./fold.ts";
import { wholeMessage } from "./message-fold.ts";

/** Some messages of a transcript. */
export type MessagePage = {
  readonly messages: readonly Msg[];
  /** The number of messages in the transcript. */
  readonly total: number;
};

/** The messages from index `after` up to `end`, as the entries of a journal that are pushed write them. */
class Window {
  readonly #after: number;
  readonly #end: number;
  readonly #results = new Map<string, ToolResultBlock>();
  readonly #found = new Map<number, Msg>();
  /** The number of messages so far. */
  #total: number;
  #hasSkipped = false;
  /** Entries after those that were skipped have changed messages of this window, maybe with results of skipped ones. */
  isRewritten = false;

  constructor(after: number, end: number, total: number) {
    this.#after = after;
    this.#end = end;
    this.#total = total;
  }

  /** Applies an entry. Throws `session/damaged`. */
  push(entry: SessionEntry): void {
    if (entry.type === "call" && entry.data.set.result)
      this.#results.set(entry.data.id, entry.data.set.result);
    if (entry.type !== "messages") return;
    const { from, messages } = entry.data;
    if (this.#hasSkipped && from < this.#end) this.isRewritten = true;
    if (this.isRewritten) return;
    if (from > this.#total) throw damagedEntry(entry, `there is no message ${from}`);
    for (const index of this.#found.keys()) if (index >= from) this.#found.delete(index);
    this.#total = from + messages.length;
    for (const [offset, message] of messages.entries()) {
      const index = from + offset;
      if (index < this.#after || index >= this.#end) continue;
      this.#found.set(index, wholeMessage(message, this.#results, entry));
    }
  }

  /** Continues after entries that have brought the transcript to `total` messages, none of them in this window. */
  skipTo(total: number): void {
    this.#total = total;
    this.#hasSkipped = true;
  }

  page(): MessagePage {
    const places = [...this.#found.keys()].toSorted((a, b) => a - b);
    return { messages: places.map((index) => this.#found.get(index)!), total: this.#total };
  }
}

/** The part of a journal that is known up to its newest checkpoint. */
type Known = { readonly seq: number; readonly cursor: number; readonly marks: readonly Mark[] };

const NOTHING: Known = { seq: 0, cursor: 0, marks: [] };

async function knownOf(store: SessionStore, sessionId: string): Promise<Known> {
  const checkpoint = (await store.load(sessionId))?.checkpoint as Partial<Checkpoint> | undefined;
  const { seq = 0, cursor = 0 } = checkpoint ?? {};
  const marks = checkpoint && marksOf(checkpoint);
  return marks ? { seq, cursor, marks } : NOTHING;
}

/**
 * Reads messages `after` to `after + limit`. What the newest checkpoint says about places in the journal bounds what is read: the
 * entries of these messages, at most about a sixteenth of the others, and those after the checkpoint. A session of 0.1.0 is read as
 * a whole until it has been opened again. Throws `session/damaged` and `session/version`.
 */
export async function readMessages(
  store: SessionStore,
  sessionId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<MessagePage> {
  const end = after + limit;
  const { seq, cursor, marks } = await knownOf(store, sessionId);
  const [total, first] = marks.findLast(([index]) => index <= after) ?? [0, 1];
  const next = marks.find(([index]) => index >= end);
  const read = async (window: Window, range: { readonly after: number; readonly limit?: number }) => {
    for await (const entry of readEntries(store, sessionId, range)) window.push(entry);
    return window;
  };
  const readOn = () => read(new Window(after, end, total), { after: first - 1 });
  if (!next) return (await readOn()).page();
  const window = await read(new Window(after, end, total), { after: first - 1, limit: next[1] - first });
  window.skipTo(cursor);
  await read(window, { after: seq });
  return window.isRewritten ? (await readOn()).page() : window.page();
}
