import type { AgentEvent, AgentEventBody } from "./types.ts";

type Delta = Extract<AgentEvent, { type: "block.delta" | "tool.delta" }>;

type Unread = { event: AgentEvent };

function isDelta(event: AgentEvent): event is Delta {
  return event.type === "block.delta" || event.type === "tool.delta";
}

/** Returns the id of the message or the call that a delta, start or end event belongs to; undefined for other events. */
function ownerOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "block.start":
    case "block.delta":
    case "block.end":
      return event.messageId;
    case "output.partial":
      return `${event.messageId} output`;
    case "tool.start":
      return event.call.id;
    case "tool.delta":
    case "tool.end":
      return event.callId;
    default:
      return undefined;
  }
}

/** Returns true if both are deltas of one block or of one call. Both events have the same owner. */
function continues(earlier: AgentEvent, later: AgentEvent): earlier is Delta {
  if (earlier.type === "block.delta") return later.type === "block.delta" && later.index === earlier.index;
  return earlier.type === "tool.delta" && later.type === "tool.delta";
}

/** Returns the later delta with the text of both, and with the number and the time of the earlier one, which it replaces. */
function merge({ delta, n, at, seq }: Delta, later: Delta): AgentEvent {
  return { ...later, delta: delta + later.delta, n, at, seq };
}

/** The events that a reader has not read yet, in order. Unread deltas of one block or of one call are merged into the first of
 *  them, unless the block or the attempt has begun or ended in between, so that the size is bounded by the text and the other
 *  events. A message has one block open at a time. */
export class EventBuffer {
  #unread: Unread[] = [];
  /** The number of the first events that are read. They are removed several at a time, since each removal moves all the others. */
  #read = 0;
  /** By message or call: the delta into which the next one is merged. */
  readonly #open = new Map<string, Unread>();

  /** The number of unread events. */
  get size(): number {
    return this.#unread.length - this.#read;
  }

  /** Adds an event, or merges it into the last delta of its block or call. */
  push(event: AgentEvent): void {
    const owner = ownerOf(event);
    const open = owner === undefined ? undefined : this.#open.get(owner);
    if (open && event.type === "output.partial") {
      open.event = event; // it replaces the one before
      return;
    }
    if (open && isDelta(event) && continues(open.event, event)) {
      open.event = merge(open.event, event);
      return;
    }
    const unread = { event };
    this.#unread.push(unread);
    if (owner === undefined) return;
    if (isDelta(event) || event.type === "output.partial") this.#open.set(owner, unread);
    else this.#open.delete(owner);
  }

  /** Removes and returns the first event; undefined if there is none. */
  shift(): AgentEvent | undefined {
    const first = this.#unread[this.#read];
    if (first) this.#read++;
    if (this.#read * 2 > this.#unread.length) this.#dropRead();
    if (first && (isDelta(first.event) || first.event.type === "output.partial")) this.#close(first);
    return first?.event;
  }

  /** Removes and returns all events. */
  take(): AgentEvent[] {
    this.#open.clear();
    this.#dropRead();
    return this.#unread.splice(0).map(({ event }) => event);
  }

  #dropRead(): void {
    if (this.#read === this.#unread.length) this.#unread.length = 0;
    else this.#unread.splice(0, this.#read);
    this.#read = 0;
  }

  #close(unread: Unread): void {
    const owner = ownerOf(unread.event)!;
    if (this.#open.get(owner) === unread) this.#open.delete(owner);
  }
}

/** The block of an answer that an event belongs to; undefined for other events. */
export function blockOf(event: AgentEventBody): string | undefined {
  if (event.type !== "block.start" && event.type !== "block.delta" && event.type !== "block.end")
    return undefined;
  return `${event.messageId}/${event.index}`;
}

/** The blocks that have begun and have not ended. */
export class OpenBlocks {
  readonly #open = new Set<string>();
  /** Those of which a part was lost. */
  readonly #broken = new Set<string>();

  /** Notes an event that is passed on. Returns false for a part of a block whose start was not: it cannot be shown. */
  admits(event: AgentEvent): boolean {
    const block = blockOf(event);
    if (block === undefined) return true;
    if (event.type === "block.start") this.#open.add(block);
    if (event.type !== "block.end") return this.#open.has(block) && !this.#broken.has(block);
    this.#broken.delete(block);
    return this.#open.delete(block);
  }

  /** Notes that an event was lost: the block has a gap there, and nothing but its end is passed on. */
  lost(event: AgentEvent): void {
    const block = blockOf(event);
    if (block !== undefined && this.#open.has(block)) this.#broken.add(block);
  }
}
