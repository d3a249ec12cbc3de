import { AgentError } from "../../base/error.ts";
import type { WorkerAgents } from "../../worker/types.ts";
import { importFile } from "../import-file.ts";

/** The agents that a file exports as its default export or by the name `agents`. Rejects with `config/invalid` and one line
 *  that names the file and the remedy. */
export async function loadAgents(file: string): Promise<WorkerAgents> {
  const module = await importFile(file, "agents");
  const agents = module["default"] ?? module["agents"];
  if (typeof agents !== "object" || agents === null || Object.keys(agents).length === 0) {
    throw invalid(
      `${file} exports no agents: use "export default { name: (session) => ({ name, model, tools, … }) }".`,
    );
  }
  const wrong = Object.entries(agents).find(([, make]) => typeof make !== "function");
  if (wrong) {
    throw invalid(`"${wrong[0]}" in ${file} is not a function that returns the configuration of an agent.`);
  }
  return agents as WorkerAgents;
}

function invalid(message: string): AgentError {
  return new AgentError("config/invalid", message);
}
