import { blockOf } from "../core/event/open-blocks.ts";
import type { AgentEvent } from "../core/event/types.ts";

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
