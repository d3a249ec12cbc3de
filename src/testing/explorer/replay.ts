import { agentResolver } from "../../../machines/agent/agent-chart.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import { shortPath } from "../../../machines/agent/updates/calls.ts";
import { takenStep, type ChartStep } from "../../agent/steps.ts";
import type { Resolver } from "../../../machines/chart/resolve.ts";
import type { Move } from "./move.ts";
import { serviceMoves, timerMoves } from "./outcomes.ts";
import { outsideMoves } from "./outside.ts";
import { leafOf, PureChart, servicesOf, type AgentSnapshot } from "./pure.ts";
import { restored } from "./restore.ts";
import { contextOf, type World } from "./world.ts";

/** Returns every move that is possible in a state. */
export function movesIn(
  chart: PureChart,
  world: World,
  snapshot: AgentSnapshot,
  step: number,
): readonly Move[] {
  const scene = { context: snapshot.context, leaf: leafOf(snapshot.value), step };
  return [
    ...serviceMoves(servicesOf(snapshot), world, scene),
    ...timerMoves(chart.timerOf(snapshot), scene),
    ...outsideMoves(world, scene),
  ];
}

/** Takes the moves of a path once more, and returns the steps of the chart as an observer of the agent sees them. The first is the state
 *  in which it begins. Throws for a label that no move has. */
export function replayed(
  world: World,
  path: readonly string[],
  resolver: Resolver<AgentContext> = agentResolver,
): readonly ChartStep[] {
  const steps: ChartStep[] = [];
  let taken: ReturnType<typeof takenStep>[] = [];
  let at = 0;
  const chart = new PureChart(resolver, contextOf(world), undefined, (event, step) => {
    taken.push(takenStep(event, step, { now: () => at }));
  });
  let { snapshot } = chart.begin(contextOf(world));
  const state = (): string => shortPath(leafOf(snapshot.value));
  steps.push({
    event: { type: "xstate.init" },
    at,
    state: state(),
    context: snapshot.context,
    edges: [],
    actions: [],
    facts: [],
  });
  for (const [index, label] of path.entries()) {
    const move = movesIn(chart, world, snapshot, index).find((each) => each.label === label);
    if (!move) throw new Error(`No move of step ${index + 1} is "${label}".`);
    taken = [];
    at = snapshot.context.at;
    ({ snapshot } =
      move.kind === "crash" ? restored(chart, world, snapshot) : chart.next(snapshot, ...move.events));
    for (const step of taken) steps.push({ ...step, state: state() });
  }
  return steps;
}
