import { withoutFacts, type ChartDefinition, type Effect, type Refusal } from "./definition.ts";
import { contains, firstOf, matches, nodesOf, type Action, type Node, type Transition } from "./nodes.ts";

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
  /** True once `context` is a copy of its own, which nobody else has. */
  isCopy: boolean;
  readonly effects: Effect[];
  readonly edges: string[];
  readonly actions: string[];
  readonly facts: object[];
  refused: Refusal | undefined;
};

const draftOf = <Context>(context: Context): Draft<Context> => ({
  context,
  isCopy: false,
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
    enter(undefined, first, draft, { type: "xstate.init" });
    return stepOf(draft, first);
  }

  /** Returns the effect of an event on a session in the state `path`; undefined if no edge is for it. */
  next(path: string, context: Context, event: Event): Step<Context> | undefined {
    const leaf = this.node(path);
    for (let node: Node<Context> | undefined = leaf; node; node = node.parent) {
      const transition = transitionOf(node, context, event);
      if (transition) return this.#macrostep(leaf, node, transition, context, event);
    }
    return undefined;
  }

  /** Returns the reason for which an event would be refused, judged without running anything; undefined if it would be accepted. */
  refusal(path: string, context: Context, event: Event): Refusal | undefined {
    for (let node: Node<Context> | undefined = this.node(path); node; node = node.parent) {
      const transition = transitionOf(node, context, event);
      if (transition)
        return transition.refuse === undefined ? undefined : this.#refusal(transition.refuse, context, event);
    }
    return undefined;
  }

  #refusal(name: string, context: Context, event: Event): Refusal {
    return this.chart.vocabulary.refusals[name]!(context, event as never);
  }

  /** Takes the transition of an event, and then those of the decisions that it leads to. */
  #macrostep(
    leaf: Node<Context>,
    source: Node<Context>,
    transition: Transition<Context>,
    before: Context,
    event: Event,
  ): Step<Context> {
    const draft: Draft<Context> = draftOf(before);
    let at = this.#microstep(leaf, source, transition, draft, event);
    for (let count = 1; at.kind === "decision"; count++) {
      if (count === MAX_MICROSTEPS)
        throw new Error(`The chart '${this.chart.id}' runs in circles at ${at.id}.`);
      const { context, effects } = draft;
      const { length } = effects;
      const next = this.#microstep(at, at, firstThatHolds(at.decide, context, event)!, draft, event);
      // XState asks no more where nothing has changed
      if (next === at && draft.context === context && !effects.slice(length).some(isOfService)) break;
      at = next;
    }
    return stepOf(draft, at);
  }

  /** Leaves states, runs the actions of a transition, and enters states. Returns the innermost one that is active then. */
  #microstep(
    leaf: Node<Context>,
    source: Node<Context>,
    transition: Transition<Context>,
    draft: Draft<Context>,
    event: Event,
  ): Node<Context> {
    if (leaf.kind === "decision") draft.isCopy = false; // what is left on the way sees the context of before
    const { context: before } = draft;
    const firstEffect = draft.effects.length;
    const firstAction = draft.actions.length;
    const taken = this.#follow(transition, draft, event);
    if (taken.target === undefined) return leaf;
    const target = this.nodes.get(taken.target)!;
    const domain = domainOf(source, target, taken.reenter);
    leave(leaf, domain, before, draft, event, { firstEffect, firstAction });
    const next = firstOf(this.nodes, target);
    enter(domain, next, draft, event);
    return next;
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

/** The innermost state that a transition does not leave; undefined if it leaves even the root. */
function domainOf<Context>(
  source: Node<Context>,
  target: Node<Context>,
  reenter: boolean,
): Node<Context> | undefined {
  if (!reenter && contains(source, target)) return source;
  let domain = target.parent;
  while (domain && (domain === source || !contains(domain, source))) domain = domain.parent;
  return domain;
}

/** Runs the effects of leaving before the actions of the transition; they see the context of before. */
function leave<Context extends object>(
  leaf: Node<Context>,
  domain: Node<Context> | undefined,
  before: Context,
  draft: Draft<Context>,
  event: Event,
  { firstEffect, firstAction }: { readonly firstEffect: number; readonly firstAction: number },
): void {
  let exit: Draft<Context> | undefined;
  for (let node: Node<Context> | undefined = leaf; node && node !== domain; node = node.parent) {
    if (node.exit.length === 0 && node.services.length === 0) continue;
    run(node.exit, (exit ??= draftOf(before)), event);
    for (const { id } of node.services) exit.effects.push({ type: "stop", id });
  }
  if (!exit) return;
  draft.effects.splice(firstEffect, 0, ...exit.effects);
  draft.actions.splice(firstAction, 0, ...exit.actions);
}

/** Runs the entry actions and starts the services of the states from `domain`, which is not entered, to `state`. */
function enter<Context extends object>(
  domain: Node<Context> | undefined,
  state: Node<Context> | undefined,
  draft: Draft<Context>,
  event: Event,
): void {
  if (!state || state === domain) return;
  enter(domain, state.parent, draft, event);
  run(state.entry, draft, event);
  for (const { src, id, input } of state.services)
    draft.effects.push({ type: "spawn", src, id, input: input(draft.context) });
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
      const { facts } = change;
      Object.assign(draft.context, facts ? withoutFacts(change) : change);
      if (facts) draft.facts.push(...facts);
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

/** The transition that a node takes for an event: of the event's own type, else of the longest pattern that matches it. */
function transitionOf<Context>(
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
