import { scriptedModel } from "agentchart/testing";

const model = scriptedModel([
  { calls: [{ id: "call_1", name: "call_cleaner", input: { message: "Make room on the disk." } }] },
  "There is room again.",
]);
const cleanerModel = scriptedModel([
  { calls: [{ id: "call_7", name: "wipe", input: { folder: "/tmp/cache" } }] },
  "The cache is empty.",
]);

// #region tool
import { createAgent, defineTool } from "agentchart";
import { agentTool } from "agentchart/team";
import { z } from "zod";

const wipe = defineTool({
  name: "wipe",
  description: "Empties a folder.",
  input: z.object({ folder: z.string() }),
  permission: "ask",
  execute: ({ folder }) => `${folder} is empty.`,
});
const cleaner = agentTool({
  agent: { name: "cleaner", model: cleanerModel, tools: [wipe], sysPrompt: "You make room on disks." },
  description: "Makes room on a disk.",
});
const agent = createAgent({ name: "desk", model, tools: [cleaner], budget: { modelCalls: 20 } });

let reply = await agent.call("The disk is full.");
for (const { callId, name, path } of reply.pending) console.log(callId, name, path);
// #endregion

// #region decide
for (const { callId, argsHash } of reply.pending) await agent.decide(callId, "approve", { argsHash });
reply = await agent.call();
console.log(reply.text, reply.turn.modelCalls, "model calls");
// #endregion
