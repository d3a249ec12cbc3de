import { applyPatch } from "../protocol/patch.ts";
import type { Step, StepPage } from "../protocol/protocol.ts";
import type { JsonObject } from "../../core/base/json.ts";

/** The number of steps between two stored contexts. */
const KEYFRAME_INTERVAL = 250;

/**
 * The steps of one run, and the context at each of them.
 *
 * N1 Steps are numbered without gaps from `first` to `last`; a known step is not added again.
 * N2 At most `maxSteps` steps are retained; the oldest are evicted first.
 */
export class RunLog {
  readonly runId: string;
  readonly #maxSteps: number;
  readonly #states: (readonly string[])[] = [];
  readonly #stateIndex = new Map<string, number>();
  /** The context before the step with this number. */
  readonly #keyframes = new Map<number, JsonObject>();
  #items: Step[] = [];
  #first = 1;
  #context: JsonObject = {};

  constructor(runId: string, maxSteps = 50_000) {
    this.runId = runId;
    this.#maxSteps = maxSteps;
  }

  /** The number of the oldest step that is retained. */
  get first(): number {
    return this.#first;
  }

  /** The number of the newest step; 0 before the first. */
  get last(): number {
    return this.#first + this.#items.length - 1;
  }

  /** The configurations that steps refer to by index. */
  get states(): readonly (readonly string[])[] {
    return this.#states;
  }

  /** The context after the newest step. */
  get context(): JsonObject {
    return this.#context;
  }

  get newest(): Step | undefined {
    return this.#items.at(-1);
  }

  /** The ids of the states that are active after the newest step. */
  get active(): readonly string[] {
    return this.#states[this.newest?.s ?? -1] ?? [];
  }

  /** Returns the index of a configuration, and adds it if it is new. */
  stateOf(ids: readonly string[]): number {
    const key = ids.join(" ");
    let index = this.#stateIndex.get(key);
    if (index === undefined) {
      index = this.#states.push(ids) - 1;
      this.#stateIndex.set(key, index);
    }
    return index;
  }

  /**
   * Adds the next step; ignores a known one. If steps are missing before it, the log restarts at it with
   * `keyframe` as the context before it.
   */
  add(step: Step, keyframe: JsonObject = {}): void {
    if (step.q <= this.last) return;
    if (step.q > this.last + 1) this.#restartAt(step.q, keyframe);
    if (step.q % KEYFRAME_INTERVAL === 1 || this.#items.length === 0)
      this.#keyframes.set(step.q, this.#context);
    this.#context = applyPatch(this.#context, step.p ?? []);
    this.#items.push(step);
    if (this.#items.length > this.#maxSteps) this.#evict();
  }

  /**
   * Returns the steps `from` to `to` as far as they are available, with the context before them. To a reader that `knows` the context
   * before `from` it is sent only if the page begins later: a context has all messages up to it.
   */
  page(from: number, to: number, knows = false): StepPage {
    const begin = Math.max(from, this.#first);
    const items = this.#items.slice(begin - this.#first, Math.max(0, to - this.#first + 1));
    const isAsked = begin > 1 && items.length > 0 && !(knows && begin === from);
    return {
      runId: this.runId,
      states: this.#states,
      items,
      ...(isAsked && { keyframe: this.contextAt(begin - 1)! }),
      total: this.last,
      first: this.#first,
    };
  }

  /** Yields the available steps from `from` on. */
  *steps(from = this.#first): Generator<Step> {
    for (let q = Math.max(from, this.#first); q <= this.last; q++) yield this.#items[q - this.#first]!;
  }

  /** Returns the context after a step, or after the step before the first; undefined for other numbers. */
  contextAt(q: number): JsonObject | undefined {
    if (q === this.last) return this.#context;
    if (q < this.#first - 1 || q > this.last) return undefined;
    let at = q + 1;
    while (!this.#keyframes.has(at)) at--;
    const steps = this.#items.slice(at - this.#first, q - this.#first + 1);
    return steps.reduce((context, { p = [] }) => applyPatch(context, p), this.#keyframes.get(at)!);
  }

  #restartAt(q: number, keyframe: JsonObject): void {
    this.#items = [];
    this.#keyframes.clear();
    this.#first = q;
    this.#context = keyframe;
  }

  #evict(): void {
    const first = this.#first + KEYFRAME_INTERVAL;
    this.#keyframes.set(first, this.contextAt(first - 1)!);
    for (const at of this.#keyframes.keys()) if (at < first) this.#keyframes.delete(at);
    this.#items = this.#items.slice(KEYFRAME_INTERVAL);
    this.#first = first;
  }
}
