import crypto from "node:crypto";
import type { AnyTool } from "../../core/tool/types.ts";
import { checkPath } from "../../agent/nested-path.ts";
import { markAgentTool } from "../../agent/services/run-call.ts";
import type { AgentToolAgent } from "./options.ts";

/** The agents that are behind tools and do not depend on a call, by the `execute` of their tools. */
const behind = new WeakMap<object, AgentToolAgent>();

/** Notes that tools with this `execute` call an agent: this one, if it is always the same. */
export function noteAgent(execute: object, agent: AgentToolAgent | undefined): void {
  markAgentTool(execute);
  if (agent) behind.set(execute, agent);
}

/** Returns the agent that is always behind tools with this `execute`; undefined if there is none, or another one for each call. */
export const agentBehind = (execute: object): AgentToolAgent | undefined => behind.get(execute);

/** Checks all agents below one that do not depend on a call, as {@link checkPath}. */
export function checkNesting(agent: AgentToolAgent, maxDepth: number, above: readonly string[] = []): void {
  const path = [...above, agent.name];
  checkPath(["…", ...path], maxDepth);
  for (const { execute } of (agent.tools ?? []) as readonly AnyTool[]) {
    const inner = execute && behind.get(execute);
    if (inner) checkNesting(inner, maxDepth, path);
  }
}

/** Returns the name of the tool for an agent: what providers accept, and different for different agents. */
export function toolNameOf(agent: string): string {
  const plain = agent.replaceAll(/[^\w-]+/gu, "_");
  if (plain === agent && plain.length <= 59) return `call_${plain}`;
  const hash = crypto.hash("sha256", agent).slice(0, 8);
  return `call_${plain.slice(0, 50)}_${hash}`;
}
