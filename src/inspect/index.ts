// src/inspect shows agents in a web page: `client` reports the agents of a process, `hub` is the server, `protocol` is what they
// exchange.
import type { StartHubOptions, StartedHub } from "./hub/start-hub.ts";

export { inspector } from "./client/inspector.ts";
export type { AgentInspector, InspectorOptions } from "./client/inspector.ts";
export type { HistoryLimits } from "./client/history.ts";
export type { StartHubOptions, StartedHub } from "./hub/start-hub.ts";

/**
 * Starts the inspector's server and its page, as `agentchart inspect` does. Rejects `config/invalid` if the
 * address cannot be bound, and `session/damaged`, `session/version` or `store/failed` for a file that cannot be
 * opened.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { startHub } from "agentchart/inspect";
 * import { scriptedModel } from "agentchart/testing";
 *
 * const hub = await startHub();
 * console.log(`Open ${hub.link}`);
 * const agent = createAgent({ name: "bot", model: scriptedModel(["Hello!"]), inspect: hub.workerUrl });
 * await agent.call("Hi");
 * await agent.close();
 * await hub.close();
 * ```
 */
export async function startHub(options: StartHubOptions = {}): Promise<StartedHub> {
  const hub = await import("./hub/start-hub.ts"); // a process that only reports agents loads no server
  return hub.startHub(options);
}
