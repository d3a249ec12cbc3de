import { setTimeout as sleep } from "node:timers/promises";
import { OpenBlocks } from "../core/event/buffer.ts";
import { isAfter, positionOf, type EventPosition } from "../core/event/position.ts";
import type { AgentEvent } from "../core/event/types.ts";
import { AgentError } from "../core/base/error.ts";
import type { SessionStore } from "../store/port.ts";
import { deletedMeanwhile } from "../store/shared.ts";
import { readEntries } from "./read-entry.ts";
import { EntryReader } from "./replay.ts";

/** Options of {@link followEvents}. */
export type FollowOptions = {
  /** Only events after this position. */
  readonly after: EventPosition;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
  /** The interval at which the journal is read if the store has no `watch`, and the pause after a failure, ms. */
  readonly pollMs: number;
  /** Subscribes to the events that the journal does not hold, and to the times at which it has become longer. `grown` is called whenever
   *  the store says that it has. */
  readonly live?: (
    listener: (event: AgentEvent) => void,
    changed: () => void,
  ) => { readonly grown: () => void; readonly stop: () => void };
};

/** The number of live events that are queued for a slow reader; then the oldest are dropped. */
const MAX_LIVE = 1_000;

/** Calls `changed` whenever the journal may have grown, until the signal. */
async function watchJournal(
  store: SessionStore,
  sessionId: string,
  { signal, pollMs }: FollowOptions,
  changed: () => void,
  grown: (seq: number) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (store.watch) for await (const seq of store.watch(sessionId, { signal })) grown(seq);
      else changed();
    } catch {
      changed(); // reading reports the error
    }
    await sleep(pollMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

/**
 * Yields the events of a session that may run in any process. Events of the journal come once and in order, with the `seq` of
 * their entry and `n` 0. Live events come between them: each follows the entry of its `seq`, and is dropped once an event of a
 * later entry was yielded; the oldest are dropped when 1,000 of them are queued. Of a block whose start is missing, or of which a
 * part was dropped, nothing more is yielded but its end. A store that fails with a retryable error is
 * read again; other errors are thrown, `session/not-found` for a session that was deleted and has begun again.
 */
export async function* followEvents(
  store: SessionStore,
  sessionId: string,
  options: FollowOptions,
): AsyncGenerator<AgentEvent> {
  const { after, signal, pollMs, live } = options;
  const reader = new EntryReader();
  const blocks = new OpenBlocks();
  const from = positionOf(after);
  const queue: AgentEvent[] = [];
  let isDirty = true;
  let wake = (): void => {};
  const changed = (): void => {
    isDirty = true;
    wake();
  };
  const listening = live?.((event) => {
    if (queue.length === MAX_LIVE) blocks.lost(queue.shift()!);
    queue.push(event);
    wake();
  }, changed);
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  stop.addEventListener("abort", () => wake());
  let isShorter = false; // than what was read, as the store said when it looked
  const grown = (seq: number): void => {
    isShorter ||= seq < last;
    listening?.grown();
    changed();
  };
  let last = 0;
  void watchJournal(store, sessionId, { ...options, signal: stop }, changed, grown);
  let lastWithEvents = 0;
  /** Takes the live events before journal entry `seq` from the queue. */
  const liveBefore = function* (seq: number): Generator<AgentEvent> {
    while (queue[0] && queue[0].seq < seq) {
      const event = queue.shift()!;
      if (event.seq < lastWithEvents) blocks.lost(event);
      else if (blocks.admits(event)) yield event;
    }
  };
  try {
    while (!signal.aborted) {
      const upTo = queue.reduce((most, { seq }) => Math.max(most, seq), last);
      if (isDirty || upTo > last) {
        isDirty = false;
        try {
          if (isShorter && ((await store.load(sessionId))?.seq ?? 0) < last)
            throw deletedMeanwhile(sessionId);
          isShorter = false;
          for await (const entry of readEntries(store, sessionId, { after: last })) {
            last = entry.seq;
            for (const event of reader.events(entry)) {
              if (!isAfter(event.position, from)) continue;
              yield* liveBefore(event.seq);
              lastWithEvents = event.seq;
              yield event;
            }
            if (signal.aborted) return;
          }
        } catch (error) {
          if (!AgentError.is(error) || !error.isRetryable) throw error;
          await sleep(pollMs, undefined, { signal }).catch(() => {});
          isDirty = true;
        }
      }
      yield* liveBefore(Math.max(last, upTo) + 1); // what came while the journal was read may follow later entries
      if (!isDirty && queue.length === 0 && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (isDirty || signal.aborted) resolve();
        });
    }
  } finally {
    ended.abort();
    listening?.stop();
  }
}
