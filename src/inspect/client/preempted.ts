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
