import type { HubStart, StartedHub } from "./hub/start-hub.ts";

export { inspector } from "./client/inspector.ts";
export type { AgentInspector, InspectorOptions } from "./client/inspector.ts";
export type { HistoryLimits } from "./client/history.ts";
export type { HubStart, StartedHub } from "./hub/start-hub.ts";

/** Starts the visualizer's server, as `agentchart inspect` does. Rejects `config/invalid` if the address cannot be bound, and
 *  `session/damaged`, `session/version` or `store/failed` for a file that cannot be opened. */
export async function startHub(options: HubStart = {}): Promise<StartedHub> {
  const hub = await import("./hub/start-hub.ts"); // whoever only reports needs no server
  return hub.startHub(options);
}
