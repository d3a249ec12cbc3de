// src/inspect shows agents in a web page: `client` reports the agents of a process, `hub` is the server, `protocol` is what they
// exchange.
import type { SessionStore } from "../store/port.ts";
import type { FindSuspicionsOptions } from "./hub/find-suspicions.ts";
import type { OverviewOptions } from "./hub/overview-of.ts";
import type { StartHubOptions, StartedHub } from "./hub/start-hub.ts";
import type { Overview } from "./protocol/overview.ts";
import type { Suspicion } from "./suspicions/suspicion.ts";

export { inspector } from "./client/inspector.ts";
export type { AgentInspector, InspectorOptions } from "./client/inspector.ts";
export type { HistoryLimits } from "./client/history.ts";
export type { StartHubOptions, StartedHub } from "./hub/start-hub.ts";
export type { FindSuspicionsOptions } from "./hub/find-suspicions.ts";
export type { OverviewOptions } from "./hub/overview-of.ts";
export type { Overview, PeriodFigures, ToolFigures, UsageFigures } from "./protocol/overview.ts";
export { breakpoints, findBreaks } from "./client/find-breaks.ts";
export type { ArgumentTest, Breakpoint, FoundBreak } from "./client/find-breaks.ts";
export { SUSPICIONS } from "./suspicions/checks.ts";
export type { Finding, Suspicion, SuspicionCheck } from "./suspicions/suspicion.ts";
export type {
  CallFact,
  FailureFact,
  LeftOut,
  LimitFact,
  MessageFact,
  RequestFact,
  RestFact,
  RunFacts,
  WideApproval,
} from "./suspicions/facts.ts";

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

/**
 * Returns the suspicions of a stored session, in the order of its steps. These are calls that repeat, results and answers that somebody
 * changed, errors that nobody heeded, messages that the model did not see. The inspector shows the same above a run. It reads the session
 * and takes no lease. Rejects `session/not-found` for an unknown id, and `config/invalid` for an invalid check.
 *
 * @example
 * ```ts
 * import { findSuspicions } from "agentchart/inspect";
 * import { fileStore } from "agentchart/store/file";
 *
 * for (const { kind, text, steps } of await findSuspicions(fileStore({ dir: "./sessions" }), "trip"))
 *   console.log(`${kind} at step ${steps[0]}: ${text}`);
 * ```
 */
export async function findSuspicions(
  store: SessionStore,
  sessionId: string,
  options: FindSuspicionsOptions = {},
): Promise<readonly Suspicion[]> {
  const reader = await import("./hub/find-suspicions.ts");
  return reader.findSuspicions(store, sessionId, options);
}

/**
 * Sums up the sessions of a store that match a filter, at most the last 10,000 that changed. It has outcomes, edges of the chart, failures and times of
 * tools, tokens, cost, suspicions and labels, together and over time. Each session is read once, and no lease is taken. The inspector shows the same,
 * and the runs behind each number. Rejects `config/invalid` for a wrong filter.
 *
 * @example
 * ```ts
 * import { overviewOf } from "agentchart/inspect";
 * import { fileStore } from "agentchart/store/file";
 *
 * const { runs, outcomes, tools } = await overviewOf(fileStore({ dir: "./sessions" }), { agent: "desk" });
 * console.log(runs, outcomes, tools.map(({ tool, failed, p95 }) => `${tool}: ${failed} failed, ${p95} ms`));
 * ```
 */
export async function overviewOf(store: SessionStore, options: OverviewOptions = {}): Promise<Overview> {
  const reader = await import("./hub/overview-of.ts");
  return reader.overviewOf(store, options);
}
