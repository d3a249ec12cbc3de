import { createAgent, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { at, type Place } from "./place.ts";

/** F: three of fifty parallel calls fail in their first attempts, and one of the three fails for good. */
export async function parallelFailures(place: Place): Promise<Agent> {
  const fetchPage = defineTool({
    name: "fetch_page",
    description: "Fetches a page.",
    input: z.object({ page: z.number() }),
    execution: { maxAttempts: 3, initialBackoffMs: 1, maxBackoffMs: 2, retryOn: "all" },
    execute: ({ page }, { attempt }) => {
      if (page === 41) throw new Error(`Page ${page} is gone since the move to the new server.`);
      if ((page === 7 || page === 23) && attempt < 3)
        throw new Error(`Connection ${attempt} to page ${page} was reset.`);
      return `Page ${page}`;
    },
  });
  const calls = Array.from({ length: 50 }, (_, page) => ({
    id: `p${page}`,
    name: "fetch_page",
    input: { page },
  }));
  const agent = createAgent({
    ...at(place, "parallel-failures"),
    name: "crawler",
    model: scriptedModel([{ calls }, "I have read 49 pages."]),
    tools: [fetchPage],
    parallelToolCalls: true,
  });
  await agent.call("Read all pages.");
  return agent;
}
