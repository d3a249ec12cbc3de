import { join } from "node:path";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createAgent, humanInTheLoopMiddleware, tool } from "langchain";
import { z } from "zod";
import { Model, stepsOf, toolsFor } from "./langchain-parts.mjs";

export function open({ folder, release, scenario }, world) {
  const { tools, interruptOn } = toolsFor(release, world);
  const middleware = [humanInTheLoopMiddleware({ interruptOn })];
  const clerk = createAgent({ model: new Model("clerk"), tools, middleware, name: "clerk" });
  const askClerk = tool(
    async ({ task }) => {
      const { messages } = await clerk.invoke({ messages: [{ role: "user", content: task }] });
      return messages.at(-1).text;
    },
    { name: "clerk", description: "Does what a clerk does.", schema: z.object({ task: z.string() }) },
  );
  const agent = createAgent({
    model: new Model("desk"),
    checkpointer: SqliteSaver.fromConnString(join(folder, "checkpoints.db")),
    ...(scenario === "sub-agent" ? { tools: [askClerk] } : { tools, middleware }),
  });
  return stepsOf(agent, (config) => agent.graph.getState(config));
}
