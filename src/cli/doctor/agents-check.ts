import { asSentence } from "../error-message.ts";
import { loadAgents } from "../workers/load-agents.ts";
import { makeConfig, tryAgents } from "../../worker/make-config.ts";
import { askModel } from "./ask-model.ts";
import { ok, wrong, type Check } from "./check.ts";

/** Makes each agent of the file as a worker does at its start, and asks their models if that is allowed. */
export const agentsCheck: Check = {
  name: "agents",
  async run({ flags: { agents: file, online, timeLimit } }, signal) {
    if (file === undefined) return [];
    const agents = await loadAgents(file);
    const failed = new Map(
      (await tryAgents(agents, timeLimit)).map(({ agent, error }) => [agent, error.message]),
    );
    const found = Object.entries(agents).map(async ([agent, make]) => {
      const problem = failed.get(agent);
      if (problem !== undefined)
        return [wrong("agents", `'${agent}' cannot be made: ${asSentence(problem)}`)];
      const made = ok("agents", `'${agent}' can be made`);
      if (!online) return [made];
      const { model } = await makeConfig(make, { sessionId: "doctor", meta: { agent } });
      return [made, await askModel(model, `that of '${agent}'`, signal)];
    });
    return (await Promise.all(found)).flat();
  },
};
