import { createAgent, defineHook, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { at, type Place } from "./place.ts";

/** A hook that everybody has forgotten changes the system prompt, so that the agent names prices in another currency. */
export async function hookChangesPrompt(place: Place): Promise<Agent> {
  const agent = createAgent({
    ...at(place, "hook-changes-prompt"),
    name: "seller",
    model: scriptedModel(["The lamp costs 40 dollars."]),
    sysPrompt: "You sell lamps. Prices are in euros. Be brief.",
    hooks: [
      defineHook({ name: "greeter", preCall: () => undefined }),
      defineHook({
        name: "launch-in-america",
        preReasoning: ({ system }) => ({ system: system.replace("euros", "dollars") }),
      }),
    ],
  });
  await agent.call("What does the red lamp cost?");
  return agent;
}
