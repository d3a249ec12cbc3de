import type { JsonObject } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { BlobCache } from "../protocol/blob-cache.ts";
import { StepPages } from "./step-pages.ts";

/** The amount of a run that a process retains for a hub that connects later. */
export type HistoryLimits = {
  /** Maximum number of steps. Default 10,000. */
  readonly steps?: number | undefined;
  /**
   * Maximum size of the steps, in bytes of JSON. Default 18,000,000; 10,000 steps of an agent with short
   * messages take 17,000,000.
   */
  readonly bytes?: number | undefined;
  /** Maximum size of long strings, in characters. Default 32,000,000. */
  readonly blobBytes?: number | undefined;
};

/** The schema of {@link HistoryLimits}. */
export const historySchema = s.lazily(() =>
  s.options<HistoryLimits>(
    {
      steps: s.optional(s.integer(1)),
      bytes: s.optional(s.integer(1)),
      blobBytes: s.optional(s.integer(1)),
    },
    { of: "limits" },
  ),
);

/** The configurations that steps refer to. A machine with twenty regions has a million. */
const MAX_CONFIGURATIONS = 5_000;
/** The parts of a history that are evicted at once. */
const PARTS = 8;

/** A place where the history may begin: the number of a step, and the context before it. */
type Beginning = { readonly from: number; readonly base: () => JsonObject };

/**
 * The newest steps of a run as JSON, to be sent to a hub that connects later.
 *
 * H1 Steps are numbered from 1 without gaps; the oldest are evicted first, and `base` is the context before the
 *   first that is left.
 * H2 Its size is bounded, whatever the agent does.
 */
export class History {
  #startedAt: number | undefined;
  #updatedAt: number | undefined;
  #elapsed = 0;
  /** The machine's context after the newest step; the next step is a diff to it. */
  context: Readonly<Record<string, unknown>> | undefined;
  readonly #limits: { readonly steps: number; readonly bytes: number };
  /** The long strings that steps refer to. */
  readonly blobs: BlobCache;
  readonly #states: string[][] = [];
  readonly #stateIndex = new Map<string, number>();
  readonly #pages = new StepPages();
  #base: (() => JsonObject) | undefined;
  /** The places where it may begin later, the oldest first, and the size of the steps after the newest one. */
  readonly #beginnings: Beginning[] = [];
  #units = 0;
  #leavesOutStates = false;

  constructor({ steps = 10_000, bytes = 18_000_000, blobBytes = 32_000_000 }: HistoryLimits = {}) {
    this.#limits = { steps, bytes };
    this.blobs = new BlobCache(blobBytes);
  }

  /** The number of the oldest step that is left. */
  get first(): number {
    return this.#pages.first;
  }

  /** The number of the newest step; 0 before the first. */
  get last(): number {
    return this.#pages.last;
  }

  /** The context before {@link History.first}; undefined if that is step 1. */
  get base(): JsonObject | undefined {
    const base = this.#base?.();
    if (base) this.#base = () => base;
    return base;
  }

  /** The configurations that steps refer to by index. */
  get states(): readonly (readonly string[])[] {
    return this.#states;
  }

  /** Returns how long after the first event an event at `at` (epoch ms) was, ms; never less than for the event before. */
  elapsedAt(at: number): number {
    this.#startedAt ??= at;
    this.#updatedAt = at;
    this.#elapsed = Math.max(this.#elapsed, at - this.#startedAt);
    return this.#elapsed;
  }

  /** The time at which the first event was, epoch ms; undefined before. */
  get startedAt(): number | undefined {
    return this.#startedAt;
  }

  /** The time at which the newest event was, epoch ms; undefined before the first. */
  get updatedAt(): number | undefined {
    return this.#updatedAt;
  }

  /** True if a configuration was not added, since there are so many. */
  get leavesOutStates(): boolean {
    return this.#leavesOutStates;
  }

  /** Returns the index of a configuration, and adds it if it is new. Of more than 5,000 only the outermost state is stored. */
  stateOf(ids: readonly string[]): number {
    const key = ids.join(" ");
    let index = this.#stateIndex.get(key);
    if (index === undefined) {
      if (this.#states.length >= MAX_CONFIGURATIONS && ids.length > 1) {
        this.#leavesOutStates = true;
        return this.stateOf(ids.slice(0, 1));
      }
      index = this.#states.push([...ids]) - 1;
      this.#stateIndex.set(key, index);
    }
    return index;
  }

  /** Adds the JSON of the step that follows {@link History.last}. */
  push(text: string): void {
    this.#pages.push(text);
    this.#units += text.length;
  }

  /** Evicts the oldest steps. The history may begin after the newest step from now on: then `keep` is called, and returns what makes the context
   *  that is shown after it, however late that is asked for. To be called after each few steps. */
  settle(keep: () => () => JsonObject): void {
    const { last } = this.#pages;
    const { steps, bytes } = this.#limits;
    const from = this.#beginnings.at(-1)?.from ?? this.first;
    if (last + 1 - from >= steps / PARTS || this.#units >= bytes / PARTS) {
      this.#beginnings.push({ from: last + 1, base: keep() });
      this.#units = 0;
    }
    while (this.#isFull() && this.#beginnings[0]!.from <= last) {
      const { from: next, base } = this.#beginnings.shift()!;
      this.#pages.drop(next - this.first);
      this.#base = base;
    }
  }

  /**
   * Returns steps from `from` on as JSON with commas between them: at least one, at most about `maxBytes`
   * bytes, possibly fewer than there are.
   */
  from(from: number, maxBytes: number): { readonly bytes: Uint8Array; readonly count: number } {
    return this.#pages.from(from, maxBytes);
  }

  #isFull(): boolean {
    const { first, last, bytes } = this.#pages;
    return this.#beginnings.length > 0 && (last - first >= this.#limits.steps || bytes > this.#limits.bytes);
  }
}
