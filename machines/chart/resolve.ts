import type { ChartDefinition, Effect, Refusal } from "./definition.ts";
import {
  commonParent,
  contains,
  firstOf,
  matches,
  nodesOf,
  type Named,
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

type Implementation<Context> = (context: Context, event: Event, params: unknown) => unknown;

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
    this.#enter(undefined, state, draft, event);
    return stepOf(draft, { target: state.path, within: "" });
  }

  /** What an event makes of a session in the state `path`; undefined if no edge is for it. */
  next(path: string, context: Context, event: Event): Step<Context> | undefined {
    const source = this.node(path);
    for (let node: Node<Context> | undefined = source; node; node = node.parent) {
      for (const transition of transitionsFor(node, event.type)) {
        if (this.#holds(transition.guard, context, event))
          return this.#take(source, transition, context, event);
      }
    }
    return undefined;
  }

  /** Why an event would be refused, judged without running anything; undefined if it would be accepted. */
  refusal(path: string, context: Context, event: Event): Refusal | undefined {
    for (let node: Node<Context> | undefined = this.node(path); node; node = node.parent) {
      const transition = transitionsFor(node, event.type).find(({ guard }) =>
        this.#holds(guard, context, event),
      );
      if (transition)
        return transition.refuse === undefined ? undefined : this.#refusal(transition.refuse, context, event);
    }
    return undefined;
  }

  #refusal(name: string, context: Context, event: Event): Refusal {
    return this.chart.vocabulary.refusals[name]!(context, event as never);
  }

  #take(source: Node<Context>, transition: Transition, before: Context, event: Event): Step<Context> {
    const draft: Draft<Context> = draftOf(before);
    const { target, reenter } = this.#follow(transition, draft, event);
    const first = target === undefined ? undefined : this.nodes.get(target)!;
    if (!first || (first === source && !reenter)) return stepOf(draft, undefined);
    const { state, within } = this.#settle(first, commonParent(source, first), draft, event);
    this.#leave(source, within, before, draft, event);
    this.#enter(within, state, draft, event);
    return stepOf(draft, { target: state.path, within: within.path });
  }

  /** Takes a transition and, where it chooses after its actions, the branch whose guard holds. */
  #follow(transition: Transition, draft: Draft<Context>, event: Event): Transition {
    for (const action of transition.actions) this.#run(action, draft, event);
    if (transition.choose.length > 0) {
      const branch = transition.choose.find(({ guard }) => this.#holds(guard, draft.context, event))!;
      return this.#follow(branch, draft, event);
    }
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
      for (const action of at.entry) this.#run(action, draft, event);
      const transition = at.decide.find(({ guard }) => this.#holds(guard, draft.context, event))!;
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
    const exit = draftOf(before);
    for (let node = source; node !== within; node = node.parent!)
      for (const action of node.exit) this.#run(action, exit, event);
    draft.effects.unshift(...exit.effects);
    draft.actions.unshift(...exit.actions);
  }

  #enter(within: Node<Context> | undefined, state: Node<Context>, draft: Draft<Context>, event: Event): void {
    const entered: Node<Context>[] = [];
    for (let node: Node<Context> | undefined = state; node && node !== within; node = node.parent)
      entered.unshift(node);
    for (const node of entered) for (const action of node.entry) this.#run(action, draft, event);
  }

  #run({ name, params }: Named, draft: Draft<Context>, event: Event): void {
    const { updates, effects } = this.chart.vocabulary;
    draft.actions.push(name);
    const update = updates[name] as Implementation<Context> | undefined;
    if (update) {
      const change = update(draft.context, event, params) as Partial<Context>;
      if (draft.isCopy) Object.assign(draft.context, change);
      else draft.context = { ...draft.context, ...change };
      draft.isCopy = true;
    } else {
      const effect = effects[name] as Implementation<Context>;
      draft.effects.push(...(effect(draft.context, event, params) as readonly Effect[]));
    }
  }

  #holds(guard: Named | undefined, context: Context, event: Event): boolean {
    if (!guard) return true;
    const judge = this.chart.vocabulary.guards[guard.name] as Implementation<Context>;
    return judge(context, event, guard.params) === true;
  }
}

/** The transitions that a node has for events of a type, the most specific descriptor first. */
function transitionsFor<Context>({ on, wildcards }: Node<Context>, type: string): readonly Transition[] {
  const exact = on.get(type);
  if (exact || wildcards.length === 0) return exact ?? [];
  return wildcards.filter((each) => matches(each, type)).flatMap((each) => on.get(each)!);
}
