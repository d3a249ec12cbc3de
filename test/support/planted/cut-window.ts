import { createAgent, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { at, type Place } from "./place.ts";

/** The window of the agent has cut the message with the order number, which the answer gets wrong. */
export async function cutWindow(place: Place): Promise<Agent> {
  const agent = createAgent({
    ...at(place, "cut-window"),
    name: "clerk",
    model: scriptedModel(["Noted.", "A blue one, then.", "Your order ORD-71 is changed."]),
    modelOptions: { contextWindow: { maxMessages: 4 } },
  });
  await agent.call("My order is ORD-17, a red lamp.");
  await agent.call("I would rather have a blue one.");
  await agent.call("Change my order.");
  return agent;
}
