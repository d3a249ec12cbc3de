import { createAgent, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { at, type Place } from "./place.ts";

/** D: the run waits for an approval that nobody has given. */
export async function forgottenApproval(place: Place): Promise<Agent> {
  const deploy = defineTool({
    name: "deploy",
    description: "Deploys a release.",
    input: z.object({ release: z.string(), region: z.string() }),
    permission: "ask",
    execute: () => "Deployed.",
  });
  const agent = createAgent({
    ...at(place, "forgotten-approval"),
    name: "releaser",
    model: scriptedModel([
      { calls: [{ id: "deploy-1", name: "deploy", input: { release: "4.2.0", region: "eu-west" } }] },
      "It is out.",
    ]),
    tools: [deploy],
    permissions: { rules: [{ tool: "deploy", action: "ask", reason: "A release needs a second person." }] },
  });
  await agent.call("Ship the release.");
  return agent;
}
