import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { McpServing } from "../../server/options.ts";
import type { WorkerAgents } from "../../worker/types.ts";
import { importFile } from "../import-file.ts";
import type { Environment } from "../terminal.ts";

/** The key of the environment, or the one that is made once for this user. */
function mcpKey(env: Environment): string {
  const given = env["AGENTCHART_MCP_KEY"];
  if (given) return given;
  const file = join(homedir(), ".agentchart", "mcp-key");
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8");
}

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
