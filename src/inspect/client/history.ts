import type { JsonObject } from "../../base/json.ts";
import { KeptTexts } from "../protocol/kept-texts.ts";
import { applyPatch } from "../protocol/patch.ts";
import type { Step } from "../protocol/protocol.ts";
import { StepPages } from "./step-pages.ts";

export type HistoryLimits = {
  /** Steps that are kept; default 10,000. */
  readonly steps?: number;
  /** Bytes of JSON that are kept; default 8 million. */
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
  readonly #pages = new StepPages();
  #base: JsonObject | undefined;

  constructor({ steps = 10_000, bytes = 8_000_000, blobBytes = 32_000_000 }: HistoryLimits = {}) {
    this.#limits = { steps, bytes };
    this.blobs = new KeptTexts(blobBytes);
  }

  /** The number of the oldest step that is left. */
  get first(): number {
    return this.#pages.first;
  }

  /** The number of the newest step; 0 before the first. */
  get last(): number {
    return this.#pages.last;
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
    this.#pages.push(text);
    while (this.#isFull()) this.#letGo();
  }

  /** Steps from `from` on as JSON with commas between them: at least one, up to about `most` bytes, perhaps fewer than there
   *  are. */
  from(from: number, most: number): { readonly bytes: Buffer; readonly count: number } {
    return this.#pages.from(from, most);
  }

  #isFull(): boolean {
    const { first, last, bytes } = this.#pages;
    return last > first && (last - first >= this.#limits.steps || bytes > this.#limits.bytes);
  }

  #letGo(): void {
    const { first, last } = this.#pages;
    const end = Math.min(first + LET_GO, last);
    for (let next = first; next < end; next++) {
      const step = JSON.parse(this.#pages.from(next, 0).bytes.toString()) as Step;
      this.#base = applyPatch(this.#base ?? {}, step.p ?? []);
    }
    this.#pages.letGo(end - first);
  }
}
