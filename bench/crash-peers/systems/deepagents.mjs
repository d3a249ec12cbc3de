import { join } from "node:path";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createDeepAgent } from "deepagents";
import { Model, stepsOf, toolsFor } from "./langchain-parts.mjs";

export function open({ folder, release }, world) {
  const { tools, interruptOn } = toolsFor(release, world);
  const agent = createDeepAgent({
    model: new Model("desk", ({ name, args }) =>
      name === "clerk"
        ? { name: "task", args: { description: args.task, subagent_type: "clerk" } }
        : { name, args },
    ),
    checkpointer: SqliteSaver.fromConnString(join(folder, "checkpoints.db")),
    subagents: [
      {
        name: "clerk",
        description: "Does what a clerk does.",
        systemPrompt: "You are a clerk.",
        model: new Model("clerk"),
        tools,
        interruptOn,
      },
    ],
  });
  return stepsOf(agent, (config) => agent.getState(config));
}
