import { agentChart } from "../../../../machines/agent/agent-chart.ts";
import { Resolver } from "../../../../machines/chart/resolve.ts";
import { drawing, labelOf } from "../../../../src/testing/explorer/edges.ts";
import { contextOf, type Given } from "../at.ts";

/** A branch of a decision: given this, it leads to that state or decision, with these actions. */
export type Branch = readonly [what: string, given: Given, to: string, ...actions: readonly string[]];

const DECISIONS = drawing.nodes.filter(({ tags }) => tags.includes("decision")).map(({ id }) => id);

/** The agent's chart with one more event for each decision, which does nothing but lead to it. */
const resolver = new Resolver({
  ...agentChart,
  root: {
    ...agentChart.root,
    on: {
      ...agentChart.root.on,
      ...Object.fromEntries(DECISIONS.map((id) => [`decide.${id}`, { target: `#${id}` }])),
    },
  },
});

/** The id of the edge that a decision takes. */
export function edgeTaken(decision: string, given: Given): string {
  const step = resolver.next("stopped.idle", contextOf(given), { type: `decide.agent.${decision}` });
  return step!.edges[1]!;
}

/** What a decision leads to, and the actions on the way. */
export function branchTaken(decision: string, given: Given): readonly string[] {
  const { targets, actions } = drawing.edges.find(({ id }) => id === edgeTaken(decision, given))!;
  return [targets[0]!.slice("agent.".length), ...actions.map(labelOf)];
}
