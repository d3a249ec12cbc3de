import type { AnyStateMachine } from "xstate";
import { perObject, type JsonObject } from "../../core/base/json.ts";
import { chartHash } from "../../core/diagram/chart-hash.ts";
import { chartJson, edgeIdsOf, type Chart, type ChartName } from "../../core/diagram/chart-json.ts";
import type { ChartVersion } from "../protocol/chart-version.ts";
import { ACTOR_STATUSES, type ActorStatus } from "../protocol/actor-info.ts";
import { foreignJson, PAYLOAD_LIMITS } from "./foreign-value.ts";

/** The chart of an actor, and how what XState tells of it is found there. */
export type ActorChart = ChartVersion & {
  /** The id of a transition's edge; undefined for one that the chart does not have. */
  edgeOf(transition: object): string | undefined;
  /** Returns the edge of a step that took one transition between two configurations. It is another one if a function decides the target, as
   *  XState 6 allows: the chart has it from then on. */
  learnt(edge: string, before: readonly string[], now: readonly string[]): string;
  /** The ids of the active states of a snapshot, outermost first. */
  statesOf(snapshot: ActorSnapshot): readonly string[];
};

/** The part of a snapshot that is read. */
export type ActorSnapshot = {
  readonly status?: unknown;
  readonly value?: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly children?: unknown;
};

/** A state says at most this of itself, in characters. */
const MAX_DESCRIPTION = 1_000;

/** An id has at most about so many characters. */
const MAX_ID = 2_000;

/** The transitions that are learnt of a machine. */
const MAX_LEARNT = 100;

/** Returns the chart of a machine, which is made once for each. */
export const machineChart = perObject((machine: AnyStateMachine): ActorChart => new MachineChart(machine));

/** The chart of a machine, which grows by the transitions that are learnt. */
class MachineChart implements ActorChart {
  chart: Chart;
  hash: string;
  readonly #machine: AnyStateMachine;
  readonly #edges: ReadonlyMap<object, string>;
  /** The edges of transitions that are functions, by their ids. */
  readonly #functions: ReadonlyMap<string, Chart["edges"][number]>;
  readonly #learnt = new Set<string>();
  readonly #names = new ShortNames();

  constructor(machine: AnyStateMachine) {
    this.#machine = machine;
    this.#edges = new Map([...edgeIdsOf(machine)].map(([edge, id]) => [edge, this.#names.short(id)]));
    this.chart = bounded(chartJson(machine), this.#names);
    this.hash = chartHash(this.chart);
    const decided = new Set(
      [...this.#edges].flatMap(([{ to }, id]: readonly [{ readonly to?: unknown }, string]) =>
        typeof to === "function" ? [id] : [],
      ),
    );
    this.#functions = new Map(
      this.chart.edges.filter(({ id }) => decided.has(id)).map((edge) => [edge.id, edge]),
    );
  }

  edgeOf(transition: object): string | undefined {
    return this.#edges.get(transition);
  }

  statesOf({ value }: ActorSnapshot): readonly string[] {
    const ids = activeStates(this.#machine, value);
    return this.#names.isUsed ? ids.map((id) => this.#names.short(id)) : ids;
  }

  learnt(id: string, before: readonly string[], now: readonly string[]): string {
    const edge = this.#functions.get(id);
    const entered = now.filter((each) => !before.includes(each));
    const isOne = entered.every((each, at) => at === 0 || this.#parentOf(each) === entered[at - 1]);
    const target = isOne ? entered.at(-1) : entered[0]; // of several regions the state around them
    if (!edge || target === undefined) return id;
    const learntId = `${id}>${target}`;
    if (this.#learnt.has(learntId)) return learntId;
    if (this.#learnt.size >= MAX_LEARNT) return id;
    this.#learnt.add(learntId);
    const learnt = {
      ...edge,
      id: learntId,
      targets: [target],
      guard: { name: "learnt" },
      learnt: true,
    } as const;
    this.chart = { ...this.chart, edges: [...this.chart.edges, learnt] };
    this.hash = chartHash(this.chart);
    return learntId;
  }

  #parentOf(id: string): string | undefined {
    return this.chart.nodes.find((node) => node.id === id)?.parent;
  }
}

/** Short names for the long ones of a chart. Its ids are sent with each step, and the hub takes no text without a limit. */
class ShortNames {
  readonly #short = new Map<string, string>();

  get isUsed(): boolean {
    return this.#short.size > 0;
  }

  short(text: string): string {
    if (text.length <= MAX_ID) return text;
    const short = this.#short.get(text) ?? `${text.slice(0, MAX_ID)}…${this.#short.size + 1}`;
    this.#short.set(text, short);
    return short;
  }
}

/** The chart without secrets, and of bounded size. */
function bounded({ id, nodes, edges }: Chart, names: ShortNames): Chart {
  const short = (text: string): string => names.short(text);
  const name = ({ name: of, params, after }: ChartName): ChartName => ({
    name: of.slice(0, MAX_DESCRIPTION),
    ...(after && { after: after.map((each) => each.slice(0, MAX_DESCRIPTION)) }),
    ...(params && { params: foreignJson(params, PAYLOAD_LIMITS) as JsonObject }),
  });
  return {
    id: short(id),
    nodes: nodes.map(({ description, ...node }) => ({
      ...node,
      id: short(node.id),
      key: short(node.key),
      ...(node.parent !== undefined && { parent: short(node.parent) }),
      ...(node.initial !== undefined && { initial: short(node.initial) }),
      invoke: node.invoke.map(short),
      ...(typeof description === "string" && { description: description.slice(0, MAX_DESCRIPTION) }),
      tags: node.tags.map(String).map((tag) => tag.slice(0, MAX_DESCRIPTION)),
      entry: node.entry.map(name),
      exit: node.exit.map(name),
    })),
    edges: edges.map(({ guard, ...edge }) => ({
      ...edge,
      id: short(edge.id),
      source: short(edge.source),
      targets: edge.targets.map(short),
      event: short(edge.event),
      ...(guard && { guard: name(guard) }),
      actions: edge.actions.map(name),
    })),
  };
}

/** Returns the ids of the states of a machine that the value of a snapshot says are active, outermost first. */
export function activeStates({ root }: AnyStateMachine, value: unknown): readonly string[] {
  const ids = [root.id];
  const add = (states: AnyStateMachine["root"]["states"], inner: unknown): void => {
    const entries = typeof inner === "string" ? [[inner, undefined] as const] : Object.entries(inner ?? {});
    for (const [key, below] of entries) {
      const state = Object.hasOwn(states, key) ? states[key] : undefined;
      if (!state) continue;
      ids.push(state.id);
      add(state.states, below);
    }
  };
  add(root.states, value);
  return ids;
}

/** Returns the status that a snapshot says. */
export function statusOf({ status }: ActorSnapshot): ActorStatus {
  if (status === "active") return status;
  return ACTOR_STATUSES.find((each) => each === status) ?? "active";
}

/** Returns the chart of an actor that is not a machine: it is active until it is done, fails or is stopped. */
export function statusChart(kind: string): ActorChart {
  const leaf = { tags: [], entry: [], exit: [], invoke: [] } as const;
  const idOf = (status: ActorStatus): string => `${kind}.${status}`;
  const chart: Chart = {
    id: kind,
    nodes: [
      { id: kind, key: kind, type: "compound", initial: idOf("active"), ...leaf },
      ...ACTOR_STATUSES.map((status) => ({
        id: idOf(status),
        key: status,
        parent: kind,
        type: status === "active" ? ("atomic" as const) : ("final" as const),
        ...leaf,
      })),
    ],
    edges: ACTOR_STATUSES.slice(1).map((status) => ({
      id: `${idOf("active")}|${status}|0`,
      source: idOf("active"),
      targets: [idOf(status)],
      kind: "event" as const,
      event: status,
      actions: [],
      reenter: false,
    })),
  };
  return {
    chart,
    hash: chartHash(chart),
    edgeOf: () => undefined,
    learnt: (edge) => edge,
    statesOf: (snapshot) => [kind, idOf(statusOf(snapshot))],
  };
}
