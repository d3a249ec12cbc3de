import type { Findings, Violation } from "./explore.ts";
import { statesOf } from "./edges.ts";
import type { AgentMachine } from "./pure.ts";
import type { Bounds } from "./worlds.ts";

const count = (value: number): string => value.toLocaleString("en-US");

/** A broken invariant with the path to it, one move a line. */
export function violationText({ rule, message, world, path }: Violation): string {
  const steps = path.map((move, index) => `  ${index + 1}. ${move}`);
  return [`${rule}: ${message}`, `  in the world "${world}", after`, ...steps].join("\n");
}

/** The states in which the chart never waits, because a transition leaves them at once. */
export function unvisited(machine: AgentMachine, { leaves }: Findings): readonly string[] {
  const waiting = statesOf(machine).filter(
    (node) => node.type === "atomic" && (node.always ?? []).length === 0,
  );
  return waiting.map(({ path }) => path.join(".")).filter((leaf) => !leaves.has(leaf));
}

/** What a walk has found, for people. */
export function reportText(
  machine: AgentMachine,
  bounds: Bounds,
  findings: Findings,
  seconds: number,
): string {
  const { states, transitions, leaves, edges, violations } = findings;
  const missing = unvisited(machine, findings);
  return [
    `bounds       ${bounds.name}: ${bounds.worlds.length} worlds, ${bounds.calls} calls, ${bounds.disturbances} disturbances a session`,
    `states       ${count(states)}`,
    `transitions  ${count(transitions)} in ${seconds.toFixed(1)} s`,
    `chart        ${leaves.size} of ${leaves.size + missing.length} states in which it can wait, ${edges.all.length - edges.untaken.length} of ${edges.all.length} edges`,
    ...missing.map((leaf) => `  never in   ${leaf}`),
    ...edges.untaken.map((edge) => `  never took ${edge}`),
    `violations   ${violations.length}`,
    ...violations.map((violation) => `\n${violationText(violation)}`),
  ].join("\n");
}
