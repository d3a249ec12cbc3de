import { createAgent } from "../agent/create-agent.ts";
import { configError, errorInfo, type ErrorInfo } from "../core/base/error.ts";
import { hideSecrets } from "../core/base/secrets.ts";
import { endsWithin } from "../store/deadlines.ts";
import { jsonSchemaOf } from "../core/tool/schema.ts";
import type { AnyWorkerAgentConfig, WorkerAgents, WorkerSession } from "./types.ts";

/** The maximum time of the function of an agent at the start of a program, ms. */
const TRIAL_MS = 10_000;

/** Makes the configuration of the agent of a session. Rejects with what the function throws, and `config/invalid` if it returns none, or
 *  an `output` that cannot be used. */
export async function makeConfig(
  make: WorkerAgents[string],
  session: WorkerSession,
): Promise<AnyWorkerAgentConfig> {
  const config: unknown = await make(session);
  if (typeof config !== "object" || config === null)
    throw configError("The agent's function returned no configuration.");
  const { output } = config as AnyWorkerAgentConfig;
  if (output !== undefined) jsonSchemaOf(output); // throws for one that cannot be used
  return config as AnyWorkerAgentConfig;
}

/** An agent that could not be made, and why. */
export type FailedAgent = { readonly agent: string; readonly error: ErrorInfo };

async function tryAgent(agent: string, make: WorkerAgents[string], withinMs: number): Promise<void> {
  const making = makeConfig(make, { sessionId: `trial of ${agent}`, meta: { agent } });
  if (!(await endsWithin(making, withinMs)))
    throw configError(`The agent's function did not return within ${withinMs} ms.`);
  const { output: _, inspect: __, ...config } = await making;
  const made = createAgent(config as Parameters<typeof createAgent>[0]);
  await made.close();
}

/** Makes each agent once, for a session that does not exist and has no labels but `agent`, and runs nothing. A problem with a configuration
 *  is thus known when a program starts, and not with the first input. Returns the agents that cannot be made. */
export async function tryAgents(agents: WorkerAgents, withinMs = TRIAL_MS): Promise<readonly FailedAgent[]> {
  const tried = Object.entries(agents).map(async ([agent, make]): Promise<readonly FailedAgent[]> => {
    try {
      await tryAgent(agent, make, withinMs);
      return [];
    } catch (thrown) {
      const { code, message } = errorInfo(thrown, "config/invalid");
      return [{ agent, error: { code, message: hideSecrets(message) } }];
    }
  });
  return (await Promise.all(tried)).flat();
}
