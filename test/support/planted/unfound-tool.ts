import { createAgent, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { at, type Place } from "./place.ts";

/** T: the tool that would help is deferred, and the words of the search do not find it. */
export async function unfoundTool(place: Place): Promise<Agent> {
  const refund = defineTool({
    name: "refund",
    description: "Returns a payment.",
    input: { type: "object" },
    deferred: true,
    execute: () => "done",
  });
  const agent = createAgent({
    ...at(place, "unfound-tool"),
    name: "support",
    model: scriptedModel([
      { calls: [{ id: "search", name: "search_tools", input: { query: "money back" } }] },
      "I cannot give money back.",
    ]),
    tools: [refund],
  });
  await agent.call("I want my money back.");
  return agent;
}
