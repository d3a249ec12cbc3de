import { readSnapshot, takeSnapshot } from "../../agent/snapshot.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import { shortPath } from "../../../machines/agent/updates/calls.ts";
import { leafOf, type AgentSnapshot, type PureChart, type Step } from "./pure.ts";
import { contextOf, type World } from "./world.ts";

/** The context with which another process goes on from a snapshot taken now, as `createAgent({ sessionOptions: { snapshot } })` does. */
export function restoredFrom({ context, value }: AgentSnapshot): AgentContext {
  const snapshot = takeSnapshot(context, shortPath(leafOf(value)), []);
  const { listening, allowed } = context;
  return { ...readSnapshot(snapshot, context.settings).context, listening, allowed };
}

/** The sessions with which new processes begin, by chart: each of them is the same. */
const begun = new WeakMap<PureChart, AgentSnapshot>();

/** The process ends; another one goes on from the snapshot. */
export function restored(chart: PureChart, world: World, snapshot: AgentSnapshot): Step {
  const context = restoredFrom(snapshot);
  const { listening, allowed } = context;
  const known = begun.get(chart);
  const isSame = known?.context.listening === listening && known.context.allowed === allowed;
  const first = isSame ? known : chart.begin({ ...contextOf(world), listening, allowed }).snapshot;
  begun.set(chart, first);
  return chart.next(first, { type: "session.load", context });
}
