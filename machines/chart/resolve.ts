import type { ChartDefinition, Effect, Refusal } from "./definition.ts";
import {
  commonParent,
  contains,
  firstOf,
  matches,
  nodesOf,
  type Action,
  type Node,
  type Transition,
} from "./nodes.ts";

type Event = { readonly type: string };

/** What one event makes of a session: one macrostep of the chart, as data. */
export type Step<Context> = {
  /** The state that the session is in now; undefined if no state was left. */
  readonly move: Move | undefined;
  readonly context: Context;
  /** In the order in which they are to happen. */
  readonly effects: readonly Effect[];
  /** Ids of the edges taken, in order: that of the event, then one for each decision on the way. */
  readonly edges: readonly string[];
  /** Names of the actions that ran, in order. */
  readonly actions: readonly string[];
  /** Set if the event was refused: then nothing has changed. */
  readonly refused: Refusal | undefined;
};

/** Paths of states, as "reasoning.calling.running". */
export type Move = {
  readonly target: string;
  /** The innermost state that was not left; empty for the root. */
  readonly within: string;
};

type Draft<Context> = {
  context: Context;
  /** True once `context` is a copy of its own, which nobody else has. */
  isCopy: boolean;
  readonly effects: Effect[];
  readonly edges: string[];
  readonly actions: string[];
  refused: Refusal | undefined;
};

const draftOf = <Context>(context: Context): Draft<Context> => ({
  context,
  isCopy: false,
  effects: [],
  edges: [],
  actions: [],
  refused: undefined,
});

const stepOf = <Context>(
  { context, effects, edges, actions, refused }: Draft<Context>,
  move: Move | undefined,
): Step<Context> => ({ move, context, effects, edges, actions, refused });

/** Decisions in one macrostep beyond which the chart counts as running in circles. */
const MAX_DECISIONS = 100;

/**
 * A chart as a pure function: what each event leads to from each state. The engine asks it what to do, the explorer and the
 * tests walk it, and nothing else decides.
 */
export class Resolver<Context extends object> {
  readonly chart: ChartDefinition<Context>;
  readonly nodes: ReadonlyMap<string, Node<Context>>;
  readonly #byPath: ReadonlyMap<string, Node<Context>>;

  constructor(chart: ChartDefinition<Context>) {
    this.chart = chart;
    this.nodes = nodesOf(chart);
    this.#byPath = new Map([...this.nodes.values()].map((node) => [node.path, node]));
  }

  /** The node of a path, as "reasoning.calling". Throws an Error if the chart has none. */
  node(path: string): Node<Context> {
    const node = this.#byPath.get(path);
    if (!node) throw new Error(`The chart '${this.chart.id}' has no state '${path}'.`);
    return node;
  }

  /** A session that begins with this context. */
  begin(context: Context): Step<Context> {
    const draft: Draft<Context> = draftOf(context);
    const event = { type: "xstate.init" };
    const state = firstOf(this.nodes, this.node(""));
    enter(undefined, state, draft, event);
    return stepOf(draft, { target: state.path, within: "" });
  }

  /** What an event makes of a session in the state `path`; undefined if no edge is for it. */
  next(path: string, context: Context, event: Event): Step<Context> | undefined {
    const source = this.node(path);
    for (let node: Node<Context> | undefined = source; node; node = node.parent) {
      const transition = firstThatHolds(transitionsFor(node, event.type), context, event);
      if (transition) return this.#take(source, transition, context, event);
    }
    return undefined;
  }

  /** Why an event would be refused, judged without running anything; undefined if it would be accepted. */
  refusal(path: string, context: Context, event: Event): Refusal | undefined {
    for (let node: Node<Context> | undefined = this.node(path); node; node = node.parent) {
      const transition = firstThatHolds(transitionsFor(node, event.type), context, event);
      if (transition)
        return transition.refuse === undefined ? undefined : this.#refusal(transition.refuse, context, event);
    }
    return undefined;
  }

  #refusal(name: string, context: Context, event: Event): Refusal {
    return this.chart.vocabulary.refusals[name]!(context, event as never);
  }

  #take(
    source: Node<Context>,
    transition: Transition<Context>,
    before: Context,
    event: Event,
  ): Step<Context> {
    const draft: Draft<Context> = draftOf(before);
    const { target, reenter } = this.#follow(transition, draft, event);
    const first = target === undefined ? undefined : this.nodes.get(target)!;
    if (!first || (first === source && !reenter)) return stepOf(draft, undefined);
    const { state, within } = this.#settle(first, commonParent(source, first), draft, event);
    this.#leave(source, within, before, draft, event);
    enter(within, state, draft, event);
    return stepOf(draft, { target: state.path, within: within.path });
  }

  /** Takes a transition and, where it chooses after its actions, the branch whose guard holds. */
  #follow(transition: Transition<Context>, draft: Draft<Context>, event: Event): Transition<Context> {
    run(transition.actions, draft, event);
    if (transition.choose.length > 0)
      return this.#follow(firstThatHolds(transition.choose, draft.context, event)!, draft, event);
    draft.edges.push(transition.edge);
    if (transition.refuse !== undefined)
      draft.refused = this.#refusal(transition.refuse, draft.context, event);
    return transition;
  }

  /** Goes on through initial states and decisions to a state. `within` is the innermost state that was not left so far. */
  #settle(
    node: Node<Context>,
    within: Node<Context>,
    draft: Draft<Context>,
    event: Event,
  ): { readonly state: Node<Context>; readonly within: Node<Context> } {
    let at = firstOf(this.nodes, node);
    let left = within;
    for (let count = 0; count < MAX_DECISIONS; count++) {
      if (at.kind === "state") return { state: at, within: left };
      run(at.entry, draft, event);
      const transition = firstThatHolds(at.decide, draft.context, event)!;
      const next = this.nodes.get(this.#follow(transition, draft, event).target!)!;
      const common = commonParent(at, next);
      if (contains(common, left)) left = common;
      at = firstOf(this.nodes, next);
    }
    throw new Error(`The chart '${this.chart.id}' runs in circles at ${at.id}.`);
  }

  /** What happens on leaving comes before all else of the step, and sees the context of before. */
  #leave(
    source: Node<Context>,
    within: Node<Context>,
    before: Context,
    draft: Draft<Context>,
    event: Event,
  ): void {
    let exit: Draft<Context> | undefined;
    for (let node = source; node !== within; node = node.parent!)
      if (node.exit.length > 0) run(node.exit, (exit ??= draftOf(before)), event);
    if (!exit) return;
    draft.effects.unshift(...exit.effects);
    draft.actions.unshift(...exit.actions);
  }
}

/** Runs the entry actions of the states from `within`, which is not entered, to `state`. */
function enter<Context extends object>(
  within: Node<Context> | undefined,
  state: Node<Context> | undefined,
  draft: Draft<Context>,
  event: Event,
): void {
  if (!state || state === within) return;
  enter(within, state.parent, draft, event);
  run(state.entry, draft, event);
}

function run<Context extends object>(
  actions: readonly Action<Context>[],
  draft: Draft<Context>,
  event: Event,
): void {
  for (const { name, params, update, effects } of actions) {
    draft.actions.push(name);
    if (update) {
      const change = update(draft.context, event, params);
      if (!draft.isCopy) draft.context = { ...draft.context };
      draft.isCopy = true;
      Object.assign(draft.context, change);
    } else draft.effects.push(...effects(draft.context, event, params));
  }
}

function firstThatHolds<Context>(
  transitions: readonly Transition<Context>[],
  context: Context,
  event: Event,
): Transition<Context> | undefined {
  for (const transition of transitions) {
    const { guard } = transition;
    if (!guard || guard.judge(context, event, guard.params)) return transition;
  }
  return undefined;
}

/** The transitions that a node has for events of a type, the most specific descriptor first. */
function transitionsFor<Context>(
  { on, wildcards }: Node<Context>,
  type: string,
): readonly Transition<Context>[] {
  const exact = on.get(type);
  if (exact || wildcards.length === 0) return exact ?? [];
  return wildcards.filter((each) => matches(each, type)).flatMap((each) => on.get(each)!);
}
