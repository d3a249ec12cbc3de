import { createAgent, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { at, type Place } from "./place.ts";

const SMALL_TALK = "We are glad that you are our customer, and that you like our lamps. ".repeat(40);

/** A summary of the conversation leaves out the order number, which the next answer gets wrong. */
export async function lostFact(place: Place): Promise<Agent> {
  const agent = createAgent({
    ...at(place, "lost-fact"),
    name: "clerk",
    model: scriptedModel([
      `Noted. ${SMALL_TALK}`,
      `A blue one, then. ${SMALL_TALK}`,
      "Your order ORD-71 is changed.",
    ]),
    compaction: {
      keepRecentTokens: 100,
      model: scriptedModel(["The customer wants a blue lamp instead of a red one."]),
    },
  });
  await agent.call("My order is ORD-17, a red lamp.");
  await agent.call("I would rather have a blue one.");
  await agent.compact();
  await agent.call("Change my order.");
  return agent;
}
