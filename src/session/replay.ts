import type { AgentEvent } from "../event/types.ts";
import { toolResultsOf } from "../message/query.ts";
import { suspendedResult } from "../tool/results.ts";
import type { Msg, ToolResultBlock } from "../message/types.ts";
import type { SessionStore } from "../store/port.ts";
import type { PendingCall } from "../tool/pending.ts";
import type { CallRecord } from "../../machines/agent/context.ts";
import { pendingCalls } from "../../machines/agent/updates/calls.ts";
import { recordsAfter } from "./call-records.ts";
import { readEntries, type CallChange, type ResultRef, type SessionEntry, type TurnEnd } from "./entry.ts";

type EventBody = AgentEvent extends infer E
  ? E extends AgentEvent
    ? Omit<E, "seq" | "n" | "at" | "turn">
    : never
  : never;

/** Turns journal entries into the events that listeners received, in their order. It keeps results, because messages refer to them, and
 *  messages, because an entry may write some again after inserted ones. */
export class EntryReader {
  readonly #results = new Map<string, ToolResultBlock>();
  readonly #messages: Msg[] = [];
  /** Calls that run and have no `tool.end` event yet. */
  readonly #running = new Set<string>();
  #calls: readonly CallRecord[] = [];
  /** True if the last append left the session suspended. */
  #isSuspended = false;

  /** Returns the events of the next entry, with `n` 0. */
  events(entry: SessionEntry): AgentEvent[] {
    const { seq, at } = entry;
    return this.#bodies(entry).map((body) => ({ seq, n: 0, at, turn: 0, ...body }) as AgentEvent);
  }

  #bodies(entry: SessionEntry): EventBody[] {
    switch (entry.type) {
      case "messages": {
        const { from, messages } = entry.data;
        const added = this.#replaceFrom(
          from,
          messages.map((message): Msg => this.#withResult(message)),
        );
        // The last result of a batch is written in its message only.
        const ended = added.flatMap(toolResultsOf).filter(({ id }) => this.#running.delete(id));
        return [
          ...ended.map(toolEndEvent),
          ...added.map((message): EventBody => ({ type: "message", phase: "other", message })),
        ];
      }
      case "call":
        return this.#callEvents(entry.data);
      case "calls.closed":
        this.#calls = [];
        return [];
      case "position": {
        const { state, adopted: change } = entry.data;
        this.#isSuspended = state?.startsWith("suspended") ?? this.#isSuspended;
        if (!change) return [];
        const calls = this.#isSuspended ? pendingCalls({ calls: this.#calls }) : [];
        return [{ type: "agent.changed", change }, ...(calls.length > 0 ? [pendingEvent(calls)] : [])];
      }
      case "turn.end": {
        const { reason, error } = entry.data;
        const end: EventBody = { type: "turn.end", reason, ...(error && { error }) };
        const calls = this.#pendingAt(entry.data);
        return calls.length > 0 ? [pendingEvent(calls), end] : [end];
      }
      case "input.refused": {
        const { id, error } = entry.data;
        return [{ type: "input.refused", inputId: id, error }];
      }
      case "slot": {
        const { name, value, revision } = entry.data;
        return [{ type: "slot", name, value, revision }];
      }
      default:
        return [];
    }
  }

  #callEvents(change: CallChange): EventBody[] {
    const { id, set } = change;
    this.#calls = recordsAfter(this.#calls, change) ?? this.#calls;
    const record = this.#calls.find(({ call }) => call.id === id);
    if (record?.status === "running" && (set.status ?? set.attempt) !== undefined) {
      this.#running.add(id);
      return [{ type: "tool.start", call: record.call, attempt: record.attempt }];
    }
    const result =
      set.status === "suspended" && record ? suspendedResult(record.call, record.reason) : set.result;
    if (!result) return [];
    this.#running.delete(id);
    if (set.result) this.#results.set(id, set.result);
    return [toolEndEvent(result)];
  }

  /** The calls that the turn waits for at its end. A refused call leaves the session as it was. */
  #pendingAt({ reason, error, isRefusal }: TurnEnd): readonly PendingCall[] {
    const isSuspended = isRefusal ? this.#isSuspended : !error && reason !== "SHUTDOWN";
    return isSuspended ? pendingCalls({ calls: this.#calls }) : [];
  }

  #withResult(message: Msg | ResultRef): Msg {
    if (!("ref" in message)) return message;
    const { ref, ...rest } = message;
    const result = this.#results.get(ref);
    return { ...rest, content: result ? [result] : [] };
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

function pendingEvent(calls: readonly PendingCall[]): EventBody {
  return { type: "pending", calls };
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
    for await (const entry of readEntries(store, sessionId)) {
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
