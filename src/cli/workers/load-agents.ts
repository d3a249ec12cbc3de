import { statSync } from "node:fs";
import { resolve } from "node:path";
import { AgentError } from "../../base/error.ts";
import type { WorkerAgents } from "../../worker/types.ts";
import { importFile } from "../import-file.ts";

/** The agents that a file exports, as its default export or by the name `agents`. Throws `config/invalid` with a line that
 *  names the file and says what to do. */
export async function loadAgents(file: string): Promise<WorkerAgents> {
  const path = resolve(file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw invalid(`There is no agents file ${path}: check --agents.`);
  }
  const module = await importFile(file, path);
  const agents = module["default"] ?? module["agents"];
  if (typeof agents !== "object" || agents === null || Object.keys(agents).length === 0) {
    throw invalid(
      `${file} exports no agents: say "export default { name: (session) => ({ name, model, tools, … }) }".`,
    );
  }
  const stranger = Object.entries(agents).find(([, make]) => typeof make !== "function");
  if (stranger) {
    throw invalid(
      `"${stranger[0]}" in ${file} is no function of a session that gives an agent's configuration.`,
    );
  }
  return agents as WorkerAgents;
}

function invalid(message: string): AgentError {
  return new AgentError("config/invalid", message);
}
