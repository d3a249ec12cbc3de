import { EventBuffer, blockOf } from "../core/event/buffer.ts";
import type { InboxAgent } from "../agent/inbox-agent.ts";
import type { AgentEvent } from "../core/event/types.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { WakeQueue } from "./queue/port.ts";

/** An input was put into the inbox. */
export const NUDGE: JsonObject = { type: "inbox" };
/** A worker has opened the session: subscribers answer with JOIN, because they may have missed the beginning. */
const STARTED: JsonObject = { type: "begun" };
/** The journal has become longer: subscribers read it, and need not poll. */
const WRITTEN: JsonObject = { type: "written" };
/** A worker has released the session: the journal holds everything. */
const RELEASED: JsonObject = { type: "released" };
/** A subscriber wants the events that are not stored. */
const LISTEN: JsonObject = { type: "listen" };
/** A new subscriber wants them, and what the open blocks hold so far. */
const JOIN: JsonObject = { type: "listen", isNew: true };
/** The interval at which subscribers send LISTEN, and the time for which it is valid, ms. */
const [LISTEN_EVERY_MS, LISTEN_FOR_MS] = [10_000, 25_000];
/** The shortest time between two signals of a subscriber that hears nothing of a journal that grows, ms. */
const ASK_EVERY_MS = 500;
/** The shortest time between two signals with events unless the queue has another one, ms, and the size of a signal in bytes. */
const [SIGNAL_MS, MAX_BYTES] = [50, 6_000];
/** The events that subscribers read from the journal. */
const STORED: ReadonlySet<AgentEvent["type"]> = new Set([
  "message",
  "slot",
  "tool.start",
  "tool.end",
  "pending",
  "session.taken",
  "agent.changed",
  "handoff",
  "turn.end",
  "input.refused",
]);

/** False for an event that is forwarded: an event of an inner agent is in another journal. */
function isStored(event: AgentEvent): boolean {
  if (event.source) return false;
  return STORED.has(event.type) || (event.type === "retry" && event.callId !== undefined);
}

const eventsIn = (signal: JsonObject): readonly AgentEvent[] =>
  signal["type"] === "events" ? (signal["events"] as unknown as readonly AgentEvent[]) : [];

/** Calls `listener` with the live events of a session, whichever worker drives it, and `onWritten` when its journal has become
 *  longer. `grown` is to be called when the store says so: a worker that has opened the session before it was watched does not know of
 *  this subscriber. */
export function listenToLiveEvents(
  queue: WakeQueue,
  sessionId: string,
  listener: (event: AgentEvent) => void,
  onWritten: () => void,
): { readonly grown: () => void; readonly stop: () => void } {
  const heard = new HeardBlocks();
  let [heardAt, askedAt] = [-Infinity, -Infinity];
  const subscribed = queue.subscribe(sessionId, (signal) => {
    if (signal["type"] !== LISTEN["type"] && signal["type"] !== NUDGE["type"]) heardAt = performance.now();
    if (signal["type"] === STARTED["type"]) queue.publish(sessionId, JOIN);
    if (signal["type"] === WRITTEN["type"] || signal["type"] === RELEASED["type"]) onWritten();
    const isAgain = signal["isAgain"] === true;
    for (const event of eventsIn(signal)) if (heard.isNew(event, isAgain)) listener(event);
    if (signal["isLast"] === true) heard.caughtUp();
  });
  subscribed.then(
    () => {
      queue.publish(sessionId, JOIN);
      onWritten(); // the session may have been released meanwhile
    },
    () => {}, // then there are only the events of the journal
  );
  const timer = setInterval(() => queue.publish(sessionId, LISTEN), LISTEN_EVERY_MS);
  timer.unref();
  return {
    grown() {
      const now = performance.now();
      if (now < heardAt + LISTEN_EVERY_MS || now < askedAt + ASK_EVERY_MS) return;
      askedAt = now;
      queue.publish(sessionId, JOIN);
    },
    stop() {
      clearInterval(timer);
      void subscribed.then((stop) => stop()).catch(() => {});
    },
  };
}

/** Options of {@link SessionSignals}. */
export type SignalsOptions = {
  /** The journal of the agent whose events are sent. */
  readonly journal: InboxAgent["journal"];
  /** False: nobody watched the session when it was opened. Whoever has begun to watch it since has said so, and reads its journal. */
  readonly isWatched: boolean;
  /** Called whenever an input was put into the inbox, unless the signal is lost. */
  readonly onNudge: () => void;
};

/** The signals of a session that a worker drives. */
export class SessionSignals {
  readonly #queue: WakeQueue;
  readonly #sessionId: string;
  readonly #journal: InboxAgent["journal"];
  readonly #isWatched: boolean;
  readonly #subscribed: Promise<() => void>;
  #listenersUntil = 0;
  readonly #events = new EventBuffer();
  readonly #openText = new OpenText();
  #timer: NodeJS.Timeout | undefined;
  #sentAt = 0;
  /** The wait until the journal is written up to it. */
  #sending: Promise<void> | undefined;
  /** The entry of the last event that is stored, and whether it is about to be said that one was written. */
  #storedSeq = 0;
  #isSaying = false;

  constructor(queue: WakeQueue, sessionId: string, { journal, isWatched, onNudge }: SignalsOptions) {
    this.#queue = queue;
    this.#journal = journal;
    this.#isWatched = isWatched;
    this.#sessionId = sessionId;
    this.#subscribed = queue.subscribe(sessionId, ({ type, isNew }) => {
      if (type === LISTEN["type"]) this.#listenersUntil = performance.now() + LISTEN_FOR_MS;
      if (isNew === true) this.#sendAgain();
      if (type === NUDGE["type"]) onNudge();
    });
    const begun = (): void => (isWatched ? queue.publish(sessionId, STARTED) : undefined);
    this.#subscribed.then(begun, () => {}); // without it the inbox is only read periodically
  }

  /** Sends an event soon if it is not stored and there are subscribers. The beginning of a block is sent at once, and what comes
   *  before an event that is stored is sent before that. Of one that is stored, it is said when it can be read. */
  forward(event: AgentEvent): void {
    this.#openText.note(event);
    if (isStored(event)) return this.#sayWritten(event.seq);
    if (performance.now() > this.#listenersUntil) return;
    this.#events.push({ ...event, seq: this.#journal.recordedSeq });
    if (event.type === "block.start") this.#sendIn(0);
    else if (!this.#timer) {
      const { signalMs = SIGNAL_MS } = this.#queue;
      this.#sendIn(Math.max(0, this.#sentAt + signalMs - performance.now()));
    }
  }

  #sendIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), ms);
  }

  #sayWritten(seq: number): void {
    this.#send();
    this.#storedSeq = Math.max(this.#storedSeq, seq);
    if (performance.now() > this.#listenersUntil || this.#isSaying) return;
    this.#isSaying = true;
    this.#whenWritten(seq, () => {
      this.#isSaying = false;
      this.#queue.publish(this.#sessionId, WRITTEN);
      if (this.#storedSeq > seq) this.#sayWritten(this.#storedSeq);
    });
  }

  /** Sends the collected events, says that the session is released, and unsubscribes. */
  stop(): void {
    this.#send();
    const end = (): void => {
      // also if no subscriber has been heard of: one may have subscribed since, and a short turn is over before its answer has come
      if (this.#isWatched || this.#listenersUntil > 0) this.#queue.publish(this.#sessionId, RELEASED);
      void this.#subscribed.then((stop) => stop()).catch(() => {});
    };
    if (this.#sending) void this.#sending.then(end);
    else end();
  }

  /** Sends the collected events, once what was journaled before them is durable. */
  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#events.take();
    if (events.length === 0) return;
    this.#sentAt = performance.now();
    this.#publishWhenWritten(events);
  }

  /** Sends what is not stored of the answer so far, and says that the journal may have become longer. */
  #sendAgain(): void {
    this.#send();
    const events = this.#openText.events(this.#journal.recordedSeq);
    if (events.length > 0) this.#publishWhenWritten(events, true);
    this.#sayWritten(this.#storedSeq);
  }

  #publishWhenWritten(events: readonly AgentEvent[], isAgain = false): void {
    this.#whenWritten(events.at(-1)!.seq, () => this.#publish(events, isAgain));
  }

  /** Acts once the journal is written up to `seq`, and after what came before. */
  #whenWritten(seq: number, act: () => void): void {
    const written = this.#journal.written(seq);
    if (!written && !this.#sending) return act();
    const sending = Promise.all([this.#sending, written]).then(() => {
      if (this.#sending === sending) this.#sending = undefined;
      act();
    });
    this.#sending = sending;
  }

  #publish(events: readonly AgentEvent[], isAgain: boolean): void {
    let batch: AgentEvent[] = [];
    let bytes = 0;
    const flush = (isLast = false): void => {
      const signal = { type: "events", events: batch as unknown as JsonObject[] };
      if (batch.length > 0)
        this.#queue.publish(this.#sessionId, {
          ...signal,
          ...(isAgain && { isAgain }),
          ...(isAgain && isLast && { isLast }),
        });
      [batch, bytes] = [[], 0];
    };
    for (const event of events.flatMap((each) => inPieces(each, MAX_BYTES))) {
      const size = Buffer.byteLength(JSON.stringify(event));
      if (bytes + size > MAX_BYTES) flush();
      if (size > MAX_BYTES) continue; // the journal has its content soon
      batch.push(event);
      bytes += size;
    }
    flush(true);
  }
}

type Start = Extract<AgentEvent, { type: "block.start" | "block.end" }>;
type Delta = Extract<AgentEvent, { type: "block.delta" }>;

/** Text of at most so many characters stays below the size of a signal, however it is encoded. */
const PIECE = /.{1,800}/gsu;

/** An event in pieces of which each fits into a signal. Only text that streams is divided. */
export function inPieces(event: AgentEvent, maxBytes: number): readonly AgentEvent[] {
  if (event.type !== "block.delta" && event.type !== "tool.delta") return [event];
  if (Buffer.byteLength(JSON.stringify(event)) <= maxBytes) return [event];
  return (event.delta.match(PIECE) ?? []).map((delta) => ({ ...event, delta }));
}

/** The text so far of the blocks whose message is not stored, for subscribers that come in the middle of it. */
export class OpenText {
  readonly #blocks = new Map<string, { readonly start: Start; delta?: Delta; end?: Start }>();

  note(event: AgentEvent): void {
    if (event.type === "message") return this.#drop(({ start }) => start.messageId === event.message.id);
    if (event.type === "model.end" && event.error)
      return this.#drop(({ start }) => start.messageId === event.messageId);
    if (event.type === "model.start") return this.#drop(({ end }) => end !== undefined);
    const id = blockOf(event);
    if (id === undefined) return;
    if (event.type === "block.start") this.#blocks.set(id, { start: event });
    const block = this.#blocks.get(id);
    if (block && event.type === "block.end") block.end = event;
    if (block && event.type === "block.delta")
      block.delta = block.delta ? { ...block.delta, delta: block.delta.delta + event.delta } : event;
  }

  /** The starts of the blocks, each with one delta that holds its text so far, and with its end if it has ended. */
  events(seq: number): readonly AgentEvent[] {
    return [...this.#blocks.values()].flatMap(({ start, delta, end }) => [
      { ...start, seq },
      ...(delta ? [{ ...delta, seq }] : []),
      ...(end ? [{ ...end, seq }] : []),
    ]);
  }

  #drop(isOver: (block: { readonly start: Start; readonly end?: Start }) => boolean): void {
    for (const [id, block] of this.#blocks) if (isOver(block)) this.#blocks.delete(id);
  }
}

/** The number of blocks that are remembered: more are never sent again. */
const MAX_HEARD = 1_000;

/** Takes from what is sent again only what this subscriber does not have: the blocks whose start it has not heard. */
export class HeardBlocks {
  readonly #heard = new Set<string>();
  readonly #missed = new Set<string>();

  /** Whether an event is to be passed on. `isAgain`: it was sent before, with the text so far of its block. */
  isNew(event: AgentEvent, isAgain: boolean): boolean {
    const block = blockOf(event);
    if (block === undefined) return !isAgain;
    if (event.type === "block.start" && isAgain && !this.#heard.has(block)) this.#missed.add(block);
    if (event.type === "block.start") this.#add(block);
    return !isAgain || this.#missed.has(block);
  }

  /** Reports that what is sent again is over. */
  caughtUp(): void {
    this.#missed.clear();
  }

  #add(block: string): void {
    this.#heard.add(block);
    const [oldest] = this.#heard;
    if (this.#heard.size > MAX_HEARD) this.#heard.delete(oldest!);
  }
}
