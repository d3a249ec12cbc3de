import type { JsonObject } from "../message/types.ts";
import { KeptTexts } from "./kept-texts.ts";
import { applyPatch } from "./patch.ts";
import type { Step } from "./protocol.ts";

export type HistoryLimits = {
  /** Steps that are kept; default 10,000. */
  readonly steps?: number;
  /** Characters of JSON that are kept; default 8 million. */
  readonly bytes?: number;
  /** Characters of long strings that are kept; default 32 million. */
  readonly blobBytes?: number;
};

/** Steps let go at once, so that little is done for each. */
const LET_GO = 256;

/**
 * The newest steps of a run, as JSON text, from which a hub that comes late is told.
 *
 * H1 Steps are numbered from 1 without gaps; the oldest go first, and `base` is context before the first that is left.
 * H2 What is kept is bounded, whatever the agent does.
 */
export class History {
  /** When its observer began, on the monotonic clock. */
  readonly startedAt: number = performance.now();
  /** The machine's context after the newest step, from which the next one differs. */
  context: Readonly<Record<string, unknown>> | undefined;
  readonly #limits: { readonly steps: number; readonly bytes: number };
  /** Long strings that steps refer to. */
  readonly blobs: KeptTexts;
  readonly #states: string[][] = [];
  readonly #stateIndex = new Map<string, number>();
  #items: string[] = [];
  #bytes = 0;
  #first = 1;
  #base: JsonObject | undefined;

  constructor({ steps = 10_000, bytes = 8_000_000, blobBytes = 32_000_000 }: HistoryLimits = {}) {
    this.#limits = { steps, bytes };
    this.blobs = new KeptTexts(blobBytes);
  }

  /** The number of the oldest step that is left. */
  get first(): number {
    return this.#first;
  }

  /** The number of the newest step; 0 before the first. */
  get last(): number {
    return this.#first + this.#items.length - 1;
  }

  /** Context before {@link History.first}; undefined if that is step 1. */
  get base(): JsonObject | undefined {
    return this.#base;
  }

  get states(): readonly (readonly string[])[] {
    return this.#states;
  }

  /** The index of a configuration. */
  stateOf(ids: readonly string[]): number {
    const key = ids.join(" ");
    let index = this.#stateIndex.get(key);
    if (index === undefined) {
      index = this.#states.push([...ids]) - 1;
      this.#stateIndex.set(key, index);
    }
    return index;
  }

  /** Takes the step that follows {@link History.last}, as JSON. */
  push(text: string): void {
    this.#items.push(text);
    this.#bytes += text.length;
    if (this.#items.length > this.#limits.steps || this.#bytes > this.#limits.bytes) this.#letGo();
  }

  /** Steps from `from` on as JSON text, at most `characters` of it and at least one. */
  textsFrom(from: number, characters: number): readonly string[] {
    const texts: string[] = [];
    let left = characters;
    for (let index = from - this.#first; index < this.#items.length; index++) {
      const text = this.#items[index]!;
      if (texts.length > 0 && (left -= text.length) < 0) break;
      texts.push(text);
    }
    return texts;
  }

  #letGo(): void {
    const count = Math.min(LET_GO, this.#items.length - 1);
    for (const text of this.#items.slice(0, count)) {
      this.#base = applyPatch(this.#base ?? {}, (JSON.parse(text) as Step).p ?? []);
      this.#bytes -= text.length;
    }
    this.#items = this.#items.slice(count);
    this.#first += count;
  }
}
