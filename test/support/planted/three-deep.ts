import { createAgent, type Agent } from "agentchart";
import { agentTool } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { at, type Place } from "./place.ts";

/** L: of three agents inside of each other, the one in the middle leaves the country out of its question. */
export async function threeDeep(place: Place): Promise<Agent> {
  const inspect = place.inspect === undefined ? {} : { inspect: place.inspect };
  const statistician = agentTool({
    agent: {
      name: "statistician",
      model: scriptedModel(["Eight hundred million bicycles."]),
      ...inspect,
    },
    description: "Knows numbers.",
  });
  const analyst = agentTool({
    agent: {
      name: "analyst",
      model: scriptedModel([
        {
          calls: [
            { id: "ask-2", name: "call_statistician", input: { message: "How many bicycles are there?" } },
          ],
        },
        "There are eight hundred million.",
      ]),
      tools: [statistician],
      ...inspect,
    },
    description: "Answers questions with numbers.",
  });
  const agent = createAgent({
    ...at(place, "three-deep"),
    name: "editor",
    model: scriptedModel([
      {
        calls: [
          { id: "ask-1", name: "call_analyst", input: { message: "How many bicycles are there in France?" } },
        ],
      },
      "France has eight hundred million bicycles.",
    ]),
    tools: [analyst],
  });
  await agent.call("Write a line about bicycles in France.");
  return agent;
}
