import type { AgentEvent } from "../event/types.ts";
import type { ErrorInfo } from "../base/error.ts";
import { toolResultsOf } from "../message/query.ts";
import type { Msg, Reason, ToolResultBlock } from "../message/types.ts";
import type { JournalEntry, SessionStore } from "../store/port.ts";
import type { CallRecord } from "../../machines/agent/context.ts";

type EventBody = AgentEvent extends infer E
  ? E extends AgentEvent
    ? Omit<E, "seq" | "n" | "at" | "turn">
    : never
  : never;

/** Turns journal entries into the events that listeners received. It keeps results, because messages refer to them, and
 *  messages, because an entry may write some again after inserted ones. */
export class EntryReader {
  readonly #results = new Map<string, ToolResultBlock>();
  readonly #messages: Msg[] = [];
  /** Calls that run and have no `tool.end` event yet. */
  readonly #running = new Set<string>();

  /** Returns the events of the next entry, with `n` 0. */
  events(entry: JournalEntry): AgentEvent[] {
    const { seq, at } = entry;
    return this.#bodies(entry).map((body) => ({ seq, n: 0, at, turn: 0, ...body }) as AgentEvent);
  }

  #bodies(entry: JournalEntry): EventBody[] {
    const { data } = entry;
    if (entry.type === "messages") {
      const { from, messages } = data as unknown as {
        readonly from: number;
        readonly messages: readonly (Msg & { readonly ref?: string })[];
      };
      const added = this.#replaceFrom(
        from,
        messages.map(({ ref, ...message }): Msg => {
          const result = ref === undefined ? undefined : this.#results.get(ref);
          return result ? { ...message, content: [result] } : message;
        }),
      );
      // The last result of a batch is written in its message only.
      const ended = added.flatMap(toolResultsOf).filter(({ id }) => this.#running.delete(id));
      return [
        ...ended.map(toolEndEvent),
        ...added.map((message): EventBody => ({ type: "message", phase: "other", message })),
      ];
    }
    if (entry.type === "call") {
      const { id, set } = data as unknown as { readonly id: string; readonly set: Partial<CallRecord> };
      if (set.status === "running") this.#running.add(id);
      if (!set.result) return [];
      this.#running.delete(id);
      this.#results.set(id, set.result);
      return [toolEndEvent(set.result)];
    }
    if (entry.type === "turn.end") {
      const { reason, error } = data as unknown as { readonly reason: Reason; readonly error?: ErrorInfo };
      return [{ type: "turn.end", reason, ...(error && { error }) }];
    }
    if (entry.type === "input.refused") {
      const { id, error } = data as unknown as { readonly id: string; readonly error: ErrorInfo };
      return [{ type: "input.refused", inputId: id, error }];
    }
    return [];
  }

  /** Replaces the messages from index `from` on, and returns those that were not there before. */
  #replaceFrom(from: number, messages: readonly Msg[]): readonly Msg[] {
    const before = this.#messages.splice(from);
    this.#messages.push(...messages);
    if (before.length === 0) return messages;
    const moved = new Set(before.map(messageKey));
    return messages.filter((message) => !moved.has(messageKey(message)));
  }
}

function messageKey({ id, content }: Msg): string {
  return JSON.stringify([id, content]);
}

function toolEndEvent(result: ToolResultBlock): EventBody {
  return { type: "tool.end", callId: result.id, result, durationMs: 0 };
}

/** Calls `listener` with the events of the journal after entry `after`, with `n` 0, and then with live events, missing none in
 *  between. Returns a function that unsubscribes. */
export function replayEvents(
  store: SessionStore,
  sessionId: string,
  after: number,
  subscribe: (listener: (event: AgentEvent) => void) => () => void,
  listener: (event: AgentEvent) => void,
): () => void {
  const waiting: AgentEvent[] = [];
  let isLive = false;
  let isOver = false;
  const stop = subscribe((event) => (isLive ? listener(event) : waiting.push(event)));

  const replay = async (): Promise<void> => {
    const reader = new EntryReader();
    let last = after;
    for await (const entry of store.read(sessionId)) {
      if (isOver) return;
      const events = reader.events(entry);
      if (entry.seq <= after) continue;
      last = entry.seq;
      events.forEach(listener);
    }
    isLive = true;
    for (const event of waiting.splice(0)) if (event.seq >= last) listener(event);
  };
  void replay().catch(() => {
    isLive = true;
    for (const event of waiting.splice(0)) listener(event);
  });
  return () => {
    isOver = true;
    stop();
  };
}
