import type { AgentEvent } from "./types.ts";

type Delta = Extract<AgentEvent, { type: "block.delta" | "tool.delta" }>;

type Unread = { event: AgentEvent };

function isDelta(event: AgentEvent): event is Delta {
  return event.type === "block.delta" || event.type === "tool.delta";
}

/** The message or the call whose text an event is part of, or a bound of; undefined for all other events. */
function ownerOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "block.start":
    case "block.delta":
    case "block.end":
      return event.messageId;
    case "tool.start":
      return event.call.id;
    case "tool.delta":
    case "tool.end":
      return event.callId;
    default:
      return undefined;
  }
}

/** True for two deltas of one block or of one call, both of the same owner. */
function continues(earlier: AgentEvent, later: AgentEvent): earlier is Delta {
  if (earlier.type === "block.delta") return later.type === "block.delta" && later.index === earlier.index;
  return earlier.type === "tool.delta" && later.type === "tool.delta";
}

/** The later delta with the text of both, numbered and timed as the earlier one, in whose place it is read. */
function joined({ delta, n, at, seq }: Delta, later: Delta): AgentEvent {
  return { ...later, delta: delta + later.delta, n, at, seq };
}

/** Events that nobody has read yet, in order. Deltas of one block or of one call become one, where the first of them
 *  stands, unless the block or the attempt has begun or ended in between: what is kept is no more than the text and the
 *  other events. A message has one block open at a time. */
export class EventBuffer {
  #unread: Unread[] = [];
  /** How many of the first ones are read; they go some at a time, since each time moves all the others. */
  #read = 0;
  /** By message or call: the delta that takes in what follows. */
  readonly #open = new Map<string, Unread>();

  get size(): number {
    return this.#unread.length - this.#read;
  }

  push(event: AgentEvent): void {
    const owner = ownerOf(event);
    const open = owner === undefined ? undefined : this.#open.get(owner);
    if (open && isDelta(event) && continues(open.event, event)) {
      open.event = joined(open.event, event);
      return;
    }
    const unread = { event };
    this.#unread.push(unread);
    if (owner === undefined) return;
    if (isDelta(event)) this.#open.set(owner, unread);
    else this.#open.delete(owner);
  }

  /** The first one, which is read now. */
  shift(): AgentEvent | undefined {
    const first = this.#unread[this.#read];
    if (first) this.#read++;
    if (this.#read * 2 > this.#unread.length) this.#forget();
    if (first && isDelta(first.event)) this.#close(first);
    return first?.event;
  }

  /** All of them, which are read now. */
  take(): AgentEvent[] {
    this.#open.clear();
    this.#forget();
    return this.#unread.splice(0).map(({ event }) => event);
  }

  #forget(): void {
    if (this.#read === this.#unread.length) this.#unread.length = 0;
    else this.#unread.splice(0, this.#read);
    this.#read = 0;
  }

  #close(unread: Unread): void {
    const owner = ownerOf(unread.event)!;
    if (this.#open.get(owner) === unread) this.#open.delete(owner);
  }
}
