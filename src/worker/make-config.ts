import { setTimeout as sleep } from "node:timers/promises";
import { createAgent } from "../agent/create-agent.ts";
import { AgentError, errorInfo, type ErrorInfo } from "../core/base/error.ts";
import { hideSecrets } from "../core/base/hide-secrets.ts";
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
    throw new AgentError("config/invalid", "The agent's function returned no configuration.");
  const { output } = config as AnyWorkerAgentConfig;
  if (output !== undefined) jsonSchemaOf(output); // throws for one that cannot be used
  return config as AnyWorkerAgentConfig;
}

/** An agent that could not be made, and why. */
export type FailedAgent = { readonly agent: string; readonly error: ErrorInfo };

async function tryAgent(
  agent: string,
  make: WorkerAgents[string],
  { withinMs, signal }: { readonly withinMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const session: WorkerSession = { sessionId: `trial of ${agent}`, meta: { agent } };
  const late = sleep(withinMs, undefined, { signal, ref: false }).then(() => {
    throw new AgentError("config/invalid", `The agent's function did not return within ${withinMs} ms.`);
  });
  late.catch(() => {}); // it was ended
  const { output: _, inspect: __, ...config } = await Promise.race([makeConfig(make, session), late]);
  const made = createAgent(config as Parameters<typeof createAgent>[0]);
  await made.close();
}

/** Makes each agent once, for a session that does not exist and has no labels but `agent`, and runs nothing. A problem with a configuration
 *  is thus known when a program starts, and not with the first input. Returns the agents that cannot be made. */
export async function tryAgents(agents: WorkerAgents, withinMs = TRIAL_MS): Promise<readonly FailedAgent[]> {
  const over = new AbortController();
  const tried = Object.entries(agents).map(async ([agent, make]): Promise<readonly FailedAgent[]> => {
    try {
      await tryAgent(agent, make, { withinMs, signal: over.signal });
      return [];
    } catch (thrown) {
      const { code, message } = errorInfo(thrown, "config/invalid");
      return [{ agent, error: { code, message: hideSecrets(message) } }];
    }
  });
  const failed = (await Promise.all(tried)).flat();
  over.abort();
  return failed;
}
