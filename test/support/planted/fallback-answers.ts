import { AgentError, createAgent, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { at, type Place } from "./place.ts";

/** The answer is poor, because the fallback model has given it: the model was refused. */
export async function fallbackAnswers(place: Place): Promise<Agent> {
  const refused = new AgentError("model/auth", "The key of the project 'shop' has expired.");
  const agent = createAgent({
    ...at(place, "fallback-answers"),
    name: "adviser",
    model: scriptedModel([{ error: refused }], { name: "large" }),
    modelOptions: { fallbackModel: scriptedModel(["42, I guess."], { name: "small" }) },
  });
  await agent.call("What is the answer?");
  return agent;
}
