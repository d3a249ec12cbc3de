import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { at, type Place } from "./place.ts";

/** A journal has times of whole ms. */
const TAKES_MS = 20;

/** S: two calls at once write one cell, and the first one of them is the last to end. */
export async function writeOrder(place: Place): Promise<Agent> {
  const second = Promise.withResolvers<void>();
  const write = defineTool({
    name: "write_cell",
    description: "Writes a cell of the sheet.",
    input: z.object({ workbook: z.string(), cell: z.string(), value: z.number() }),
    execute: async ({ value }) => {
      if (value === 2) second.resolve();
      else {
        await second.promise;
        await sleep(TAKES_MS);
      }
      return `The cell is ${value}.`;
    },
  });
  const workbook = "budget-of-the-whole-company-2026.xlsx";
  const agent = createAgent({
    ...at(place, "write-order"),
    name: "clerk",
    model: scriptedModel([
      {
        calls: [
          { id: "first", name: "write_cell", input: { workbook, cell: "total", value: 1 } },
          { id: "second", name: "write_cell", input: { workbook, cell: "total", value: 2 } },
        ],
      },
      "The total is 2.",
    ]),
    tools: [write],
    parallelToolCalls: true,
  });
  await agent.call("Put 1 into the total, then 2.");
  return agent;
}
