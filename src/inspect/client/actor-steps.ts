import type { AnyStateMachine } from "xstate";
import { guarded } from "../../core/base/guarded.ts";
import type { Json, JsonObject } from "../../core/base/json.ts";
import type { ActorStatus } from "../protocol/actor-info.ts";
import { quoteKey } from "../protocol/encode.ts";
import type { ActorChart, ActorSnapshot } from "./actor-chart.ts";
import type { History } from "./history.ts";
import { mayBePreempted, preemptedOf } from "./preempted.ts";
import type { StepBudget } from "./step-budget.ts";

/** The transitions of a microstep, and the snapshots around it. XState 6 tells those of all microsteps at once, and no snapshot `after`. */
export type Microstep = {
  readonly transitions: readonly object[];
  readonly before: ActorSnapshot;
  readonly after: ActorSnapshot | undefined;
};

/** An event that an actor has processed. Nothing in it changes later: the parts that a program may change have been read. */
type NotedStep = {
  readonly type: string;
  /** Epoch ms. */
  readonly at: number;
  /** The place among the events of the system, and the run of the sender. */
  readonly order: number;
  readonly from: string | undefined;
  /** The actor's events before it that were not recorded. */
  readonly omitted: number;
  readonly payload: Json | undefined;
  readonly microsteps: readonly Microstep[];
  readonly actions: readonly string[];
  /** The value of the snapshot, of a machine. */
  readonly value: unknown;
  readonly status: ActorStatus;
  /** The JSON of the changes of the context; undefined if it was not read. */
  readonly changes: string | undefined;
  readonly error: Json | undefined;
};

/** The parts of an actor's record that its steps need. */
type ActorParts = {
  readonly history: History;
  readonly budget: StepBudget;
  /** Keeps the context that is shown after the newest step, and returns what returns it. */
  readonly keep: () => () => JsonObject;
};

/** The states of a snapshot, and their index in the history. */
type Configuration = { readonly states: readonly string[]; readonly index: number };

/** An empty list. */
export const NOTHING: readonly never[] = [];
/** Steps that wait to be written. */
const MAX_WAITING = 128;
/** The configurations that are found by the value of a snapshot. */
const MAX_CONFIGURATIONS = 200;

/**
 * The steps of an actor. They are noted one by one and written several at once: a process that does something else between two events finds
 * nothing of the writing in its caches.
 */
export class ActorSteps {
  readonly #chart: ActorChart;
  readonly #machine: AnyStateMachine | undefined;
  readonly #history: History;
  readonly #budget: StepBudget;
  readonly #keep: ActorParts["keep"];
  #waiting: NotedStep[] = [];
  #status: ActorStatus | undefined;
  /** The states after the newest step; undefined after one that is not recorded. */
  #states: readonly string[] | undefined = NOTHING;
  /** By the JSON of the value of the snapshot, or by the status of an actor that is not a machine. */
  readonly #configurations = new Map<string, Configuration>();

  constructor(chart: ActorChart, machine: AnyStateMachine | undefined, parts: ActorParts) {
    this.#chart = chart;
    this.#machine = machine;
    this.#history = parts.history;
    this.#budget = parts.budget;
    this.#keep = parts.keep;
  }

  get hasBegun(): boolean {
    return this.#waiting.length > 0 || this.#history.last > 0;
  }

  note(step: NotedStep): void {
    this.#waiting.push(step);
    if (this.#waiting.length >= MAX_WAITING) this.#write(); // the time of the event counts as a whole
  }

  /** Writes the steps that were noted to the history. */
  write(): void {
    if (this.#waiting.length > 0) this.#budget.timed(() => this.#write());
  }

  #write(): void {
    const steps = this.#waiting;
    this.#waiting = [];
    for (const each of steps) guarded(() => this.#push(each));
    this.#history.settle(this.#keep);
  }

  /** The states of a snapshot, outermost first. */
  statesOf(value: unknown, status: ActorStatus): readonly string[] {
    return this.#configurationOf(value, status).states;
  }

  #push(step: NotedStep): void {
    const { type, at, order, from, omitted, payload, actions, value, status, changes, error } = step;
    const history = this.#history;
    const { edges, preempted, isWhole, isOpen } = this.#read(step.microsteps);
    if (!this.#machine && this.#status !== undefined && status !== this.#status)
      edges.push(`${this.#chart.chart.id}.active|${status}|0`);
    this.#status = status;
    if (omitted > 0) this.#states = undefined;
    const { states, index } = this.#configurationOf(value, status);
    if (edges.length === 1 && this.#states) edges[0] = this.#chart.learnt(edges[0]!, this.#states, states);
    this.#states = states;
    // built by hand: this runs for every event of a program
    let text = `{"q":${history.last + 1},"t":${at},"m":${history.elapsedAt(at)},"e":${quoteKey(type)}`;
    text += `,"x":${listJson(edges)},"s":${index},"a":{"n":${order}`;
    if (from !== undefined) text += `,"f":${quoteKey(from)}`;
    if (omitted > 0) text += `,"o":${omitted}`;
    if (changes === undefined) text += `,"h":1`;
    if (!isWhole) text += `,"u":1`;
    if (preempted) text += `,"p":${JSON.stringify(preempted)}`;
    if (isOpen) text += `,"w":1`;
    if (error !== undefined) text += `,"z":${JSON.stringify(error)}`;
    text += "}";
    if (actions.length > 0) text += `,"k":${listJson(actions)}`;
    if (payload !== undefined) text += `,"v":${JSON.stringify(payload)}`;
    if (changes !== undefined && changes !== "") text += `,"p":[${changes}]`;
    history.push(`${text}}`);
  }

  /** Reads which edges were taken, and which were selected and not taken, each with its place among the others. It is whole if all
   *  transitions are told, be they none, and open if it is not known which of them were preempted. */
  #read(microsteps: readonly Microstep[]): {
    readonly edges: string[];
    readonly preempted: readonly (readonly [at: number, edge: string])[] | undefined;
    readonly isWhole: boolean;
    readonly isOpen: boolean;
  } {
    const machine = this.#machine;
    const edges: string[] = [];
    let preempted: (readonly [at: number, edge: string])[] | undefined;
    let isWhole = microsteps.length > 0 || !machine;
    let isOpen = false;
    for (const { transitions, before, after } of microsteps) {
      const isSeveral = transitions.length > 1;
      if (isSeveral && !after) isOpen = guarded(() => mayBePreempted(transitions)) !== false;
      const lost =
        isSeveral && after && machine && transitions.filter(hasTarget).length > 1
          ? guarded(() => preemptedOf(machine, transitions, before))
          : undefined;
      for (const transition of transitions) {
        const id = this.#chart.edgeOf(transition);
        if (id === undefined) isWhole &&= !machine;
        else if (lost?.has(transition)) (preempted ??= []).push([edges.length, id]);
        else edges.push(id);
      }
    }
    return { edges, preempted, isWhole, isOpen };
  }

  #configurationOf(value: unknown, status: ActorStatus): Configuration {
    const key = this.#machine ? keyOf(value) : status;
    const known = key === undefined ? undefined : this.#configurations.get(key);
    if (known) return known;
    const states = guarded(() => this.#chart.statesOf({ value, status })) ?? NOTHING;
    const made = { states, index: this.#history.stateOf(states) };
    if (this.#configurations.size >= MAX_CONFIGURATIONS) this.#configurations.clear();
    if (key !== undefined) this.#configurations.set(key, made);
    return made;
  }
}

/** The JSON of the value of a snapshot; undefined if it has none. */
function keyOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** True for a transition that may leave states. */
const hasTarget = (transition: object): boolean =>
  (transition as { readonly target?: unknown }).target !== undefined;

function listJson(names: readonly string[]): string {
  let text = "";
  for (const name of names) text += `${text === "" ? "" : ","}${quoteKey(name)}`;
  return `[${text}]`;
}
