import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { at, type Place } from "./place.ts";

/** The answer is late, because a tool runs out of time twice before it answers. */
export async function slowTool(place: Place): Promise<Agent> {
  const report = defineTool({
    name: "make_report",
    description: "Makes a report.",
    input: z.object({ day: z.string() }),
    execution: { timeoutMs: 120, maxAttempts: 3, initialBackoffMs: 1, maxBackoffMs: 2, retryOn: "all" },
    execute: async ({ day }, { attempt, signal }) => {
      if (attempt < 3) await sleep(60_000, undefined, { signal });
      return `The report of ${day}.`;
    },
  });
  const agent = createAgent({
    ...at(place, "slow-tool"),
    name: "reporter",
    model: scriptedModel([
      { calls: [{ id: "report", name: "make_report", input: { day: "2026-11-24" } }] },
      "Here it is.",
    ]),
    tools: [report],
  });
  await agent.call("The report of today, please.");
  return agent;
}
