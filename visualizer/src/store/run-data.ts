import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import { messagesOf } from "../logic/step-notes.ts";
import { decodeStep, type Step } from "../wire/step.ts";
import type { JsonObject, StepPage } from "../wire/types.ts";

const KEYFRAME_INTERVAL = 250;
const MAX_STEPS = 50_000;
/** The number of contexts that are cached besides the keyframes. Panels request a step and its predecessor, the tab of the prompt those of
 *  the requests before and after. */
const MAX_MEMOS = 8;

/** The changes of all runs. */
let changes = 0;

/**
 * The steps of one run, and its context after any of them. Steps are only added; existing ones never change.
 */
export class RunData {
  /** Changes with each change, for memoization; no other run has the same, so that a late version of one run is not taken for one of
   *  the next. */
  version = 0;
  /** True if a server has told them that is gone: what the next one tells takes their place. */
  isOld = false;
  /** The configurations that steps refer to by index. */
  states: readonly (readonly string[])[] = [];
  /** The number of steps of the run. */
  total = 0;
  /** The number of the oldest step that still exists. */
  first = 1;
  #isFilling = false;
  #base = 0;
  #steps: (Step | undefined)[] = [];
  readonly #keyframes = new Map<number, JsonObject>([[0, {}]]);
  #keys: number[] = [0];
  #wholeFrom = 1;
  #memos: { readonly stepNumber: number; readonly context: JsonObject }[] = [];
  readonly #messageSteps = new Map<string, number>();

  /** The number of the newest loaded step; 0 if there is none. */
  get last(): number {
    return this.#base + this.#steps.length;
  }

  /** The number of the oldest step that the array has space for. */
  get oldest(): number {
    return this.#base + 1;
  }

  /** Returns a step, or undefined if it is not loaded. */
  at(stepNumber: number): Step | undefined {
    return this.#steps[stepNumber - this.#base - 1];
  }

  /** Returns the ids of the states that are active after a step; empty if it is not loaded. */
  statesAt(stepNumber: number): readonly string[] {
    const step = this.at(stepNumber);
    return (step && this.states[step.state]) ?? NO_STATES;
  }

  /** The number of the step that added a message. */
  stepOfMessage(id: string): number | undefined {
    return this.#messageSteps.get(id);
  }

  /** Returns the duration of the states after a step, ms; undefined for the newest step. */
  durationOf(stepNumber: number): number | undefined {
    const step = this.at(stepNumber);
    const next = this.at(stepNumber + 1);
    return step && next && Math.max(0, next.elapsed - step.elapsed);
  }

  /** True while older steps are on their way, page by page: who reads all of them waits for the last page. */
  get isFilling(): boolean {
    return this.#isFilling;
  }

  set isFilling(is: boolean) {
    this.#isFilling = is;
    this.version = ++changes;
  }

  /** Adds the steps of a page, and drops the oldest steps if there are too many. */
  add(page: StepPage): void {
    this.version = ++changes;
    if (page.states.length > this.states.length) this.states = page.states;
    this.total = Math.max(this.total, page.total);
    this.first = Math.max(this.first, page.first);
    const steps = page.items.map(decodeStep);
    const [first] = steps;
    if (!first) return;
    if (page.keyframe) this.keepKeyframe(first.number - 1, page.keyframe);
    for (const step of steps) this.#put(step);
    if (this.#steps.length > MAX_STEPS) this.#drop(this.#steps.length - MAX_STEPS + MAX_STEPS / 10);
  }

  /** Stores the context after a step. */
  keepKeyframe(stepNumber: number, context: JsonObject): void {
    if (!this.#keyframes.has(stepNumber)) {
      const place = this.#keys.findLastIndex((key) => key < stepNumber);
      this.#keys = this.#keys.toSpliced(place + 1, 0, stepNumber);
    }
    this.#keyframes.set(stepNumber, context);
  }

  /** The context after a step; undefined while an earlier step is missing. */
  contextAt(stepNumber: number): JsonObject | undefined {
    const memo = this.#memos.find((memo) => memo.stepNumber === stepNumber);
    if (memo) {
      if (memo !== this.#memos[0]) this.#memos = [memo, ...this.#memos.filter((each) => each !== memo)];
      return memo.context;
    }
    const near = Math.max(...this.#memos.map((memo) => memo.stepNumber).filter((at) => at < stepNumber), -1);
    const key = this.#keys.findLast((at) => at <= stepNumber);
    const from = Math.max(near, key ?? -1);
    if (from < 0) return undefined;
    let context = this.#memos.find((memo) => memo.stepNumber === from)?.context ?? this.#keyframes.get(from)!;
    for (let at = from + 1; at <= stepNumber; at++) {
      const step = this.at(at);
      if (!step) return undefined;
      context = applyPatch(context, step.patch);
      if (at % KEYFRAME_INTERVAL === 0) this.keepKeyframe(at, context);
    }
    this.#memos = [{ stepNumber, context }, ...this.#memos].slice(0, MAX_MEMOS);
    return context;
  }

  /** All steps from this number to the newest are loaded. */
  get wholeFrom(): number {
    return this.#wholeFrom;
  }

  /** The nearest missing steps up to a step, at most `most`; undefined if none are missing. */
  missingBelow(
    stepNumber: number,
    most = Number.POSITIVE_INFINITY,
  ): { readonly from: number; readonly to: number } | undefined {
    let to = Math.min(stepNumber, Math.max(this.last, this.total));
    if (to <= this.last && to >= this.#wholeFrom) to = this.#wholeFrom - 1;
    while (to >= this.first && this.at(to)) to--;
    if (to < this.first) return undefined;
    let from = to;
    while (from > this.first && to - from + 1 < most && !this.at(from - 1)) from--;
    return { from, to };
  }

  #put(step: Step): void {
    const { last } = this;
    if (step.number <= this.#base) {
      const missing = this.#base - step.number + 1;
      this.#steps = [...Array.from<undefined>({ length: missing }), ...this.#steps];
      this.#base = step.number - 1;
    }
    const index = step.number - this.#base - 1;
    if (this.#steps.length === 0) this.#base = step.number - 1;
    while (this.#steps.length > 0 && this.#steps.length < index) this.#steps.push(undefined);
    if (step.number > last + 1 || last === 0) this.#wholeFrom = step.number;
    this.#steps[step.number - this.#base - 1] = step;
    while (this.#wholeFrom > 1 && this.at(this.#wholeFrom - 1)) this.#wholeFrom--;
    this.total = Math.max(this.total, step.number);
    for (const { id } of messagesOf(step))
      if (!this.#messageSteps.has(id)) this.#messageSteps.set(id, step.number);
  }

  #drop(count: number): void {
    const base = this.#base + count;
    const context = this.contextAt(base);
    this.#steps = this.#steps.slice(count);
    this.#wholeFrom = Math.max(this.#wholeFrom, base + 1);
    this.#base = base;
    this.first = Math.max(this.first, base + 1);
    this.#keys = this.#keys.filter((key) => key >= base);
    for (const key of this.#keyframes.keys()) if (key < base) this.#keyframes.delete(key);
    if (context) this.keepKeyframe(base, context);
  }
}

const NO_STATES: readonly string[] = [];
