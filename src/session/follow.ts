import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent } from "../event/types.ts";
import { AgentError } from "../base/error.ts";
import type { SessionStore } from "../store/port.ts";
import { EntryReader } from "./replay.ts";

export type FollowOptions = {
  /** Only what came after this journal position. */
  readonly after: number;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
  /** How often the journal is read where nothing watches it, ms. */
  readonly pollMs: number;
  /** Hands over what happens between two facts; returns the way to stop. */
  readonly live?: (listener: (event: AgentEvent) => void) => () => void;
};

/** Live events that wait for a slow reader at most; then the oldest go. */
const MAX_LIVE = 1_000;

/** Calls `changed` whenever the journal may have grown, until the signal. */
async function watchJournal(
  store: SessionStore,
  sessionId: string,
  { signal, pollMs }: FollowOptions,
  changed: () => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (store.watch) for await (const _ of store.watch(sessionId, { signal })) changed();
      else changed();
    } catch {
      changed(); // reading tells what is wrong
    }
    await sleep(pollMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

/**
 * What happens in a session, told by its journal in whatever process it runs: each fact once and in order, with the `seq` of
 * its entry and the `n` 0. Live events come between facts and are dropped once a later fact was told, or when a reader leaves 1,000 of them unread. A storage that fails in
 * passing is read again; other failures are thrown.
 */
export async function* followEvents(
  store: SessionStore,
  sessionId: string,
  options: FollowOptions,
): AsyncGenerator<AgentEvent> {
  const { after, signal, pollMs, live } = options;
  const reader = new EntryReader();
  const waiting: AgentEvent[] = [];
  let isDirty = true;
  let wake = (): void => {};
  const changed = (): void => {
    isDirty = true;
    wake();
  };
  const stopLive = live?.((event) => {
    if (waiting.length === MAX_LIVE) waiting.shift();
    waiting.push(event);
    wake();
  });
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  stop.addEventListener("abort", () => wake());
  void watchJournal(store, sessionId, { ...options, signal: stop }, changed);
  let last = 0;
  try {
    while (!signal.aborted) {
      if (isDirty) {
        isDirty = false;
        try {
          for await (const entry of store.read(sessionId, { after: last })) {
            last = entry.seq;
            const bodies = reader.events(entry);
            if (entry.seq <= after) continue;
            for (const body of bodies)
              yield { seq: entry.seq, n: 0, at: entry.at, turn: 0, ...body } as AgentEvent;
            if (signal.aborted) return;
          }
        } catch (error) {
          if (!AgentError.is(error) || !error.isRetryable) throw error;
          await sleep(pollMs, undefined, { signal }).catch(() => {});
          isDirty = true;
        }
      }
      for (const event of waiting.splice(0)) if (event.seq >= last) yield event;
      if (!isDirty && waiting.length === 0 && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (isDirty || signal.aborted) resolve();
        });
    }
  } finally {
    ended.abort();
    stopLive?.();
  }
}
