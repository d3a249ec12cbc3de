import { isSameKind, Walk, type Violation, type WalkOptions } from "../../../src/testing/explorer/walk.ts";
import type { Bounds } from "../../../src/testing/explorer/world.ts";
import { NOTHING_RAN } from "./check-rules.ts";
import { problemsOf } from "./invariants.ts";
import { NOTHING, remember, type Memory } from "./memory.ts";
import { OutcomeTable } from "./state-table.ts";
import { EdgeCoverage } from "./edge-coverage.ts";

export type Findings = {
  readonly states: number;
  readonly transitions: number;
  readonly leaves: ReadonlySet<string>;
  readonly edges: EdgeCoverage;
  readonly table: OutcomeTable;
  readonly violations: readonly Violation[];
};

const keyOfMemory = ({ stops, interrupted, ran }: Memory): string =>
  `${stops || interrupted ? "stops" : ""}${ran === NOTHING_RAN ? "" : `${ran.isVerified} ${ran.refunds.length}`}`;

/** Every state that is reachable within the bounds, in every world, and what is wrong there by the invariants of the design. */
export function explore(bounds: Bounds, options: WalkOptions = {}): Findings {
  const findings = { leaves: new Set<string>(), edges: new EdgeCoverage(), table: new OutcomeTable() };
  let states = 0;
  let transitions = 0;
  const violations: Violation[] = [];
  for (const world of bounds.worlds) {
    const watch = {
      nothing: NOTHING,
      remember,
      problems: problemsOf,
      key: keyOfMemory,
      onEdge: (edge: string) => findings.edges.take(edge),
      onLeaf: (leaf: string) => void findings.leaves.add(leaf),
      onMove: findings.table.add.bind(findings.table),
    };
    const walk = new Walk(world, bounds, watch, options);
    walk.run();
    states += walk.states;
    transitions += walk.transitions;
    violations.push(
      ...walk.violations.filter((found) => !violations.some((known) => isSameKind(known, found))),
    );
    if (options.stopAtFirst && violations.length > 0) break;
  }
  return { ...findings, states, transitions, violations };
}
