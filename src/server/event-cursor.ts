import type { AgentEvent } from "../core/event/types.ts";

/** Formats events as server-sent events. An event of the journal has its position as id; others have no id. */
export async function* formatEvents(events: AsyncIterable<AgentEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const id = event.position === undefined ? "" : `id: ${event.position}\n`;
    yield `${id}data: ${JSON.stringify(event)}\n\n`;
  }
}
