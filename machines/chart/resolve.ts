import type { ChartDefinition, Effect, Refusal } from "./definition.ts";
import { firstOf, matches, nodesOf, pathTo, type Action, type Node, type Transition } from "./nodes.ts";

type Event = { readonly type: string };

/** The effect of one event on a session: one macrostep of the chart, as data. */
export type Step<Context> = {
  /** The path of the state that the session is in now, as "reasoning.calling.running". */
  readonly path: string;
  readonly context: Context;
  /** Everything that is to happen, in order; the services of the states that are left and entered are among it. */
  readonly effects: readonly Effect[];
  /** Ids of the edges taken, in order: that of the event, then one for each decision on the way. */
  readonly edges: readonly string[];
  /** Names of the actions that ran, in order. */
  readonly actions: readonly string[];
  /** The effects of the updates, as they have declared them, in order. */
  readonly facts: readonly object[];
  /** Set if the event was refused: then nothing has changed. */
  readonly refused: Refusal | undefined;
};

type Draft<Context> = {
  context: Context;
  /** True while `context` is a copy that nobody else has: an effect may keep what it is given. */
  isCopy: boolean;
  /** The number of updates that ran. */
  updates: number;
  readonly effects: Effect[];
  readonly edges: string[];
  readonly actions: string[];
  readonly facts: object[];
  refused: Refusal | undefined;
};

const draftOf = <Context>(context: Context): Draft<Context> => ({
  context,
  isCopy: false,
  updates: 0,
  effects: [],
  edges: [],
  actions: [],
  facts: [],
  refused: undefined,
});

const stepOf = <Context>(
  { context, effects, edges, actions, facts, refused }: Draft<Context>,
  { path }: Node<Context>,
): Step<Context> => ({ path, context, effects, edges, actions, facts, refused });

/** Microsteps in one macrostep beyond which the chart counts as running in circles. */
export const MAX_MICROSTEPS = 100;

/**
 * A chart as a pure function from a state and an event to the next state. It follows the rules of XState 5 for the configuration that is
 * made of the chart. The accelerator asks it what to do, and the explorer and the tests walk it.
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
    const first = firstOf(this.nodes, this.node(""));
    enter(pathTo(first, undefined), draft, { type: "xstate.init" });
    return stepOf(draft, first);
  }

  /** Returns the effect of an event on a session in the state `path`; undefined if no edge is for it. */
  next(path: string, context: Context, event: Event): Step<Context> | undefined {
    const leaf = this.node(path);
    const transition = transitionOf(leaf, context, event);
    return transition && this.#macrostep(leaf, transition, context, event);
  }

  /** Returns the reason for which an event would be refused, judged without running anything; undefined if it would be accepted. */
  refusal(path: string, context: Context, event: Event): Refusal | undefined {
    const { refuse } = transitionOf(this.node(path), context, event) ?? {};
    return refuse === undefined ? undefined : this.#refusal(refuse, context, event);
  }

  #refusal(name: string, context: Context, event: Event): Refusal {
    return this.chart.vocabulary.refusals[name]!(context, event as never);
  }

  /** Takes the transition of an event, and then those of the decisions that it leads to. */
  #macrostep(
    leaf: Node<Context>,
    transition: Transition<Context>,
    before: Context,
    event: Event,
  ): Step<Context> {
    const draft: Draft<Context> = draftOf(before);
    let at = this.#microstep(leaf, transition, draft, event);
    for (let count = 1; at.kind === "decision"; count++) {
      if (count === MAX_MICROSTEPS)
        throw new Error(`The chart '${this.chart.id}' runs in circles at ${at.id}.`);
      const { updates, effects } = draft;
      const { length } = effects;
      const next = this.#microstep(at, firstThatHolds(at.decide, draft.context, event)!, draft, event);
      // XState asks no more where nothing has changed
      if (next === at && draft.updates === updates && !effects.slice(length).some(isOfService)) break;
      at = next;
    }
    return stepOf(draft, at);
  }

  /** Leaves states, runs the actions of a transition, and enters states. Returns the innermost one that is active then. */
  #microstep(
    leaf: Node<Context>,
    transition: Transition<Context>,
    draft: Draft<Context>,
    event: Event,
  ): Node<Context> {
    const taken = transition.choose.length > 0 ? this.#chosen(leaf, transition, draft, event) : transition;
    const { route } = taken;
    if (taken === transition) {
      if (route) leave(leaf, route.domain, draft, event);
      this.#follow(transition, draft, event);
    }
    if (!route) return leaf;
    enter(route.entered, draft, event);
    return route.leaf;
  }

  /** Follows a transition whose target its actions decide. The states are left before them, and see the context of before. */
  #chosen(
    leaf: Node<Context>,
    transition: Transition<Context>,
    draft: Draft<Context>,
    event: Event,
  ): Transition<Context> {
    draft.isCopy = false;
    const left = { ...draft, effects: [], actions: [] };
    const { length: effects } = draft.effects;
    const { length: actions } = draft.actions;
    const taken = this.#follow(transition, draft, event);
    if (taken.route) leave(leaf, taken.route.domain, left, event);
    draft.effects.splice(effects, 0, ...left.effects);
    draft.actions.splice(actions, 0, ...left.actions);
    return taken;
  }

  /** Runs the actions of a transition and, where it chooses after its actions, takes the branch whose guard holds. */
  #follow(transition: Transition<Context>, draft: Draft<Context>, event: Event): Transition<Context> {
    run(transition.actions, draft, event);
    if (transition.choose.length > 0)
      return this.#follow(firstThatHolds(transition.choose, draft.context, event)!, draft, event);
    draft.edges.push(transition.edge);
    if (transition.refuse !== undefined)
      draft.refused = this.#refusal(transition.refuse, draft.context, event);
    return transition;
  }
}

const isOfService = ({ type }: Effect): boolean => type !== "host";

/** Runs the effects of leaving the states from `leaf` to `domain`, which stays. */
function leave<Context extends object>(
  leaf: Node<Context>,
  domain: Node<Context> | undefined,
  draft: Draft<Context>,
  event: Event,
): void {
  for (let node: Node<Context> | undefined = leaf; node && node !== domain; node = node.parent) {
    run(node.exit, draft, event);
    for (const { id } of node.services) draft.effects.push({ type: "stop", id });
  }
}

/** Runs the entry actions and starts the services of states. */
function enter<Context extends object>(
  states: readonly Node<Context>[],
  draft: Draft<Context>,
  event: Event,
): void {
  for (const { entry, services } of states) {
    run(entry, draft, event);
    for (const { src, id, input } of services)
      draft.effects.push({ type: "spawn", src, id, input: input(draft.context) });
    if (services.length > 0) draft.isCopy = false;
  }
}

function run<Context extends object>(
  actions: readonly Action<Context>[],
  draft: Draft<Context>,
  event: Event,
): void {
  for (const action of actions) act(action, draft, event);
}

function act<Context extends object>(
  { name, params, update, effects }: Action<Context>,
  draft: Draft<Context>,
  event: Event,
): void {
  draft.actions.push(name);
  if (update) {
    const change = update(draft.context, event, params);
    if (!draft.isCopy) draft.context = { ...draft.context };
    draft.isCopy = true;
    draft.updates++;
    assignTo(draft.context, change);
    if (change.facts) draft.facts.push(...change.facts);
  } else {
    draft.effects.push(...effects(draft.context, event, params));
    draft.isCopy = false;
  }
}

/** Assigns a change to a context, but for its facts. */
function assignTo(context: object, change: { readonly [field: string]: unknown }): void {
  const fields = context as { [field: string]: unknown };
  for (const field in change) if (field !== "facts") fields[field] = change[field];
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

/** The transition that a state takes for an event: its own, or that of the nearest state around it that has one. */
function transitionOf<Context>(
  leaf: Node<Context>,
  context: Context,
  event: Event,
): Transition<Context> | undefined {
  for (let node: Node<Context> | undefined = leaf; node; node = node.parent) {
    const own = ownTransition(node, context, event);
    if (own) return own;
  }
  return undefined;
}

/** The transition that a node has for an event: of the event's own type, else of the longest pattern that matches it. */
function ownTransition<Context>(
  { on, wildcards }: Node<Context>,
  context: Context,
  event: Event,
): Transition<Context> | undefined {
  const { type } = event;
  const exact = on.get(type);
  const found = exact && firstThatHolds(exact, context, event);
  if (found) return found;
  for (const pattern of wildcards) {
    if (pattern === type || !matches(pattern, type)) continue;
    const wider = firstThatHolds(on.get(pattern)!, context, event);
    if (wider) return wider;
  }
  return undefined;
}
