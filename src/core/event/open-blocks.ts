import type { AgentEvent, AgentEventBody } from "./types.ts";

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
