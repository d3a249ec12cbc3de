import { homedir } from "node:os";
import { join } from "node:path";
import type { McpServing } from "../../server/options.ts";
import type { WorkerAgents } from "../../worker/types.ts";
import { importFile } from "../import-file.ts";
import { secretIn } from "../secret-file.ts";
import type { Environment } from "../terminal.ts";

/** The key of the environment, or the one that is made once for this user. */
const mcpKey = (env: Environment): string =>
  env["AGENTCHART_MCP_KEY"] || secretIn(join(homedir(), ".agentchart", "mcp-key"), 32);

/** Returns the options with which the agents of a file are served as MCP tools: as its export `descriptions` describes them, by name. */
export async function mcpOptions(file: string, agents: WorkerAgents, env: Environment): Promise<McpServing> {
  const { descriptions = {} } = (await importFile(file, "agents")) as {
    readonly descriptions?: { readonly [name: string]: unknown };
  };
  const described = Object.keys(agents).map((name) => {
    const text = descriptions[name];
    return [name, typeof text === "string" && text !== "" ? text : `Asks the agent ${name}.`] as const;
  });
  return { agents: Object.fromEntries(described), key: mcpKey(env) };
}
