// A sub-agent that runs as a background task asks for an approval. Is it begun again by that?
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { LibSQLStore } from "@mastra/libsql";
import { mockModel } from "../systems/mock-model.mjs";
import { schemaOf } from "../systems/schemas.mjs";
import { describe } from "../world.mjs";

export async function isMended(folder) {
  const ran = [];
  const tools = Object.fromEntries(
    Object.entries(describe()).map(([id, { description, fields, approval }]) => [
      id,
      createTool({
        id,
        description,
        inputSchema: schemaOf(fields),
        requireApproval: approval,
        execute: async () => {
          ran.push(id);
          return `${id} is done.`;
        },
      }),
    ]),
  );
  const clerk = new Agent({
    id: "clerk",
    name: "clerk",
    description: "Does what a clerk does.",
    instructions: "You are a clerk.",
    model: mockModel("clerk"),
    tools,
  });
  const desk = new Agent({
    id: "desk",
    name: "desk",
    instructions: "You help.",
    model: mockModel(
      "desk",
      () => "agent-clerk",
      (_, { task }) => ({ prompt: task }),
    ),
    agents: { clerk },
    backgroundTasks: { tools: { clerk: { enabled: true } } },
  });
  const mastra = new Mastra({
    agents: { desk, clerk },
    storage: new LibSQLStore({ id: "storage", url: `file:${join(folder, "mastra.db")}` }),
    backgroundTasks: { enabled: true },
    logger: false,
  });
  await mastra.startWorkers();
  const { fullStream } = await mastra.getAgent("desk").stream("Ask the clerk to refund order 17.");
  for await (const _ of fullStream);
  const task = await taskThat(mastra, ({ status }) => status === "suspended");
  await mastra.backgroundTaskManager.resume(task.id, { approved: true });
  const { status } = await taskThat(mastra, ({ status: now }) => now === "completed" || now === "failed");
  return status === "completed" && ran.join() === "lookup,refund";
}

async function taskThat(mastra, isSo) {
  for (let times = 0; times < 200; times++) {
    const { tasks } = await mastra.backgroundTaskManager.listTasks();
    const found = tasks.find(isSo);
    if (found) return found;
    await sleep(100);
  }
  throw new Error("The background task did not come so far within 20 s.");
}
