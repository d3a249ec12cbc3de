import { stateName } from "../../agent/derive-events.ts";
import { readSnapshot, takeSnapshot } from "../../agent/snapshot.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { AgentSnapshot, PureChart, Step } from "./pure.ts";
import { contextOf, type World } from "./world.ts";

/** The context with which another process goes on from a snapshot taken now, as `createAgent({ sessionOptions: { snapshot } })` does. */
export function restoredFrom({ context, value }: AgentSnapshot): AgentContext {
  const snapshot = takeSnapshot(context, stateName(value), []);
  const { listening, allowed } = context;
  return { ...readSnapshot(snapshot, context.settings).context, listening, allowed };
}

/** The process ends; another one goes on from the snapshot. */
export function restored(chart: PureChart, world: World, snapshot: AgentSnapshot): Step {
  const context = restoredFrom(snapshot);
  const { snapshot: begun } = chart.begin({
    ...contextOf(world),
    listening: context.listening,
    allowed: context.allowed,
  });
  return chart.next(begun, { type: "session.load", context });
}
