import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import { isObject } from "../../../src/base/is-object.ts";
import { askedNote, messagesOf } from "../logic/step-notes.ts";
import type { JsonObject, Step, StepPage } from "../wire/types.ts";

const KEYFRAME_EACH = 250;
const KEPT = 50_000;
/** Contexts kept beside the keyframes: panels ask for a step and its neighbour. */
const MEMOS = 4;

/** The steps of one run, and its context after any of them. Grows; what it holds never changes. */
export class RunData {
  /** Counts changes, for those who watch. */
  version = 0;
  states: readonly (readonly string[])[] = [];
  total = 0;
  /** The oldest step that there still is. */
  first = 1;
  #base = 0;
  #steps: (Step | undefined)[] = [];
  readonly #keyframes = new Map<number, JsonObject>([[0, {}]]);
  #keys: number[] = [0];
  #wholeFrom = 1;
  #memos: { readonly q: number; readonly context: JsonObject }[] = [];
  readonly #messageSteps = new Map<string, number>();
  readonly #decisions = new Map<string, number>();

  /** The newest step that is here; 0 if there is none. */
  get last(): number {
    return this.#base + this.#steps.length;
  }

  /** Oldest step for which there is room here. */
  get oldest(): number {
    return this.#base + 1;
  }

  at(q: number): Step | undefined {
    return this.#steps[q - this.#base - 1];
  }

  statesAt(q: number): readonly string[] {
    const step = this.at(q);
    return (step && this.states[step.s]) ?? NO_STATES;
  }

  /** The step that stored a message. */
  stepOfMessage(id: string): number | undefined {
    return this.#messageSteps.get(id);
  }

  /** What was decided about a call in the inspector up to step `q`; "" if nothing was. */
  decisionOf(callId: string, q: number): string {
    const step = this.at(this.#decisions.get(callId) ?? 0);
    return step && step.q <= q ? askedNote(step) : "";
  }

  /** How long what a step led to lasted, in ms; undefined for the newest. */
  durationOf(q: number): number | undefined {
    const step = this.at(q);
    const next = this.at(q + 1);
    return step && next && Math.max(0, next.m - step.m);
  }

  add(page: StepPage): void {
    this.version++;
    if (page.states.length > this.states.length) this.states = page.states;
    this.total = Math.max(this.total, page.total);
    this.first = Math.max(this.first, page.first);
    const from = page.items[0]?.q;
    if (from === undefined) return;
    if (page.keyframe) this.keepKeyframe(from - 1, page.keyframe);
    for (const step of page.items) this.#put(step);
    if (this.#steps.length > KEPT) this.#drop(this.#steps.length - KEPT + KEPT / 10);
  }

  keepKeyframe(q: number, context: JsonObject): void {
    if (!this.#keyframes.has(q)) {
      const place = this.#keys.findLastIndex((key) => key < q);
      this.#keys = this.#keys.toSpliced(place + 1, 0, q);
    }
    this.#keyframes.set(q, context);
  }

  /** Context after step `q`; undefined while steps on the way to it are missing. */
  contextAt(q: number): JsonObject | undefined {
    const memo = this.#memos.find((kept) => kept.q === q);
    if (memo) return memo.context;
    const near = Math.max(...this.#memos.map((kept) => kept.q).filter((at) => at < q), -1);
    const key = this.#keys.findLast((at) => at <= q);
    const from = Math.max(near, key ?? -1);
    if (from < 0) return undefined;
    let context = this.#memos.find((kept) => kept.q === from)?.context ?? this.#keyframes.get(from)!;
    for (let at = from + 1; at <= q; at++) {
      const step = this.at(at);
      if (!step) return undefined;
      if (step.p) context = applyPatch(context, step.p);
      if (at % KEYFRAME_EACH === 0) this.keepKeyframe(at, context);
    }
    this.#memos = [{ q, context }, ...this.#memos].slice(0, MEMOS);
    return context;
  }

  /** All steps from this one to the newest are here. */
  get wholeFrom(): number {
    return this.#wholeFrom;
  }

  /** The nearest missing steps up to `q` that the run still has, at most `most`; undefined if there are none. */
  missingBelow(
    q: number,
    most = Number.POSITIVE_INFINITY,
  ): { readonly from: number; readonly to: number } | undefined {
    let to = Math.min(q, Math.max(this.last, this.total));
    if (to <= this.last && to >= this.#wholeFrom) to = this.#wholeFrom - 1;
    while (to >= this.first && this.at(to)) to--;
    if (to < this.first) return undefined;
    let from = to;
    while (from > this.first && to - from + 1 < most && !this.at(from - 1)) from--;
    return { from, to };
  }

  #put(step: Step): void {
    const { last } = this;
    if (step.q <= this.#base) {
      const missing = this.#base - step.q + 1;
      this.#steps = [...Array.from<undefined>({ length: missing }), ...this.#steps];
      this.#base = step.q - 1;
    }
    const index = step.q - this.#base - 1;
    if (this.#steps.length === 0) this.#base = step.q - 1;
    while (this.#steps.length > 0 && this.#steps.length < index) this.#steps.push(undefined);
    if (step.q > last + 1 || last === 0) this.#wholeFrom = step.q;
    this.#steps[step.q - this.#base - 1] = step;
    while (this.#wholeFrom > 1 && this.at(this.#wholeFrom - 1)) this.#wholeFrom--;
    this.total = Math.max(this.total, step.q);
    const { v } = step;
    if (step.by && isObject(v) && v["callId"] !== undefined) this.#decisions.set(String(v["callId"]), step.q);
    for (const { id } of messagesOf(step))
      if (!this.#messageSteps.has(id)) this.#messageSteps.set(id, step.q);
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
