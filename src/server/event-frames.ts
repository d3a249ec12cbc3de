import type { AgentEvent } from "../event/types.ts";

/** A place in a session's facts: behind the first `index + 1` events of the journal entry `seq`, or all of them. */
export type Place = { readonly seq: number; readonly index: number };

/** The place that the id of an event names: "12.0", or "12" for the whole entry. */
export function placeOf(id: string | undefined): Place {
  const [seq = "0", index] = (id ?? "").split(".");
  return { seq: Number(seq), index: index === undefined ? Number.POSITIVE_INFINITY : Number(index) };
}

/** The journal position to read from so that nothing after the place is missed. */
export function readFrom({ seq, index }: Place): number {
  return Number.isFinite(index) ? seq - 1 : seq;
}

/** Events as server-sent ones. A fact gets its place as id, and is left out if it is not behind `after`; what the journal
 *  does not hold has no id. */
export async function* framesOf(events: AsyncIterable<AgentEvent>, after: Place): AsyncGenerator<string> {
  let at: Place = { seq: 0, index: -1 };
  for await (const event of events) {
    if (!isFact(event)) {
      yield `data: ${JSON.stringify(event)}\n\n`;
      continue;
    }
    at = { seq: event.seq, index: event.seq === at.seq ? at.index + 1 : 0 };
    if (at.seq < after.seq || (at.seq === after.seq && at.index <= after.index)) continue;
    yield `id: ${at.seq}.${at.index}\ndata: ${JSON.stringify(event)}\n\n`;
  }
}

/** Events that the journal told have the `n` 0. */
function isFact({ n }: AgentEvent): boolean {
  return n === 0;
}
