import { createAgent, defineTool, type Agent } from "agentchart";
import { agentTool } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { at, type Place } from "./place.ts";

/** G: the planner's wrong answer comes from a sub-agent that it called: the tool of that one had no data. */
export async function innerAgent(place: Place): Promise<Agent> {
  const lookUp = defineTool({
    name: "look_up",
    description: "Looks up the price of a part.",
    input: z.object({ part: z.string() }),
    execute: ({ part }) => {
      throw new Error(`The price list of 2025 has no part ${part}.`);
    },
  });
  const researcher = agentTool({
    agent: {
      name: "researcher",
      model: scriptedModel([
        { calls: [{ id: "price", name: "look_up", input: { part: "M8-40" } }] },
        "It costs about 3 euros.",
      ]),
      tools: [lookUp],
      ...(place.inspect !== undefined && { inspect: place.inspect }),
    },
    description: "Researches a question.",
  });
  const agent = createAgent({
    ...at(place, "inner-agent"),
    name: "planner",
    model: scriptedModel([
      { calls: [{ id: "ask", name: "call_researcher", input: { message: "What does M8-40 cost?" } }] },
      "The order costs 300 euros.",
    ]),
    tools: [researcher],
  });
  await agent.call("What do 100 screws M8-40 cost?");
  return agent;
}
