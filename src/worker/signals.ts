import { EventBuffer } from "../event/buffer.ts";
import type { AgentEvent } from "../event/types.ts";
import type { JsonObject } from "../base/json.ts";
import type { WakeQueue } from "./queue/port.ts";

/** There is something in the inbox. */
export const NUDGE: JsonObject = { type: "inbox" };
/** A worker has begun with the session: who wants to hear what is not stored may say so. */
const STARTED: JsonObject = { type: "begun" };
/** Somebody wants to hear what is not stored. */
const LISTEN: JsonObject = { type: "listen" };
/** How often listeners say so, and how long it holds, ms. */
const [LISTEN_EVERY_MS, LISTEN_FOR_MS] = [10_000, 25_000];
/** How long events are gathered before they are sent, ms, and how many bytes a signal may have. */
const [GATHER_MS, MAX_BYTES] = [50, 6_000];
/** What the journal tells everybody. */
const STORED: ReadonlySet<AgentEvent["type"]> = new Set(["message", "tool.end", "turn.end", "input.refused"]);

const eventsIn = (signal: JsonObject): readonly AgentEvent[] =>
  signal["type"] === "events" ? (signal["events"] as unknown as readonly AgentEvent[]) : [];

/** Hears the live events of a session from whatever worker has it. Returns the way to stop. */
export function listenToLiveEvents(
  queue: WakeQueue,
  sessionId: string,
  listener: (event: AgentEvent) => void,
): () => void {
  const subscribed = queue.subscribe(sessionId, (signal) => {
    if (signal["type"] === STARTED["type"]) queue.publish(sessionId, LISTEN);
    eventsIn(signal).forEach(listener);
  });
  subscribed.then(
    () => queue.publish(sessionId, LISTEN),
    () => {}, // then there are facts only
  );
  const timer = setInterval(() => queue.publish(sessionId, LISTEN), LISTEN_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    void subscribed.then((stop) => stop()).catch(() => {});
  };
}

/** What a session tells and hears while a worker has it. */
export class SessionSignals {
  readonly #queue: WakeQueue;
  readonly #sessionId: string;
  readonly #subscribed: Promise<() => void>;
  #listenersUntil = 0;
  readonly #events = new EventBuffer();
  #timer: NodeJS.Timeout | undefined;

  /** `nudged` is called whenever something was put into the inbox, as far as signals arrive. */
  constructor(queue: WakeQueue, sessionId: string, nudged: () => void) {
    this.#queue = queue;
    this.#sessionId = sessionId;
    this.#subscribed = queue.subscribe(sessionId, ({ type }) => {
      if (type === LISTEN["type"]) this.#listenersUntil = Date.now() + LISTEN_FOR_MS;
      if (type === NUDGE["type"]) nudged();
    });
    this.#subscribed.then(
      () => queue.publish(sessionId, STARTED),
      () => {}, // then the inbox is looked at now and then
    );
  }

  /** Passes an event on if it is not stored and somebody listens. */
  forward(event: AgentEvent): void {
    if (STORED.has(event.type) || Date.now() > this.#listenersUntil) return;
    this.#events.push(event);
    this.#timer ??= setTimeout(() => this.#send(), GATHER_MS);
  }

  stop(): void {
    this.#send();
    void this.#subscribed.then((stop) => stop()).catch(() => {});
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    let batch: AgentEvent[] = [];
    let bytes = 0;
    const flush = (): void => {
      if (batch.length > 0)
        this.#queue.publish(this.#sessionId, { type: "events", events: batch as unknown as JsonObject[] });
      [batch, bytes] = [[], 0];
    };
    for (const event of this.#events.take()) {
      const size = Buffer.byteLength(JSON.stringify(event));
      if (bytes + size > MAX_BYTES) flush();
      if (size > MAX_BYTES) continue; // the fact that follows has it all
      batch.push(event);
      bytes += size;
    }
    flush();
  }
}
