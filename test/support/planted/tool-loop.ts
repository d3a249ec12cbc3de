import { createAgent, defineTool, type Agent } from "agentchart";
import { z } from "zod";
import { scriptedModel } from "agentchart/testing";
import { at, type Place } from "./place.ts";

/** B: the model asks the same question again and again, until the iterations are used up. */
export async function toolLoop(place: Place): Promise<Agent> {
  const search = defineTool({
    name: "search_docs",
    description: "Searches the documents.",
    input: z.object({ query: z.string() }),
    execute: () => "0 documents found. Try another query.",
  });
  const again = { calls: [{ name: "search_docs", input: { query: "refund policy" } }] };
  const agent = createAgent({
    ...at(place, "tool-loop"),
    name: "librarian",
    model: scriptedModel([...Array.from({ length: 5 }, () => again), "I did not find it."]),
    tools: [search],
    maxIters: 5,
  });
  await agent.call("What is our refund policy?");
  return agent;
}
