import { defineTool, type ChatModel } from "agentchart";
import type { WorkerAgents } from "agentchart/worker";
import { z } from "zod";
import { chooseModel, resultIn } from "./model.ts";

const orderStatus = defineTool({
  name: "order_status",
  description: "Says where an order is.",
  input: z.object({ orderId: z.string() }),
  idempotent: true, // after a crash of the worker it may run again
  execute: ({ orderId }) => (orderId === "17" ? "shipped on Monday" : "unknown"),
});

/** The configuration of the agent; workers make one for each session. */
export const desk = (model: ChatModel) => ({
  name: "desk",
  sysPrompt: "You help customers.",
  model,
  tools: [orderStatus],
});

const model = chooseModel(
  (request) => resultIn(request) ?? { tool: "order_status", input: { orderId: "17" } },
);

export default { desk: () => desk(model) } satisfies WorkerAgents;
