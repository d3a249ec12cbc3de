import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  AnyTransitionDefinition,
  InspectionEvent,
} from "xstate";
import type { Json } from "../../base/json.ts";
import { activeIds, chartIndexOf, type ChartIndex } from "../protocol/chart-index.ts";
import { patchText, type DiffOptions } from "../protocol/diff.ts";
import { encodeText, KnownTexts, PREVIEW, type EncodeOptions } from "../protocol/encode.ts";
import type { History } from "./history.ts";
import { REDACTED } from "../protocol/secrets.ts";

/** A microstep as it was seen: the instants and references to what is never mutated. */
type Seen = {
  readonly t: number;
  readonly m: number;
  readonly event: { readonly type: string };
  readonly nodes: AnyMachineSnapshot["_nodes"];
  readonly context: Fields;
  readonly transitions: readonly AnyTransitionDefinition[];
  readonly position: number;
  readonly isAskedFor: boolean;
};

type Fields = Readonly<Record<string, unknown>>;

/** Configurations, by the states that are entered one after the other. */
type StatesByNode = { readonly next: Map<AnyStateNode, StatesByNode>; state?: number };

/** More configurations than any chart has. */
const MOST_STATES = 1_000_000;

/** Microsteps that wait to be written. They hold contexts, which live the shorter the fewer wait. */
const MOST_SEEN = 16;

export type RecorderOptions = {
  readonly machine: AnyStateMachine;
  readonly history: History;
  /** Of the agent; applied to all that is shown. */
  readonly redact?: (value: Json) => Json;
  /** Position of the journal. */
  readonly position: () => number;
  /** True for an event that a person asked for in the inspector. Called once for each. */
  readonly isAskedFor?: (event: { readonly type: string }) => boolean;
};

/**
 * Writes what a statechart does as steps.
 *
 * E1 `see` keeps instants and references only; diffs and JSON are made by `write`, later, for a few steps at once.
 * E2 What a step says is true of its instant, however late it is written: contexts are replaced, never mutated.
 * E3 Nothing throws.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #index: ChartIndex;
  readonly #diff: DiffOptions;
  readonly #whole: EncodeOptions;
  readonly #short: EncodeOptions;
  readonly #states: StatesByNode = { next: new Map() };
  readonly #taken = new Map<AnyTransitionDefinition, Map<number, string>>();
  #seen: Seen[] = [];
  #nodes: unknown;
  #state = -1;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#index = chartIndexOf(options.machine);
    this.#diff = { show: this.#show, appendsText: options.redact === undefined };
    const known = new KnownTexts();
    const { redact, history } = options;
    const kept = redact ? (text: string) => String(this.#afterRedact(text)) : (text: string) => text;
    this.#whole = { known, keep: (sha, text) => history.blobs.keep(sha, kept(text)) };
    this.#short = { known, limits: PREVIEW };
  }

  get chart(): ChartIndex {
    return this.#index;
  }

  /** The machine as it stands: the first step. A later agent of the same session goes on with the steps of the former. */
  begin(snapshot: AnyMachineSnapshot): void {
    if (this.#options.history.last === 0) this.#keep({ type: "xstate.init" }, snapshot, []);
  }

  /** An inspection event of the actor. */
  see(event: InspectionEvent): void {
    if (event.type !== "@xstate.microstep") return;
    const { snapshot, _transitions } = event;
    this.#keep(event.event, snapshot as AnyMachineSnapshot, _transitions);
  }

  #keep(
    event: { readonly type: string },
    { _nodes: nodes, context }: AnyMachineSnapshot,
    transitions: readonly AnyTransitionDefinition[],
  ): void {
    const m = performance.now() - this.#options.history.startedAt;
    const position = this.#options.position();
    const isAskedFor = !isAlways(transitions) && (this.#options.isAskedFor?.(event) ?? false);
    this.#seen.push({
      t: Date.now(),
      m,
      event,
      nodes,
      context: context as Fields,
      transitions,
      position,
      isAskedFor,
    });
    if (this.#seen.length > MOST_SEEN) this.write();
  }

  /** Writes what was seen. */
  write(): void {
    const seen = this.#seen;
    this.#seen = [];
    for (const each of seen) {
      try {
        this.#push(each);
      } catch {
        // one step is missing from the record; the agent goes on
      }
    }
  }

  #push({ t, m, event, nodes, context, transitions, position, isAskedFor }: Seen): void {
    const { history } = this.#options;
    const before = this.#state;
    if (nodes !== this.#nodes) {
      this.#nodes = nodes;
      this.#state = this.#stateOf(nodes);
    }
    const ops = patchText(history.context, context, this.#diff);
    history.context = context;
    const needsNoEvent = isAlways(transitions);
    // written by hand: this runs ten times in each round of an agent, and most of it is the same each time
    let text = `{"q":${history.last + 1},"t":${t},"m":${Math.round(m * 1_000) / 1_000},"e":`;
    text += needsNoEvent ? '""' : JSON.stringify(event.type);
    text += this.#takenText(transitions, before);
    if (isAskedFor) text += `,"by":"inspector"`;
    if (!needsNoEvent && event.type !== "xstate.init") text += `,"v":${this.#preview(event)}`;
    if (ops !== "[]") text += `,"p":${ops}`;
    if (position > 0) text += `,"j":${position}`;
    history.push(`${text}}`);
  }

  /** XState gives the active states in the order they were entered, which the same state may have several of. */
  #stateOf(nodes: AnyMachineSnapshot["_nodes"]): number {
    let at = this.#states;
    for (const node of nodes) {
      let next = at.next.get(node);
      if (!next) at.next.set(node, (next = { next: new Map() }));
      at = next;
    }
    return (at.state ??= this.#options.history.stateOf(activeIds(nodes)));
  }

  /** The edges that were taken, the state they led to, and what ran on the way: fields `x`, `s` and `k` of a step. */
  #takenText(transitions: readonly AnyTransitionDefinition[], before: number): string {
    const [first] = transitions;
    if (!first || transitions.length > 1) return this.#takenAnew(transitions, before);
    let texts = this.#taken.get(first);
    if (!texts) this.#taken.set(first, (texts = new Map()));
    const key = before * MOST_STATES + this.#state;
    let text = texts.get(key);
    if (text === undefined) texts.set(key, (text = this.#takenAnew(transitions, before)));
    return text;
  }

  #takenAnew(transitions: readonly AnyTransitionDefinition[], before: number): string {
    const { states } = this.#options.history;
    const [left, entered] = [states[before] ?? [], states[this.#state] ?? []];
    const x = this.#index.edgesOf(transitions);
    const k = x.length > 0 ? this.#index.actionsOf(transitions, left, entered) : [];
    return JSON.stringify({ x, s: this.#state, ...(k.length > 0 && { k }) })
      .replace("{", ",")
      .slice(0, -1);
  }

  /** A value as it may leave the process. */
  show(value: unknown): Json {
    return JSON.parse(this.#show(value)) as Json;
  }

  readonly #show = (value: unknown): string => this.#redacted(encodeText(value, this.#whole));

  #preview({ type: _, ...carried }: { readonly type: string }): string {
    return this.#redacted(encodeText(carried, this.#short));
  }

  #redacted(text: string): string {
    return this.#options.redact ? JSON.stringify(this.#afterRedact(JSON.parse(text) as Json)) : text;
  }

  #afterRedact(value: Json): Json {
    try {
      return this.#options.redact?.(value) ?? null;
    } catch {
      return REDACTED;
    }
  }
}

function isAlways(transitions: readonly AnyTransitionDefinition[]): boolean {
  return transitions.length > 0 && transitions.every(({ eventType }) => eventType === "");
}
