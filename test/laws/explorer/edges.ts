import type { AnyStateNode, AnyTransitionDefinition } from "xstate";
import type { AgentMachine } from "./pure.ts";

/** The transitions drawn in a chart, and which of them a walk has taken. */
export class EdgeCoverage {
  readonly #names = new Map<AnyTransitionDefinition, string>();
  readonly #taken = new Set<string>();

  /** Learns the edges of this machine; copies of one chart share their names. */
  learn(machine: AgentMachine): void {
    for (const [transition, name] of edgesOf(machine)) this.#names.set(transition, name);
  }

  take(transition: AnyTransitionDefinition): void {
    const name = this.#names.get(transition);
    if (name !== undefined) this.#taken.add(name);
  }

  get all(): readonly string[] {
    return [...new Set(this.#names.values())];
  }

  get untaken(): readonly string[] {
    return this.all.filter((name) => !this.#taken.has(name));
  }
}

/** All states of a chart below the root. */
export function statesOf(machine: AgentMachine): readonly AnyStateNode[] {
  const below = (node: AnyStateNode): readonly AnyStateNode[] =>
    Object.values(node.states).flatMap((child) => [child, ...below(child)]);
  return below(machine.root as unknown as AnyStateNode);
}

/** The transitions a state defines, in order: its events, the ends of its services, then `always`. */
export function transitionsOf(node: AnyStateNode): readonly AnyTransitionDefinition[] {
  return [...node.transitions.values()].flat().concat(node.always ?? []);
}

/** Every edge of the chart with a name such as "reasoning.judging [retryable] → reasoning.backingOff". */
export function edgesOf(machine: AgentMachine): readonly (readonly [AnyTransitionDefinition, string])[] {
  const root = machine.root as unknown as AnyStateNode;
  return [root, ...statesOf(machine)].flatMap((node) =>
    transitionsOf(node).map((transition) => [transition, nameOf(transition)] as const),
  );
}

const pathOf = (node: AnyStateNode): string => node.path.join(".") || "root";

function nameOf({ source, eventType, guard, target, actions }: AnyTransitionDefinition): string {
  const event = eventType === "" ? "" : ` on ${eventType}`;
  const targets = target?.map(pathOf).join(", ") ?? `itself (${actions.map(labelOf).join(", ")})`;
  return `${pathOf(source)}${event}${guard ? ` [${labelOf(guard)}]` : ""} → ${targets}`;
}

function labelOf(named: unknown): string {
  if (typeof named === "string") return named;
  const { type, params } = named as { readonly type?: string; readonly params?: unknown };
  return `${type ?? "inline"}${typeof params === "object" ? `: ${Object.values(params as object).join(", ")}` : ""}`;
}
