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

/** Reads a journal for what listeners would have heard; results are kept because messages refer to them, and messages
 *  because some are written again where others came before them. */
export class EntryReader {
  readonly #results = new Map<string, ToolResultBlock>();
  readonly #messages: Msg[] = [];
  /** Calls that run, whose results are not told yet. */
  readonly #running = new Set<string>();

  events(entry: JournalEntry): EventBody[] {
    const { data } = entry;
    if (entry.type === "messages") {
      const { from, messages } = data as unknown as {
        readonly from: number;
        readonly messages: readonly (Msg & { readonly ref?: string })[];
      };
      const whole = this.#fresh(
        from,
        messages.map(({ ref, ...message }): Msg => {
          const result = ref === undefined ? undefined : this.#results.get(ref);
          return result ? { ...message, content: [result] } : message;
        }),
      );
      // The last result of a batch is written with its message alone.
      const ended = whole.flatMap(toolResultsOf).filter(({ id }) => this.#running.delete(id));
      return [
        ...ended.map(toolEndEvent),
        ...whole.map((message): EventBody => ({ type: "message", phase: "other", message })),
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

  /** Takes the messages that stand from `from` on, and gives those that did not stand there before. */
  #fresh(from: number, messages: readonly Msg[]): readonly Msg[] {
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

/** Tells a listener the durable facts after `after`, and then what happens, missing nothing in between. Events that the
 *  journal told have the `n` 0. */
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
      const bodies = reader.events(entry);
      if (entry.seq <= after) continue;
      last = entry.seq;
      for (const body of bodies)
        listener({ seq: entry.seq, n: 0, at: entry.at, turn: 0, ...body } as AgentEvent);
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
