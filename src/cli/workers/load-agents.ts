import { configError } from "../../core/base/error.ts";
import { tryAgents, type FailedAgent } from "../../worker/make-config.ts";
import type { AnyWorkerAgentConfig, WorkerAgents } from "../../worker/types.ts";
import { asSentence } from "../error-message.ts";
import { importMain } from "../import-file.ts";
import type { Log } from "./open-log.ts";

/** The agents that a file exports as its default export or by the name `agents`. Rejects with `config/invalid` and one line
 *  that names the file and the remedy. */
export async function loadAgents(file: string): Promise<WorkerAgents> {
  const agents = await importMain(file, "agents");
  if (typeof agents !== "object" || agents === null || Object.keys(agents).length === 0) {
    throw configError(
      `${file} exports no agents: use "export default { name: (session) => ({ name, model, tools, … }) }".`,
    );
  }
  const wrong = Object.entries(agents).find(([, make]) => typeof make !== "function");
  if (wrong) {
    throw configError(
      `"${wrong[0]}" in ${file} is not a function that returns the configuration of an agent.`,
    );
  }
  return agents as WorkerAgents;
}

/** The same agents with these options, which their own replace. */
export function withOptions(agents: WorkerAgents, options: Partial<AnyWorkerAgentConfig>): WorkerAgents {
  const made = Object.entries(agents).map(([name, make]) => {
    const changed: WorkerAgents[string] = async (session) => {
      const config: AnyWorkerAgentConfig = await make(session);
      return typeof config === "object" && config !== null ? { ...options, ...config } : config;
    };
    return [name, changed];
  });
  return Object.fromEntries(made) as WorkerAgents;
}

/** Says of an agent that could not be made at the start what is wrong with it, and what becomes of its sessions. */
export const failedText = ({ agent, error }: FailedAgent): string =>
  `The agent '${agent}' cannot be made: ${asSentence(error.message)}`;

/** Makes each agent once and logs those that cannot be made. Their inputs are refused after a few tries; a function that needs the labels
 *  of a real session may work then. */
export async function checkAgents(agents: WorkerAgents, log: Log): Promise<void> {
  for (const { agent, error } of await tryAgents(agents))
    log.write("error", "agent.failed", { agent, error: log.error(error) });
}
