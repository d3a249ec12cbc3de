import { createAgent, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { at, type Place } from "./place.ts";

/** The model misses what stands in the middle of a large result, because it was shown only a part of it. */
export async function cutResult(place: Place): Promise<Agent> {
  const lines = Array.from({ length: 4_000 }, (_, line) => `${line}: pump ${line % 90} runs normally`);
  const readLog = defineTool({
    name: "read_log",
    description: "Reads a log.",
    input: z.object({ day: z.string() }),
    execute: () => [...lines, "pump 7 has STOPPED", ...lines].join("\n"),
  });
  const agent = createAgent({
    ...at(place, "cut-result"),
    name: "watchman",
    model: scriptedModel([
      { calls: [{ id: "log", name: "read_log", input: { day: "2026-11-24" } }] },
      "All pumps run normally.",
    ]),
    tools: [readLog],
    toolOptions: { results: { maxTokens: 200 } },
  });
  await agent.call("Does every pump run?");
  return agent;
}
