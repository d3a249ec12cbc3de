import { createAgent, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { at, type Place } from "./place.ts";

/** M: the description of a tool promises euros, and the tool returns cents. */
export async function lyingDescription(place: Place): Promise<Agent> {
  const price = defineTool({
    name: "price_of",
    description: "Returns the price of an article in euros.",
    input: z.object({ article: z.string() }),
    execute: () => 4_000,
  });
  const agent = createAgent({
    ...at(place, "lying-description"),
    name: "shop",
    model: scriptedModel([
      { calls: [{ id: "price", name: "price_of", input: { article: "lamp" } }] },
      "The lamp costs 4000 euros.",
    ]),
    tools: [price],
  });
  await agent.call("What does the lamp cost?");
  return agent;
}
