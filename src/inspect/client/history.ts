import type { JsonObject } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { BlobCache } from "../protocol/blob-cache.ts";
import { applyPatch } from "../protocol/patch.ts";
import type { Step } from "../protocol/protocol.ts";
import { StepPages, textOfBytes } from "./step-pages.ts";

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
/** Steps are evicted in batches of about this size, bytes, so that the cost per step is small. */
const EVICTED_AT_ONCE = 32_768;

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
  #base: JsonObject | undefined;
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
    return this.#base;
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

  /** Returns the index of a configuration, and adds it if it is new. Of more than 5,000 only the outermost state is kept. */
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
    while (this.#isFull()) this.#evict();
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
    return last > first && (last - first >= this.#limits.steps || bytes > this.#limits.bytes);
  }

  #evict(): void {
    const { first, last } = this.#pages;
    const oldest = textOfBytes(this.#pages.from(first, EVICTED_AT_ONCE).bytes);
    const steps = (JSON.parse(`[${oldest}]`) as Step[]).slice(0, last - first);
    this.#base = applyPatch(
      this.#base ?? {},
      steps.flatMap(({ p = [] }) => p),
    );
    this.#pages.drop(steps.length);
  }
}
