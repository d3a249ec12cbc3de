import { stateName } from "../../agent/derive-events.ts";
import { readSnapshot, takeSnapshot } from "../../agent/snapshot.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { AgentSnapshot } from "./pure.ts";

/** The context with which another process goes on from a snapshot taken now, as `createAgent({ sessionOptions: { snapshot } })` does. */
export function restoredFrom({ context, value }: AgentSnapshot): AgentContext {
  const snapshot = takeSnapshot(context, stateName(value), []);
  const { listening, allowed } = context;
  return { ...readSnapshot(snapshot, context.settings).context, listening, allowed };
}
