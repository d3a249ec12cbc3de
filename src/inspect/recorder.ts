import type { AnyMachineSnapshot, AnyStateMachine, AnyTransitionDefinition, InspectionEvent } from "xstate";
import type { Json } from "../message/types.ts";
import { activeIds, chartIndexOf, type ChartIndex } from "./chart-index.ts";
import { patchBetween, type DiffOptions } from "./diff.ts";
import { encode, PREVIEW } from "./encode.ts";
import type { History } from "./history.ts";
import type { Step } from "./protocol.ts";
import { REDACTED } from "./secrets.ts";

/** A microstep as it was seen: the instants and references to what is never mutated. */
type Seen = {
  readonly t: number;
  readonly m: number;
  readonly event: { readonly type: string };
  readonly snapshot: AnyMachineSnapshot;
  readonly transitions: readonly AnyTransitionDefinition[];
  readonly position: number;
};

/** Microsteps that wait to be written. They hold snapshots, which live the shorter the fewer wait. */
const MOST_SEEN = 16;

export type RecorderOptions = {
  readonly machine: AnyStateMachine;
  readonly history: History;
  /** Of the agent; applied to all that is shown. */
  readonly redact?: (value: Json) => Json;
  /** Position of the journal. */
  readonly position: () => number;
};

/**
 * Writes what a statechart does as steps.
 *
 * R1 `see` keeps instants and references only; diffs and JSON are made by `write`, later, for a few steps at once.
 * R2 What a step says is true of its instant, however late it is written: contexts are replaced, never mutated.
 * R3 Nothing throws.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #index: ChartIndex;
  readonly #diff: DiffOptions;
  readonly #actions = new Map<string, readonly string[]>();
  readonly #states = new Map<string, number>();
  #seen: Seen[] = [];
  #nodes: unknown;
  #state = -1;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#index = chartIndexOf(options.machine);
    this.#diff = { show: this.show, appendsText: options.redact === undefined };
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
    snapshot: AnyMachineSnapshot,
    transitions: readonly AnyTransitionDefinition[],
  ): void {
    const m = performance.now() - this.#options.history.startedAt;
    this.#seen.push({ t: Date.now(), m, event, snapshot, transitions, position: this.#options.position() });
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

  #push({ t, m, event, snapshot, transitions, position }: Seen): void {
    const { history } = this.#options;
    const before = this.#state;
    if (snapshot._nodes !== this.#nodes) {
      this.#nodes = snapshot._nodes;
      this.#state = this.#stateOf(snapshot);
    }
    const after = snapshot.context as Readonly<Record<string, unknown>>;
    const ops = patchBetween(history.context, after, this.#diff);
    history.context = after;
    const edges = this.#index.edgesOf(transitions);
    const actions = this.#actionsOf(transitions, edges, before);
    const isAlways = transitions.length > 0 && transitions.every(({ eventType }) => eventType === "");
    // assigned one by one: this runs ten times in each round of an agent
    const step: { -readonly [Key in keyof Step]: Step[Key] } = {
      q: history.last + 1,
      t,
      m: Math.round(m * 1_000) / 1_000,
      e: isAlways ? "" : event.type,
      x: edges,
      s: this.#state,
    };
    if (!isAlways && event.type !== "xstate.init") step.v = this.#preview(event);
    if (actions.length > 0) step.k = actions;
    if (ops.length > 0) step.p = ops;
    if (position > 0) step.j = position;
    history.push(step);
  }

  /** XState gives the active states in the order they were entered, which the same state may have several of. */
  #stateOf(snapshot: AnyMachineSnapshot): number {
    let key = "";
    for (const { id } of snapshot._nodes) key += `${id} `;
    let state = this.#states.get(key);
    if (state === undefined) {
      state = this.#options.history.stateOf(activeIds(snapshot));
      this.#states.set(key, state);
    }
    return state;
  }

  #actionsOf(
    transitions: readonly AnyTransitionDefinition[],
    edges: readonly string[],
    before: number,
  ): readonly string[] {
    if (edges.length === 0) return [];
    const key = `${before} ${this.#state} ${edges.join(" ")}`;
    let actions = this.#actions.get(key);
    if (!actions) {
      const { states } = this.#options.history;
      actions = this.#index.actionsOf(transitions, states[before] ?? [], states[this.#state] ?? []);
      this.#actions.set(key, actions);
    }
    return actions;
  }

  /** A value as it may leave the process. */
  readonly show = (value: unknown): Json => {
    const { history } = this.#options;
    const keep = (sha: string, text: string): void => history.blobs.keep(sha, String(this.#redacted(text)));
    return this.#redacted(encode(value, { keep }));
  };

  #preview({ type: _, ...carried }: { readonly type: string }): Json {
    return this.#redacted(encode(carried, { limits: PREVIEW }));
  }

  #redacted(value: Json): Json {
    const { redact } = this.#options;
    if (!redact) return value;
    try {
      return redact(value) ?? null;
    } catch {
      return REDACTED;
    }
  }
}
