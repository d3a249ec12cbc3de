import type { Violation } from "../../../src/testing/explorer/walk.ts";
import type { Findings } from "./explore.ts";
import { waitingStates } from "../../../src/testing/explorer/edges.ts";
import type { Bounds } from "../../../src/testing/explorer/world.ts";

const count = (value: number): string => value.toLocaleString("en-US");

/** A broken invariant with the path to it, one move a line. */
export function violationText({ rule, message, world, path }: Violation): string {
  const steps = path.map((move, index) => `  ${index + 1}. ${move}`);
  return [`${rule}: ${message}`, `  in the world "${world}", after`, ...steps].join("\n");
}

/** The states in which a walk has never waited. */
export function unvisited({ leaves }: Findings): readonly string[] {
  return waitingStates.map(({ path }) => path).filter((leaf) => !leaves.has(leaf));
}

/** What a walk has found, for people. */
export function reportText(bounds: Bounds, findings: Findings, seconds: number): string {
  const { states, transitions, leaves, edges, violations } = findings;
  const missing = unvisited(findings);
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
