import { applyPatch } from "../protocol/patch.ts";
import type { Step, StepPage } from "../protocol/protocol.ts";
import type { JsonObject } from "../../base/json.ts";

/** Steps between two contexts that are kept whole. */
const KEYFRAME_EVERY = 250;

/**
 * The steps of one run, and context at any of them.
 *
 * N1 Steps are numbered without gaps from `first` to `last`; those that are known already are not taken again.
 * N2 At most `most` steps are kept; the oldest go first.
 */
export class RunLog {
  readonly runId: string;
  readonly #most: number;
  readonly #states: (readonly string[])[] = [];
  readonly #stateIndex = new Map<string, number>();
  /** Context before the step of that number. */
  readonly #keyframes = new Map<number, JsonObject>();
  #items: Step[] = [];
  #first = 1;
  #context: JsonObject = {};

  constructor(runId: string, most = 50_000) {
    this.runId = runId;
    this.#most = most;
  }

  get first(): number {
    return this.#first;
  }

  get last(): number {
    return this.#first + this.#items.length - 1;
  }

  get states(): readonly (readonly string[])[] {
    return this.#states;
  }

  /** Context after the newest step. */
  get context(): JsonObject {
    return this.#context;
  }

  /** The newest step. */
  get newest(): Step | undefined {
    return this.#items.at(-1);
  }

  /** The states active after the newest step. */
  get active(): readonly string[] {
    return this.#states[this.newest?.s ?? -1] ?? [];
  }

  /** The index of a configuration. */
  stateOf(ids: readonly string[]): number {
    const key = ids.join(" ");
    let index = this.#stateIndex.get(key);
    if (index === undefined) {
      index = this.#states.push(ids) - 1;
      this.#stateIndex.set(key, index);
    }
    return index;
  }

  /** Takes the next step; one that is known is left. Steps are missing before it: then those that are here go, and it begins
   *  anew from `keyframe`, the context before it. */
  take(step: Step, keyframe: JsonObject = {}): void {
    if (step.q <= this.last) return;
    if (step.q > this.last + 1) this.#beginAt(step.q, keyframe);
    if (step.q % KEYFRAME_EVERY === 1 || this.#items.length === 0) this.#keyframes.set(step.q, this.#context);
    this.#context = applyPatch(this.#context, step.p ?? []);
    this.#items.push(step);
    if (this.#items.length > this.#most) this.#letGo();
  }

  /** Steps `from` to `to`, as far as they are here. */
  page(from: number, to: number): StepPage {
    const begin = Math.max(from, this.#first);
    const items = this.#items.slice(begin - this.#first, Math.max(0, to - this.#first + 1));
    return {
      runId: this.runId,
      states: this.#states,
      items,
      ...(begin > 1 && items.length > 0 && { keyframe: this.contextAt(begin - 1)! }),
      total: this.last,
      first: this.#first,
    };
  }

  /** Context after a step; after the one before the first that is here too. Undefined for others. */
  contextAt(q: number): JsonObject | undefined {
    if (q === this.last) return this.#context;
    if (q < this.#first - 1 || q > this.last) return undefined;
    let at = q + 1;
    while (!this.#keyframes.has(at)) at--;
    const steps = this.#items.slice(at - this.#first, q - this.#first + 1);
    return steps.reduce((context, { p = [] }) => applyPatch(context, p), this.#keyframes.get(at)!);
  }

  #beginAt(q: number, keyframe: JsonObject): void {
    this.#items = [];
    this.#keyframes.clear();
    this.#first = q;
    this.#context = keyframe;
  }

  #letGo(): void {
    const first = this.#first + KEYFRAME_EVERY;
    this.#keyframes.set(first, this.contextAt(first - 1)!);
    for (const at of this.#keyframes.keys()) if (at < first) this.#keyframes.delete(at);
    this.#items = this.#items.slice(KEYFRAME_EVERY);
    this.#first = first;
  }
}
