import packageJson from "agentchart/package.json" with { type: "json" };
import { nodeVersionProblem } from "../../core/base/node-version.ts";
import { ok, wrong, type Check, type Finding } from "./check.ts";

/** Finds whether this Node.js is new enough. An older one is told so before any command is loaded. */
export function nodeFinding(running: Parameters<typeof nodeVersionProblem>[0]): Finding {
  const problem = nodeVersionProblem(running);
  if (problem !== undefined) return wrong("node", problem);
  const needed = packageJson.engines.node.replace(">=", "");
  return ok("node", `${running.versions.node}; agentchart ${packageJson.version} needs ${needed} or later`);
}

export const nodeCheck: Check = { name: "node", run: async () => [nodeFinding(process)] };
