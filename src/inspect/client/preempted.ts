import type { AnyStateMachine, AnyStateNode } from "xstate";
import { activeStates, type ActorSnapshot } from "./actor-chart.ts";

/** The part of a transition that says which states it leaves. */
type Leaving = {
  readonly source: AnyStateNode;
  readonly target?: readonly AnyStateNode[] | undefined;
  readonly reenter: boolean;
};

type Histories = { readonly [id: string]: readonly AnyStateNode[] | undefined };

/** Returns the transitions of a microstep that were selected and not taken: one of another region has left their states before. `before` is
 *  the snapshot before the microstep. */
export function preemptedOf(
  machine: AnyStateMachine,
  transitions: readonly object[],
  before: ActorSnapshot,
): ReadonlySet<object> {
  const active = activeStates(machine, before.value).map((id) => machine.getStateNodeById(id));
  const { historyValue = {} } = before as { readonly historyValue?: Histories };
  const left = new Set<AnyStateNode>();
  const preempted = new Set<object>();
  for (const transition of transitions) {
    const leaves = leftBy(transition as Leaving, active, historyValue);
    if (leaves.some((node) => left.has(node))) preempted.add(transition);
    else for (const node of leaves) left.add(node);
  }
  return preempted;
}

/** The active states that a transition leaves. */
function leftBy(
  { source, target = [], reenter }: Leaving,
  active: readonly AnyStateNode[],
  histories: Histories,
): readonly AnyStateNode[] {
  if (target.length === 0) return [];
  const targets = target.flatMap((node) => reachedBy(node, histories));
  const staysInside = !reenter && targets.every((node) => around(node).includes(source));
  const chains = [...targets, source].map((node) => around(node).slice(1));
  const domain = staysInside
    ? source
    : chains[0]!.find((node) => chains.every((chain) => chain.includes(node)));
  if (!domain) return reenter ? active : active.filter(({ parent }) => parent);
  return active.filter((node) => node !== domain && around(node).includes(domain));
}

/** The states that a target stands for: those that a history remembers, or its default. */
function reachedBy(node: AnyStateNode, histories: Histories): readonly AnyStateNode[] {
  if (node.type !== "history") return [node];
  const remembered = histories[node.id];
  if (remembered) return remembered;
  const { parent, target } = node as { readonly parent?: AnyStateNode; readonly target?: unknown };
  if (typeof target === "string" && parent) {
    const named = parent.states[target];
    if (named) return [named];
  }
  return parent ? (parent.type === "parallel" ? [parent] : (parent.initial.target ?? [parent])) : [node];
}

/** A state and those around it, innermost first. */
function around(node: AnyStateNode): readonly AnyStateNode[] {
  const chain: AnyStateNode[] = [];
  for (let at: AnyStateNode | undefined = node; at; at = at.parent) chain.push(at);
  return chain;
}

/** A transition of XState 6. With `to` a function decides where it leads. */
type Transition6 = Leaving & { readonly eventType: string; readonly to?: unknown };

/** True if some of the transitions of a step may have been selected and not taken. XState 6 tells those of all microsteps in one list, so that
 *  two regions which go on with one event look like one region that goes on with two. */
export function mayBePreempted(transitions: readonly object[]): boolean {
  let group: Transition6[] = [];
  for (const each of transitions as readonly Transition6[]) {
    // of those without an event only the ones that are taken are told
    const isAutomatic = !each.eventType;
    const end = group.findLastIndex((other) => isAutomatic || !areApart(each.source, other.source));
    group = group.slice(end + 1);
    if (group.some((other) => mayMeet(each, other) && mayConflict(each, other))) return true;
    if (!isAutomatic) group.push(each);
  }
  return false;
}

/** True if the states are in two regions of a parallel state. */
function areApart(one: AnyStateNode, other: AnyStateNode): boolean {
  const others = around(other);
  const shared = around(one).find((node) => others.includes(node));
  return shared?.type === "parallel" && shared !== one && shared !== other;
}

/** True if one event may have selected both. */
function mayMeet({ eventType: one }: Transition6, { eventType: other }: Transition6): boolean {
  const covers = (pattern: string, type: string): boolean =>
    pattern.endsWith("*") && type.startsWith(pattern.slice(0, -1).replace(/\.$/, ""));
  return one === other || covers(one, other) || covers(other, one);
}

/** True if both may leave one state. */
function mayConflict(one: Transition6, other: Transition6): boolean {
  const [first, second] = [one, other].map(domain6);
  if (first === null || second === null) return false;
  return !first || !second || around(first).includes(second) || around(second).includes(first);
}

/** The state inside of which a transition of XState 6 leaves states; null if it leaves none, and undefined if that is not known. */
function domain6({ source, target, reenter, to }: Transition6): AnyStateNode | null | undefined {
  if (to) return undefined;
  if (!target || target.length === 0) return null;
  if (target.some(({ type }) => type === "history")) return undefined;
  const chains = [...target, source].map(around);
  const isInside = target.every((node) => around(node).includes(source));
  if (isInside && !reenter && source.type === "atomic") return null;
  let domain = isInside
    ? source
    : chains[0]!.slice(1).find((node) => chains.every((chain) => chain.slice(1).includes(node)));
  return reenter ? domain : narrowed(domain, target);
}

/** The region of a parallel state that has all targets, or the state itself. */
function narrowed(
  domain: AnyStateNode | undefined,
  targets: readonly AnyStateNode[],
): AnyStateNode | undefined {
  if (domain?.type !== "parallel") return domain;
  const region = Object.values(domain.states).find((child) =>
    targets.every((node) => around(node).includes(child)),
  );
  return region ? narrowed(region, targets) : domain;
}
