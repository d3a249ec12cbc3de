import type { ChartStep } from "../../agent/steps.ts";
import type { Json, JsonObject } from "../../core/base/json.ts";
import { activeIds, type ChartVersion } from "../protocol/chart-version.ts";
import { patchBetween, patchJson, type DiffOptions } from "../protocol/diff.ts";
import {
  encodeToString,
  EncodeCache,
  PREVIEW,
  type EncodeOptions,
  type PlainObject,
} from "../protocol/encode.ts";
import type { ModelCall } from "../../../machines/agent/model-call.ts";
import type { RecordedCall } from "../protocol/recorded-call.ts";
import { applyPatch } from "../protocol/patch.ts";
import type { History } from "./history.ts";
import { REDACTED } from "../../core/base/secrets.ts";

type StepEvent = ChartStep["event"] & { readonly id?: string };

/** A recorded step of the chart: its time, and references to immutable values. */
type RecordedStep = ChartStep & {
  /** The newest request to a model. */
  modelCall: ModelCall | undefined;
  /** Since the first event, ms. */
  readonly m: number;
  readonly position: number;
};

/**
 * The maximum number of steps that wait to be written. They hold contexts, whose lifetime should be short.
 */
const MAX_WAITING = 16;

type RecorderOptions = {
  readonly chart: ChartVersion;
  /** The history to which the steps are added. */
  readonly history: History;
  /** The agent's redaction, applied to everything that is displayed. */
  readonly redact?: (value: Json) => Json;
  /** Returns the current position in the journal. */
  readonly position: () => number;
};

/**
 * Records the steps of a chart.
 *
 * E1 `record` keeps times and references only; `write` creates diffs and JSON later, for several steps at once.
 * E2 A step describes its instant, however late it is written: contexts are replaced, never mutated.
 * E3 Nothing throws.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #chart: ChartVersion;
  readonly #diffOptions: DiffOptions;
  readonly #fullOptions: EncodeOptions;
  readonly #previewOptions: EncodeOptions;
  /** The fields `x`, `s` and `k` by state, edges and actions: most are the same in each iteration. */
  readonly #transitionCache = new Map<string, string>();
  #waiting: RecordedStep[] = [];
  #modelCall: ModelCall | undefined;
  #recordedCall: RecordedCall | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#chart = options.chart;
    this.#diffOptions = { serialize: this.#serialize, appendsStrings: options.redact === undefined };
    const cache = new EncodeCache();
    const { redact, history } = options;
    const redacted = redact ? (text: string) => String(this.#applyRedact(text)) : (text: string) => text;
    this.#fullOptions = { cache, keepBlob: (sha, text) => history.blobs.add(sha, redacted(text)) };
    this.#previewOptions = { cache, limits: PREVIEW };
  }

  get chart(): ChartVersion {
    return this.#chart;
  }

  /**
   * Records the current state as the first step. A later agent of the same session continues the steps of the
   * former.
   */
  begin(current: Pick<ChartStep, "state" | "context" | "at">): void {
    const { history } = this.#options;
    if (history.last > 0) return;
    const m = current.context.at > 0 ? history.elapsedAt(current.at) : 0; // a new session begins with its first event
    this.#add({ ...current, event: { type: "xstate.init" }, edges: [], actions: [], facts: [] }, m);
  }

  record(step: ChartStep): void {
    this.#add(step, this.#options.history.elapsedAt(step.at));
  }

  /** Records a request to a model as a part of the step that led to it. A step that waits to be written is always there: the newest one
   *  is written with the next, or by the next update. */
  recordCall(call: ModelCall): void {
    this.#modelCall = call;
    const newest = this.#waiting.at(-1);
    if (newest) newest.modelCall = call;
  }

  #add(step: ChartStep, m: number): void {
    if (this.#waiting.length >= MAX_WAITING) this.write();
    const position = this.#options.position();
    this.#waiting.push({ ...step, modelCall: this.#modelCall, m, position });
  }

  /** Writes the recorded steps to the history. */
  write(): void {
    const steps = this.#waiting;
    this.#waiting = [];
    for (const each of steps) {
      try {
        this.#push(each);
      } catch {
        // this step is missing from the history; the agent continues
      }
    }
    this.#options.history.settle(this.#keep);
  }

  /** Contexts are replaced, never mutated: one can be shown later. */
  readonly #keep = (): (() => JsonObject) => {
    const { context = {} } = this.#options.history;
    return () => applyPatch({}, patchBetween(undefined, context as PlainObject, this.#diffOptions));
  };

  #push(recordedStep: RecordedStep): void {
    const { at, m, event, account, state, context, edges, actions, position, modelCall } = recordedStep;
    const { history } = this.#options;
    if (modelCall && modelCall.id !== this.#recordedCall?.id)
      this.#recordedCall = { ...modelCall, step: history.last + 1 };
    const recorded = modelCall && this.#recordedCall;
    const fields = (recorded ? { ...context, modelCall: recorded } : context) as unknown as PlainObject;
    const ops = patchJson(history.context, fields, this.#diffOptions);
    history.context = fields;
    // built by hand: this runs for every step of an agent, and most of it is the same each time
    let text = `{"q":${history.last + 1},"t":${at},"m":${m},"e":`;
    text += JSON.stringify(event.type);
    text += this.#transitionJson(state, edges, actions);
    if (event.by !== undefined) text += `,"by":${JSON.stringify(event.by)}`;
    if (account) text += `,"d":${this.#redactJson(JSON.stringify(account))}`;
    if (event.type !== "xstate.init") text += `,"v":${this.#preview(event)}`;
    if (ops !== "[]") text += `,"p":${ops}`;
    if (position > 0) text += `,"j":${position}`;
    history.push(`${text}}`);
  }

  /** The JSON of fields `x`, `s` and `k` of a step: edges taken, resulting states, actions. */
  #transitionJson(state: string, edges: readonly string[], actions: readonly string[]): string {
    const key = `${state} ${edges.join()} ${actions.join()}`;
    let text = this.#transitionCache.get(key);
    if (text === undefined) {
      const s = this.#options.history.stateOf(activeIds(this.#chart.chart.id, state));
      const k = actions.length > 0 ? { k: actions } : {};
      text = JSON.stringify({ x: edges, s, ...k })
        .replace("{", ",")
        .slice(0, -1);
      this.#transitionCache.set(key, text);
    }
    return text;
  }

  /** Serializes a value for display: without secrets, redacted and bounded. */
  display(value: unknown): Json {
    return JSON.parse(this.#serialize(value)) as Json;
  }

  readonly #serialize = (value: unknown): string =>
    this.#redactJson(encodeToString(value, this.#fullOptions));

  #preview({ type: _, id: __, by: ___, ...payload }: StepEvent): string {
    return this.#redactJson(encodeToString(payload, this.#previewOptions));
  }

  #redactJson(text: string): string {
    return this.#options.redact ? JSON.stringify(this.#applyRedact(JSON.parse(text) as Json)) : text;
  }

  #applyRedact(value: Json): Json {
    try {
      return this.#options.redact?.(value) ?? null;
    } catch {
      return REDACTED;
    }
  }
}
