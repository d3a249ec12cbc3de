import crypto from "node:crypto";
import { AgentError } from "../../base/error.ts";
import type { Tool } from "../../tool/types.ts";
import { markAgentTool } from "../services/outer-call.ts";
import type { AgentToolAgent } from "./options.ts";

/** How deep agents may call each other by default. */
export const MAX_DEPTH = 3;

/** The agents that are behind tools and do not depend on a call, by the `execute` of their tools. */
const behind = new WeakMap<object, AgentToolAgent>();

/** Notes that tools with this `execute` call an agent: this one, if it is always the same. */
export function noteAgent(execute: object, agent: AgentToolAgent | undefined): void {
  markAgentTool(execute);
  if (agent) behind.set(execute, agent);
}

/** Throws `config/invalid` with the path of the agents if one would run inside of itself, or deeper than `maxDepth` below the first. */
export function checkPath(path: readonly string[], maxDepth: number): void {
  const shown = path.join("/");
  const name = path.at(-1)!;
  if (path.indexOf(name) < path.length - 1)
    throw new AgentError(
      "config/invalid",
      `Agent '${name}' would run inside of itself: ${shown}. Expected agents that do not call each other in a circle.`,
      { data: { path: shown } },
    );
  if (path.length - 1 > maxDepth)
    throw new AgentError(
      "config/invalid",
      `The agents ${shown} are nested ${path.length - 1} deep; expected at most ${maxDepth} (\`maxDepth\`).`,
      { data: { path: shown } },
    );
}

/** Checks all agents below one that do not depend on a call, as {@link checkPath}. */
export function checkNesting(agent: AgentToolAgent, maxDepth: number, above: readonly string[] = []): void {
  const path = [...above, agent.name];
  checkPath(["…", ...path], maxDepth);
  for (const { execute } of (agent.tools ?? []) as readonly Tool<never>[]) {
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
