import type { AgentEvent } from "../event/types.ts";

/** A position in the facts of a session: after the first `index + 1` events of the journal entry `seq`, or after all of them. */
export type EventCursor = { readonly seq: number; readonly index: number };

/** The cursor of a `Last-Event-ID`: "12.0", or "12" for the whole entry. Without an id, it is before the first fact. */
export function parseCursor(id: string | undefined): EventCursor {
  const [seq = "0", index] = (id ?? "").split(".");
  return { seq: Number(seq), index: index === undefined ? Number.POSITIVE_INFINITY : Number(index) };
}

/** The journal position to read from, so that no event after the cursor is missing. */
export function readPosition({ seq, index }: EventCursor): number {
  return Number.isFinite(index) ? seq - 1 : seq;
}

/** Formats events as server-sent events. A fact has its cursor as id, and is skipped unless it is after `cursor`. Other events
 *  have no id. */
export async function* formatEvents(
  events: AsyncIterable<AgentEvent>,
  cursor: EventCursor,
): AsyncGenerator<string> {
  let last: EventCursor = { seq: 0, index: -1 };
  for await (const event of events) {
    if (!isFact(event)) {
      yield `data: ${JSON.stringify(event)}\n\n`;
      continue;
    }
    last = { seq: event.seq, index: event.seq === last.seq ? last.index + 1 : 0 };
    if (last.seq < cursor.seq || (last.seq === cursor.seq && last.index <= cursor.index)) continue;
    yield `id: ${last.seq}.${last.index}\ndata: ${JSON.stringify(event)}\n\n`;
  }
}

/** Whether the event was read from the journal: its `n` is 0. */
function isFact({ n }: AgentEvent): boolean {
  return n === 0;
}
