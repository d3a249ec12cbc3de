import { createAgent, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { at, type Place } from "./place.ts";

/** A structured answer is refused twice before it fits its schema. */
export async function refusedOutput(place: Place): Promise<Agent> {
  const answer = (id: string, response: { readonly [key: string]: string | number }) => ({
    calls: [{ id, name: "generate_response", input: { response } }],
  });
  const agent = createAgent({
    ...at(place, "refused-output"),
    name: "biller",
    model: scriptedModel([
      answer("r1", { total: "12 euros" }),
      answer("r2", { total: 12, currency: "euros" }),
      answer("r3", { total: 12, currency: "EUR" }),
    ]),
  });
  await agent.call("What does it cost?", {
    output: z.object({ total: z.number(), currency: z.enum(["EUR", "USD"]) }),
  });
  return agent;
}
