import { createAgent } from "../agent/create-agent.ts";
import type { AgentConfig } from "../agent/options/agent-config.ts";
import type { Agent } from "../agent/types.ts";
import { skillWarningsSlot } from "../kit/skills/loaded.ts";
import { skills } from "../kit/skills/skills.ts";
import { openaiModel } from "../core/model/openai/openai-model.ts";
import type { SessionStore } from "../store/port.ts";
import type { ChatModel } from "../core/model/port.ts";
import { aiSdkProviderModel } from "./ai-sdk-provider.ts";
import { chooseModel } from "./choose-model.ts";
import type { Tool } from "../core/tool/types.ts";
import type { CliIo } from "./cli-io.ts";
import type { Values } from "./define-command.ts";
import { openMcpServers } from "./mcp-servers.ts";
import type { AGENT, JSON_EVENTS } from "./shared-flags.ts";
import { withCleanup, withClosing } from "./with-cleanup.ts";
import { configError } from "../core/base/error.ts";
import { importFile } from "./import-file.ts";

/** The stored session of an agent. */
export type SessionLocation = { readonly store: SessionStore; readonly sessionId: string };

/** The flags that describe an agent and the output of its turns. */
export type AgentFlags = Values<typeof AGENT> & Values<typeof JSON_EVENTS>;

/** Changes the configuration of an agent before it is made. */
export type ConfigChange = (config: AgentConfig) => AgentConfig | Promise<AgentConfig>;

/** Calls `use` with the agent of the flags and the environment, and closes it. Prints which model it asks. */
export async function withAgent<T>(
  flags: AgentFlags,
  io: CliIo,
  location: SessionLocation | undefined,
  use: (agent: Agent) => Promise<T>,
  change?: ConfigChange,
): Promise<T> {
  const servers = await openMcpServers(flags, io);
  return withCleanup(async () => {
    return withClosing(await openAgent(flags, io, location, servers.tools, change), use);
  }, servers.close);
}

/** The model of the flags and the environment, and what says where it is. */
async function openModel(
  flags: AgentFlags,
  env: CliIo["env"],
): Promise<{ readonly model: ChatModel; readonly where: string }> {
  const provided = await aiSdkProviderModel(flags, env);
  if (provided) return { model: provided, where: provided.name };
  const chosen = chooseModel(flags, env);
  return { model: openaiModel(chosen), where: `${chosen.model} at ${new URL(chosen.baseURL).host}` };
}

/** Makes the agent of the flags and the environment, with these tools besides its own. Prints which model it asks. */
export async function openAgent(
  flags: AgentFlags,
  { env, terminal }: CliIo,
  location: SessionLocation | undefined,
  mcpTools: readonly Tool[],
  change: ConfigChange = (config) => config,
): Promise<Agent> {
  const { model, where } = await openModel(flags, env);
  const tools = [...(await Promise.all(flags.tools.map(loadTools))).flat(), ...mcpTools];
  const config: AgentConfig = {
    name: "assistant",
    model,
    tools,
    maxIters: flags.maxIters,
    ...location,
    ...(flags.system !== undefined && { sysPrompt: flags.system }),
    ...(flags.skills.length > 0 && { hooks: [skills({ dirs: flags.skills })] }),
  };
  const agent = createAgent(await change(config));
  agent.subscribe((event) => {
    if (event.type !== "slot" || event.name !== skillWarningsSlot.name) return;
    for (const warning of event.value as readonly string[]) terminal.warn(`Skill left out: ${warning}`);
  });
  const names = agent.toolkit.names().join(", ");
  const parts = [
    where,
    ...(names ? [`tools: ${names}`] : []),
    ...(location ? [`session ${location.sessionId}`] : []),
  ];
  if (!flags.json) terminal.note(parts.join(", "));
  return agent;
}

/** The tools that a file exports: its default export, which is a tool or an array of tools, or otherwise every named export
 *  that is a tool. Rejects with `config/invalid` and one line that names the file and the remedy. */
async function loadTools(file: string): Promise<readonly Tool[]> {
  const { default: main, ...named } = await importFile(file, "tools");
  if (Array.isArray(main)) {
    const wrong = main.findIndex((entry) => !isTool(entry));
    if (wrong >= 0) {
      throw configError(
        `Entry ${wrong + 1} of the default export of ${file} is not a tool: make it with defineTool().`,
      );
    }
  }
  const listed = [main].flat().filter(isTool);
  const tools = [...new Set(listed.length > 0 ? listed : Object.values(named).flat().filter(isTool))];
  if (tools.length === 0) {
    throw configError(
      `${file} exports no tools: export them by name or as "export default [...]", made with defineTool().`,
    );
  }
  return tools;
}

/** Whether defineTool() made the value, also that of another copy of this package. */
function isTool(value: unknown): value is Tool {
  if (typeof value !== "object" || value === null) return false;
  const { name, description, inputSchema, external } = value as Partial<Tool>;
  return (
    typeof name === "string" &&
    typeof description === "string" &&
    typeof inputSchema === "object" &&
    typeof external === "boolean"
  );
}
