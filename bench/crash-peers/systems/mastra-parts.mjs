import { join } from "node:path";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { LibSQLStore } from "@mastra/libsql";
import { describe } from "../world.mjs";
import { mockModel } from "./mock-model.mjs";
import { schemaOf } from "./schemas.mjs";

export const storageOf = (folder) =>
  new LibSQLStore({ id: "storage", url: `file:${join(folder, "mastra.db")}` });

/** The agent, as its users define it. */
export function deskOf({ release, scenario }, world) {
  const tools = Object.fromEntries(
    Object.entries(describe(release)).map(([id, { description, fields, approval }]) => [
      id,
      createTool({
        id,
        description,
        inputSchema: schemaOf(fields),
        requireApproval: approval,
        execute: (args, context) => world[id](args, context?.agent?.toolCallId),
      }),
    ]),
  );
  const desk = { id: "desk", name: "desk", instructions: "You help." };
  if (scenario !== "sub-agent") return new Agent({ ...desk, model: mockModel("desk"), tools });
  const clerk = new Agent({
    id: "clerk",
    name: "clerk",
    description: "Does what a clerk does.",
    instructions: "You are a clerk.",
    model: mockModel("clerk"),
    tools,
  });
  const model = mockModel(
    "desk",
    () => "agent-clerk",
    (_, { task }) => ({ prompt: task }),
  );
  return new Agent({ ...desk, model, agents: { clerk } });
}

/** Reads a stream to its end, or to where it waits for a person. */
export async function read(runId, stream) {
  const pending = [];
  let text = "";
  for await (const { type, payload } of stream) {
    if (type === "tool-call-approval")
      pending.push({ id: payload.toolCallId, name: payload.toolName, args: payload.args, runId });
    if (type === "text-delta") text += payload.text;
    if (type === "error")
      throw payload.error instanceof Error ? payload.error : new Error(JSON.stringify(payload));
  }
  return pending.length > 0 ? { state: "waiting", pending } : { state: "done", text };
}

export async function suspended(agent) {
  const { runs } = await agent.listSuspendedRuns();
  const pending = runs.flatMap(({ runId, toolCalls }) =>
    toolCalls.map((call) => ({ id: call.toolCallId, name: call.toolName, args: call.args, runId })),
  );
  return pending.length > 0 ? { state: "waiting", pending } : { state: "lost", text: "No run waits." };
}
