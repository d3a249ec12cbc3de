import { createAgent, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { at, type Place } from "./place.ts";

/** E: one request is so large that the budget of tokens is used up, and the call that it led to does not run. */
export async function tokenBudget(place: Place): Promise<Agent> {
  const read = defineTool({
    name: "read_ledger",
    description: "Reads a ledger.",
    input: z.object({ year: z.number() }),
    execute: ({ year }) => `The ledger of ${year} is balanced.`,
  });
  const ask = (id: string, year: number, inputTokens: number) => ({
    calls: [{ id, name: "read_ledger", input: { year } }],
    usage: { inputTokens, outputTokens: 60 },
  });
  const agent = createAgent({
    ...at(place, "token-budget"),
    name: "auditor",
    model: scriptedModel([ask("l1", 2024, 900), ask("l2", 2025, 11_600), "Balanced."]),
    tools: [read],
    budget: { totalTokens: 12_000 },
  });
  await agent.call("Check all ledgers.");
  return agent;
}
