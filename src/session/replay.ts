import { guarded } from "../core/base/guarded.ts";
import type { TurnEnd } from "../../machines/agent/context.ts";
import type { AgentEvent, AgentEventBody } from "../core/event/types.ts";
import { isReported, messageEvents, notRun, toolRetry } from "../core/event/call-events.ts";
import { OpenBlocks } from "../core/event/buffer.ts";
import { isAfter, positionOf, type EventPosition } from "../core/event/position.ts";
import { toolResultsOf } from "../core/message/msg.ts";
import type { Msg, TakeOver, ToolResultBlock, ToolUseBlock } from "../core/message/types.ts";
import type { SessionStore } from "../store/port.ts";
import type { PendingCall } from "../core/tool/pending.ts";
import type { CallRecord } from "../../machines/agent/call-record.ts";
import { pendingCalls } from "../../machines/agent/updates/calls.ts";
import { beginsToWait, callsAskedIn, recordsAfter, unfinishedResult, waitingResult } from "./entries.ts";
import type { CallChange, ProgressChange, ResultRef, SessionEntry } from "./entry.ts";
import { readEntries } from "./read-entry.ts";

type Read = {
  readonly body: AgentEventBody;
  readonly seq: number;
  readonly at: number;
  readonly position: string;
};

/** An event that was read from a journal. */
export type StoredEvent = AgentEvent & { readonly position: string };

/** Turns journal entries into the events that listeners received, in their order. It keeps results, because messages refer to them, and
 *  messages, because an entry may write some again after inserted ones. */
export class EntryReader {
  readonly #results = new Map<string, ToolResultBlock>();
  readonly #messages: Msg[] = [];
  /** The calls that have no result yet, as they were written last: `#calls` ends before the last results are in messages. */
  readonly #open = new Map<string, CallRecord>();
  /** Calls that have had their result. */
  readonly #answered = new Set<string>();
  #calls: readonly CallRecord[] = [];
  /** The calls for which the newest entry with messages asks. */
  #asked: readonly ToolUseBlock[] = [];
  /** The outcomes of calls that were written before the message that asks for them. */
  #early: AgentEventBody[] = [];
  /** True if the last append left the session suspended. */
  #isSuspended = false;
  /** The persona that has the session. */
  #persona: string | null = null;
  /** The events of the append that is being read: its last entry says in which turn they are. */
  #append: Read[] = [];
  #turn = 0;

  /** Returns the events of the append whose last entry this is, with `n` 0; none before that. */
  events(entry: SessionEntry): StoredEvent[] {
    const { seq, at } = entry;
    const isLast = entry.type === "position" && entry.data.state !== undefined;
    const bodies = [...this.#bodies(entry), ...(isLast ? this.#takeEarly() : [])];
    this.#append.push(...bodies.map((body, n) => ({ body, seq, at, position: `${seq}.${n}` })));
    return isLast ? this.#close(entry.data.progress?.turn ?? this.#turn) : [];
  }

  /** The events of an append at whose end the session is in this turn. */
  #close(turn: number): StoredEvent[] {
    const read = this.#append;
    this.#append = [];
    const before = this.#turn;
    this.#turn = turn;
    const end = read.findLastIndex(({ body }) => body.type === "turn.end");
    const hasNext = read.slice(end + 1).some(({ body }) => body.type === "message");
    return read.map(({ body, seq, at, position }, index) => {
      const own = hasNext && index <= end ? Math.max(before, 1) : turn;
      return { ...body, seq, n: 0, at, turn: own, position } as StoredEvent;
    });
  }

  #bodies(entry: SessionEntry): readonly AgentEventBody[] {
    switch (entry.type) {
      case "messages": {
        const { from, messages, closes } = entry.data;
        if (closes) this.#calls = [];
        this.#asked = callsAskedIn(messages);
        const added = this.#replaceFrom(
          from,
          messages.map((message): Msg => this.#withResult(message)),
        );
        const results = new Map(added.flatMap(toolResultsOf).map((result) => [result.id, result]));
        // The last result of a batch is written in its message only.
        const open = [...this.#open.values()].filter(({ call }) => results.has(call.id));
        const ended = open.flatMap((record) => this.#answer(record, results.get(record.call.id)!));
        const said = messageEvents(added, (id) => this.#answered.has(id));
        for (const id of results.keys()) this.#answered.add(id);
        return [...ended, ...said, ...this.#takeEarly()];
      }
      case "call":
        return this.#callEvents(entry.data);
      case "calls.closed":
        this.#calls = [];
        return [];
      case "position": {
        const { state, adopted: change, progress = {} } = entry.data;
        this.#isSuspended = state?.startsWith("suspended") ?? this.#isSuspended;
        if (!change) return this.#handoffEvents(progress);
        const calls = this.#isSuspended ? pendingCalls({ calls: this.#calls }) : [];
        return [{ type: "agent.changed", change }, ...(calls.length > 0 ? [pendingEvent(calls)] : [])];
      }
      case "turn.end": {
        const { reason, error, reply, limit } = entry.data;
        const end: AgentEventBody = {
          type: "turn.end",
          reason,
          ...(reply && { reply }),
          ...(limit && { limit }),
          ...(error && { error }),
        };
        const calls = this.#pendingAt(entry.data);
        return calls.length > 0 ? [pendingEvent(calls), end] : [end];
      }
      case "session.taken":
        return [{ type: "session.taken", ...takeOverOf(entry.data) }];
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

  #handoffEvents({ persona: to }: ProgressChange): readonly AgentEventBody[] {
    const from = this.#persona;
    if (to === undefined || to === from) return [];
    this.#persona = to;
    return [{ type: "handoff", from, to }];
  }

  #takeEarly(): readonly AgentEventBody[] {
    const early = this.#early;
    this.#early = [];
    return early;
  }

  #callEvents(change: CallChange): readonly AgentEventBody[] {
    const { id, set } = change;
    const old = this.#calls.find(({ call }) => call.id === id);
    this.#calls = recordsAfter(this.#calls, change, this.#asked) ?? this.#calls;
    const record = this.#calls.find(({ call }) => call.id === id);
    if (!record || record === old) return [];
    if (set.result) this.#results.set(id, set.result);
    if (!record.result && !record.stored) this.#open.set(id, record);
    if (!isReported(record.call)) return [];
    if (old?.status === "running") return this.#runEvents(old, record);
    if (record.status === "running") return [startEvent(record)];
    if (set.result && !old?.result) {
      const events = this.#answer(old ?? record, set.result, record.call);
      if (old) return events;
      this.#early.push(...events);
      return [];
    }
    return beginsToWait(old, record) ? notRun(record.call, waitingResult(record)) : [];
  }

  #runEvents(old: CallRecord, record: CallRecord): readonly AgentEventBody[] {
    const { call, status, attempt } = record;
    const isRunning = status === "running";
    if (isRunning && attempt === old.attempt) return [];
    if (record.result) return this.#answer(old, record.result);
    if (!isRunning && status !== "approved")
      return status === "done" ? [] : [toolEndEvent(unfinishedResult(call, record))]; // if done, its result is in a message
    const retry = toolRetry(call, old.attempt, record.notBeforeAt ?? record.since, record.account);
    return isRunning ? [retry, startEvent(record)] : [retry];
  }

  /** The events of a call that gets its result. */
  #answer(
    { call: asked, status }: CallRecord,
    result: ToolResultBlock,
    call = asked,
  ): readonly AgentEventBody[] {
    this.#open.delete(call.id);
    this.#answered.add(call.id);
    if (!isReported(call)) return [];
    return status === "running" ? [toolEndEvent(result)] : notRun(call, result);
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

/** Returns a take-over as entries tell it, without the fields of later releases. */
function takeOverOf({ from, until, by, takeovers, isUnfinished }: TakeOver): TakeOver {
  return { from, until, by, takeovers, isUnfinished };
}

function messageKey({ id, content }: Msg): string {
  return JSON.stringify([id, content]);
}

function pendingEvent(calls: readonly PendingCall[]): AgentEventBody {
  return { type: "pending", calls };
}

function startEvent({ call, attempt }: CallRecord): AgentEventBody {
  return { type: "tool.start", call, attempt };
}

function toolEndEvent(result: ToolResultBlock): AgentEventBody {
  return { type: "tool.end", callId: result.id, result, durationMs: 0 };
}

/** Calls `listener` with the events of the journal after a position, with `n` 0, and then with live events, missing none in
 *  between. What it throws is ignored. Returns a function that unsubscribes. */
export function replayEvents(
  store: SessionStore,
  sessionId: string,
  after: EventPosition,
  subscribe: (listener: (event: AgentEvent) => void) => () => void,
  listener: (event: AgentEvent) => void,
): () => void {
  const waiting: AgentEvent[] = [];
  const blocks = new OpenBlocks();
  let isLive = false;
  let isOver = false;
  const tell = (event: AgentEvent): void => {
    if (!isOver) guarded(() => listener(event));
  };
  const pass = (event: AgentEvent): void => void (blocks.admits(event) && tell(event));
  const stop = subscribe((event) => (isLive ? pass(event) : waiting.push(event)));

  const replay = async (): Promise<void> => {
    const reader = new EntryReader();
    const from = positionOf(after);
    let last = from.seq;
    for await (const entry of readEntries(store, sessionId)) {
      if (isOver) return;
      const events = reader.events(entry);
      last = Math.max(last, entry.seq);
      events.filter(({ position }) => isAfter(position, from)).forEach(tell);
    }
    isLive = true;
    for (const event of waiting.splice(0)) if (event.seq >= last) pass(event);
  };
  void replay().catch(() => {
    isLive = true;
    for (const event of waiting.splice(0)) pass(event);
  });
  return () => {
    isOver = true;
    stop();
  };
}
