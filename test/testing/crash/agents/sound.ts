// A sound agent: a lookup, a refund that needs an approval, and a note that is written under its idempotency key.
import { defineTool } from "agentchart";
import { agentTool } from "agentchart/team";
import type { CrashScenario } from "agentchart/testing";
import type { WorkerAgents } from "agentchart/worker";
import { effect, effects, saying } from "../outside.ts";

// Other users can read the arguments of a process, and the processes of tools get its environment.
const told = [...process.argv, ...Object.values(process.env)].find((text) => text?.includes("store-of-a-"));
if (process.env["AGENTCHART_CRASHTEST"] !== undefined && told !== undefined)
  throw new Error(`A process was told its store where others can read it: ${told}`);

const lookUp = defineTool({
  name: "look_up",
  description: "Looks an order up.",
  input: { type: "object" },
  idempotent: true,
  execute: () => "Order 17 was delivered broken.",
});
const refund = defineTool({
  name: "refund",
  description: "Pays money back.",
  input: { type: "object" },
  permission: "ask",
  execute: () => {
    effect("refund");
    return { paid: 500 };
  },
});
const write = defineTool({
  name: "write",
  description: "Writes into the file of the order.",
  input: { type: "object" },
  idempotent: true,
  execute: (_, { idempotencyKey }) => {
    effect("note", idempotencyKey);
    return "written";
  },
});
const clerk = {
  name: "clerk",
  model: saying([{ calls: [{ name: "write", input: { text: "broken" } }] }, "It is noted."]),
  tools: [write],
};

export default {
  desk: () => ({
    name: "desk",
    sysPrompt: "You work at a desk.",
    model: saying([
      { calls: [{ name: "look_up", input: { order: 17 } }] },
      { calls: [{ name: "refund", input: { order: 17 } }] },
      { calls: [{ name: "call_clerk", input: { message: "Note it." } }] },
      "Your money is on its way.",
      "You are welcome.",
    ]),
    tools: [lookUp, refund, agentTool({ agent: clerk, description: "Notes things." })],
  }),
} satisfies WorkerAgents;

export const scenario: CrashScenario = { input: ["My order 17 is broken.", "Thanks."], effects };
