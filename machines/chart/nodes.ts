import type { StateValue } from "xstate";
import { configError } from "../../src/core/base/error.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import type {
  Branch,
  ChartDefinition,
  DecisionDefinition,
  Effect,
  NameRef,
  OneOrMore,
  Service,
  StateDefinition,
} from "./definition.ts";

/** A name with its parameters. */
export type Named = { readonly name: string; readonly params: JsonObject | undefined };

/** The function for which a name of the vocabulary stands. */
type Implementation<Context, Result> = (context: Context, event: object, params: unknown) => Result;

/** A guard of the vocabulary. */
export type Guard<Context> = Named & { readonly judge: Implementation<Context, boolean> };

/** An action of the vocabulary: an update or, if that is undefined, effects. */
export type Action<Context> = Named & {
  readonly update: Implementation<Context, { readonly facts?: readonly object[] }> | undefined;
  readonly effects: Implementation<Context, readonly Effect[]>;
};

/** A branch with its names resolved to what they stand for and its target to an id. A branch without `choose` is one edge of the
 *  drawing. */
export type Transition<Context = never> = {
  readonly guard: Guard<Context> | undefined;
  readonly actions: readonly Action<Context>[];
  readonly target: string | undefined;
  readonly refuse: string | undefined;
  readonly reenter: boolean;
  readonly choose: readonly Transition<Context>[];
  /** The id of the edge, `source|event|number`; empty for a branch with `choose`. */
  readonly edge: string;
  /** The states that it leads through; undefined without a target. */
  route: Route<Context> | undefined;
};

/** The states that a transition leads through. */
export type Route<Context = never> = {
  /** The innermost state that is not left; undefined if even the root is. */
  readonly domain: Node<Context> | undefined;
  /** The states that are entered, the outermost first. */
  readonly entered: readonly Node<Context>[];
  /** The innermost state that is active then. */
  readonly leaf: Node<Context>;
};

/** A state or decision of a chart with everything that its definition says about it. */
export type Node<Context = never> = {
  /** "agent.reasoning.calling" */
  readonly id: string;
  readonly key: string;
  /** "reasoning.calling"; empty for the root. */
  readonly path: string;
  readonly parent: Node<Context> | undefined;
  readonly kind: "state" | "decision";
  readonly description: string;
  readonly entry: readonly Action<Context>[];
  readonly exit: readonly Action<Context>[];
  readonly services: readonly Required<Pick<Service<Context>, "src" | "id" | "input">>[];
  /** The node that is entered first. */
  readonly initial: string | undefined;
  readonly children: readonly string[];
  /** Of a state: its transitions by event descriptor, in the order of the definition. */
  readonly on: ReadonlyMap<string, readonly Transition<Context>[]>;
  /** The descriptors of `on` that mean more than one event, the most specific first. */
  readonly wildcards: readonly string[];
  /** Of a decision. */
  readonly decide: readonly Transition<Context>[];
};

const list = <T>(value: OneOrMore<T> | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly T[]) : [value as T];

const named = (ref: NameRef): Named =>
  typeof ref === "string" ? { name: ref, params: undefined } : { name: ref.type, params: ref.params };

const own = (part: object, name: string): unknown =>
  Object.hasOwn(part, name) ? (part as { readonly [name: string]: unknown })[name] : undefined;

const isDecision = <Context>(
  definition: StateDefinition<Context> | DecisionDefinition,
): definition is DecisionDefinition => "decide" in definition;

/** All nodes of a chart by id, the root first, in the order of the definition. Throws `config/invalid` with the id of the node for a
 *  definition that refers to a name or a target it does not have, lacks an `initial`, has a choice that may not decide or a
 *  branch that is never reached, or begins with a decision. */
export function nodesOf<Context>(chart: ChartDefinition<Context>): ReadonlyMap<string, Node<Context>> {
  const nodes = new Map<string, Node<Context>>();
  const { guards, updates, effects, refusals } = chart.vocabulary;
  add(chart.root, chart.id, undefined);
  const both = Object.keys(updates).find((name) => Object.hasOwn(effects, name));
  if (both !== undefined) invalid(`'${both}' is an update and an effect`);
  for (const node of nodes.values()) check(node);
  for (const node of nodes.values()) for (const each of [node.decide, ...node.on.values()]) link(node, each);
  const first = firstOf(nodes, nodes.get(chart.id)!);
  if (first.kind === "decision") invalid(`${first.id} is a decision and cannot be the first state`);
  return nodes;

  function invalid(problem: string): never {
    throw configError(`The chart '${chart.id}' is invalid: ${problem}.`);
  }

  function add(
    definition: StateDefinition<Context> | DecisionDefinition,
    key: string,
    parent: Node<Context> | undefined,
  ): void {
    const id = parent ? `${parent.id}.${key}` : key;
    const path = id.slice(chart.id.length + 1);
    const base = parent ?? { id };
    const isChoice = isDecision(definition);
    const {
      exit,
      invoke,
      on: handlers = {},
      initial,
      states = {},
    }: Partial<StateDefinition<Context>> = isChoice ? {} : definition;
    const services = list(invoke);
    const on = new Map(
      Object.entries(handlers).map(([event, branches]) => [
        event,
        transitionsOf(list(branches), parent ? base.id : id, `${id}|${event}`),
      ]),
    );
    for (const { src, id: actor = src, onDone, onError } of services) {
      const outcomes = { done: onDone, error: onError };
      for (const [outcome, branches] of Object.entries(outcomes)) {
        const event = `xstate.${outcome}.actor.${actor}`;
        if (branches) on.set(event, transitionsOf(list(branches), base.id, `${id}|${event}`));
      }
    }
    const inner = Object.entries(states);
    const node: Node<Context> = {
      id,
      key,
      path,
      parent,
      kind: isChoice ? "decision" : "state",
      description: definition.description,
      entry: list(definition.entry).map(actionOf),
      exit: list(exit).map(actionOf),
      services: services.map(({ src, id: actor = src, input }) => ({ src, id: actor, input })),
      initial: initial === undefined ? undefined : `${id}.${initial}`,
      children: inner.map(([name]) => `${id}.${name}`),
      on,
      wildcards: [...on.keys()]
        .filter((event) => event.endsWith("*"))
        .toSorted((a, b) => b.length - a.length),
      decide: isChoice ? transitionsOf(definition.decide, base.id, `${id}|`) : [],
    };
    nodes.set(id, node);
    for (const [name, child] of inner) add(child, name, node);
  }

  // `check` finds the names that the vocabulary lacks
  function actionOf(ref: NameRef): Action<Context> {
    const { name, params } = named(ref);
    const update = own(updates, name) as Action<Context>["update"];
    return { name, params, update, effects: own(effects, name) as Action<Context>["effects"] };
  }

  function guardOf(ref: NameRef): Guard<Context> {
    const { name, params } = named(ref);
    return { name, params, judge: own(guards, name) as Guard<Context>["judge"] };
  }

  function transitionsOf(
    branches: readonly Branch[],
    base: string,
    prefix: string,
  ): readonly Transition<Context>[] {
    let edges = 0;
    const transitionOf = (branch: Branch): Transition<Context> => {
      const { guard, actions, target, choose = [], refuse, reenter = false } = branch;
      const isEdge = choose.length === 0;
      return {
        guard: guard === undefined ? undefined : guardOf(guard),
        actions: list(actions).map(actionOf),
        target: target?.startsWith("#") ? target.slice(1) : target && `${base}.${target}`,
        refuse,
        reenter,
        edge: isEdge ? `${prefix}|${edges++}` : "",
        choose: choose.map(transitionOf),
        route: undefined,
      };
    };
    return branches.map(transitionOf);
  }

  function link(source: Node<Context>, transitions: readonly Transition<Context>[]): void {
    for (const transition of transitions) {
      link(source, transition.choose);
      if (transition.target === undefined) continue;
      const target = nodes.get(transition.target)!;
      const domain = domainOf(source, target, transition.reenter);
      const leaf = firstOf(nodes, target);
      transition.route = { domain, leaf, entered: pathTo(leaf, domain) };
    }
  }

  function check(node: Node<Context>): void {
    const fail = (problem: string): never => invalid(`${node.id} ${problem}`);
    const checkActions = (actions: readonly Named[]): void => {
      const unknown = actions.find(
        ({ name }) => !Object.hasOwn(updates, name) && !Object.hasOwn(effects, name),
      );
      if (unknown) fail(`uses the unknown action '${unknown.name}'`);
    };
    const checkTransitions = (transitions: readonly Transition[], isChoice: boolean): void => {
      if (transitions.some(({ guard }, index) => !guard && index < transitions.length - 1))
        fail("has a branch after one without a guard");
      for (const { guard, actions, target, refuse, choose } of transitions) {
        checkActions(actions);
        if (guard && !Object.hasOwn(guards, guard.name)) fail(`uses the unknown guard '${guard.name}'`);
        if (target !== undefined && !nodes.has(target)) fail(`leads to the unknown node '${target}'`);
        if (target === chart.id) fail("leads to the root");
        if (refuse !== undefined) {
          if (!Object.hasOwn(refusals, refuse)) fail(`uses the unknown refusal '${refuse}'`);
          if (isChoice) fail("refuses in a choice: only the edge of an event may");
          if (actions.length > 0 || target !== undefined || choose.length > 0)
            fail("has a refusal with actions, a target or a choice");
        }
        if (choose.length > 0) {
          if (target !== undefined) fail("has a choice with a target of its own");
          if (choose.at(-1)!.guard) fail("has a choice whose last branch has a guard");
          checkTransitions(choose, true);
        }
      }
    };
    checkActions([...node.entry, ...node.exit]);
    const update = node.exit.find(({ name }) => Object.hasOwn(updates, name));
    if (update) fail(`uses the update '${update.name}' on exit, which only takes effects`);
    if (node.children.length > 0 && !node.children.includes(node.initial!))
      fail("has inner states and no valid `initial`");
    if (node.children.length === 0 && node.initial !== undefined)
      fail("has an `initial` and no inner states");
    for (const transitions of node.on.values()) checkTransitions(transitions, false);
    if (node.kind === "state") return;
    if (node.decide.length === 0 || node.decide.at(-1)!.guard)
      fail("is a decision whose last branch has a guard");
    checkTransitions(node.decide, true);
    if (edgesOf(node.decide).some(({ target }) => target === undefined))
      fail("is a decision with a branch that leads nowhere");
  }
}

/** True if an event of this type is meant by a descriptor: the type itself, a prefix with `.*`, or `*`. */
export function matches(descriptor: string, type: string): boolean {
  if (descriptor === type || descriptor === "*") return true;
  if (!descriptor.endsWith(".*")) return false;
  const prefix = descriptor.slice(0, -2);
  return type === prefix || type.startsWith(`${prefix}.`);
}

/** The paths of state values: snapshots of the same state share theirs. */
const paths = new WeakMap<object, string>();

/** The path of the innermost state of a state value: "reasoning.calling.running". */
export function statePath(value: StateValue): string {
  if (typeof value === "string") return value;
  let path = paths.get(value);
  if (path === undefined) {
    const [[key, inner] = ["", ""]] = Object.entries(value); // a chart has no parallel states
    path = `${key}.${statePath(inner!)}`;
    paths.set(value, path);
  }
  return path;
}

/** The node that is reached from a node through initial states. */
export function firstOf<Context>(
  nodes: ReadonlyMap<string, Node<Context>>,
  node: Node<Context>,
): Node<Context> {
  let first = node;
  while (first.initial !== undefined) first = nodes.get(first.initial)!;
  return first;
}

/** True if `inner` is `outer` or lies in it. */
function contains<Context>(outer: Node<Context>, inner: Node<Context>): boolean {
  for (let node: Node<Context> | undefined = inner; node; node = node.parent) if (node === outer) return true;
  return false;
}

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

/** The states from behind `domain` to `leaf`, the outermost first. */
export function pathTo<Context>(
  leaf: Node<Context>,
  domain: Node<Context> | undefined,
): readonly Node<Context>[] {
  const path: Node<Context>[] = [];
  for (let node: Node<Context> | undefined = leaf; node && node !== domain; node = node.parent)
    path.unshift(node);
  return path;
}

/** The edges of transitions: those that do not choose, and the branches of those that do. */
export function edgesOf(transitions: readonly Transition[]): readonly Transition[] {
  return transitions.flatMap((transition) =>
    transition.choose.length > 0 ? edgesOf(transition.choose) : [transition],
  );
}
