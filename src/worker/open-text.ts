import { blockOf } from "../event/open-blocks.ts";
import type { AgentEvent } from "../event/types.ts";

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

/** What the open blocks hold so far, for subscribers that come in the middle of them. */
export class OpenText {
  readonly #open = new Map<string, { readonly start: Start; delta?: Delta }>();

  note(event: AgentEvent): void {
    if (event.type === "block.start") this.#open.set(blockOf(event)!, { start: event });
    if (event.type === "block.end") this.#open.delete(blockOf(event)!);
    if (event.type !== "block.delta") return;
    const block = this.#open.get(blockOf(event)!);
    if (block) block.delta = block.delta ? { ...block.delta, delta: block.delta.delta + event.delta } : event;
  }

  /** The starts of the open blocks, each with one delta that holds its text so far. */
  events(seq: number): readonly AgentEvent[] {
    return [...this.#open.values()].flatMap(({ start, delta }) => [
      { ...start, seq },
      ...(delta ? [{ ...delta, seq }] : []),
    ]);
  }
}

/** Takes from what is sent again only what this subscriber does not have: the blocks whose start it has not heard. */
export class HeardBlocks {
  readonly #heard = new Set<string>();
  readonly #missed = new Set<string>();

  /** Whether an event is to be passed on. `isAgain`: it was sent before, with the text so far of its block. */
  isNew(event: AgentEvent, isAgain: boolean): boolean {
    const block = blockOf(event);
    if (block === undefined) return !isAgain;
    if (event.type === "block.start" && isAgain && !this.#heard.has(block)) this.#missed.add(block);
    if (event.type === "block.start") this.#heard.add(block);
    if (event.type === "block.end") this.#heard.delete(block);
    return !isAgain || this.#missed.has(block);
  }

  /** What is sent again is over. */
  caughtUp(): void {
    this.#missed.clear();
  }
}
