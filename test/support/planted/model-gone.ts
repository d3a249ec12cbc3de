import { AgentError, createAgent, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { at, type Place } from "./place.ts";

/** H: the model fails for good. */
export async function modelGone(place: Place, sessionId = "model-gone"): Promise<Agent> {
  const gone = new AgentError(
    "model/bad-request",
    "The model 'gpt-4.1-mini-2025-04-14' was retired on 1 November; the deployment still asks for it.\nName another model in the settings of the deployment.",
  );
  const agent = createAgent({
    ...at(place, sessionId),
    name: "greeter",
    model: scriptedModel([{ error: gone }]),
  });
  await agent.call("Hello").catch(() => {});
  return agent;
}
