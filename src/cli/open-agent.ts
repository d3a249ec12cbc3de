import { createAgent } from "../agent/create-agent.ts";
import type { Agent } from "../agent/types.ts";
import { openaiModel } from "../model/openai/openai-model.ts";
import type { SessionStore } from "../store/port.ts";
import { chooseModel } from "./choose-model.ts";
import { ending } from "./ending.ts";
import { loadTools } from "./load-tools.ts";
import type { GivenFlags } from "./read-flags.ts";
import type { Surroundings } from "./surroundings.ts";
import { countOf } from "./words.ts";

/** Where an agent lives that is to outlive its process. */
export type Home = { readonly store: SessionStore; readonly sessionId: string };

/** Calls `use` with the agent that the flags and the environment describe, and gives its session up afterwards. Says which
 *  model it will ask. */
export async function withAgent<T>(
  flags: GivenFlags,
  surroundings: Surroundings,
  home: Home | undefined,
  use: (agent: Agent) => Promise<T>,
): Promise<T> {
  const agent = await agentOf(flags, surroundings, home);
  return ending(
    () => use(agent),
    () => agent.close(),
  );
}

async function agentOf(
  flags: GivenFlags,
  { env, terminal }: Surroundings,
  home: Home | undefined,
): Promise<Agent> {
  const maxIters = countOf(flags, "max-iters");
  const [model, baseURL, sysPrompt] = [flags.text("model"), flags.text("base-url"), flags.text("system")];
  const chosen = chooseModel({ ...(model && { model }), ...(baseURL && { baseURL }) }, env);
  const tools = (await Promise.all(flags.texts("tools").map(loadTools))).flat();
  const agent = createAgent({
    name: "assistant",
    model: openaiModel(chosen),
    tools,
    ...home,
    ...(maxIters !== undefined && { maxIters }),
    ...(sysPrompt !== undefined && { sysPrompt }),
  });
  const names = agent.toolkit.names().join(", ");
  const parts = [
    `${chosen.model} at ${new URL(chosen.baseURL).host}`,
    ...(names ? [`tools: ${names}`] : []),
    ...(home ? [`session ${home.sessionId}`] : []),
  ];
  if (!flags.has("json")) terminal.note(parts.join(", "));
  return agent;
}
