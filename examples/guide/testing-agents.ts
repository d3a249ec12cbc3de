import assert from "node:assert/strict";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

// #region ask
const paid: string[] = [];
const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order.",
  input: z.object({ orderId: z.string() }),
  permission: "ask",
  execute: ({ orderId }) => {
    paid.push(orderId);
    return "paid back";
  },
});
const asks = { calls: [{ name: "refund", input: { orderId: "17" } }] };

const model = scriptedModel([asks, "I may not."]);
const agent = createAgent({ name: "desk", model, tools: [refund] });
const asked = await agent.call("Refund order 17.");
assert.equal(asked.reason, "APPROVAL_REQUIRED");
assert.deepEqual(asked.pending[0]!.input, { orderId: "17" });

await agent.decide(asked.pending[0]!.callId, { deny: "No receipt." });
assert.equal((await agent.call()).text, "I may not.");
assert.deepEqual(paid, []); // nothing ran
const [, second] = model.requests; // what the model was sent
assert.match(JSON.stringify(second!.messages), /No receipt\./);
model.done();
// #endregion

// #region killed
let saved = ""; // the session as it is while the tool runs
const pay = defineTool({
  name: "pay",
  description: "Pays an invoice.",
  input: z.object({}),
  execute: (): string => (saved = JSON.stringify(clerk.snapshot())),
});
const config = { name: "clerk", tools: [pay] };
const clerk = createAgent({ ...config, model: scriptedModel([{ calls: [{ name: "pay" }] }, "Paid."]) });
await clerk.call("Pay it.");

const restored = createAgent({
  ...config,
  model: scriptedModel(["It was paid."]),
  sessionOptions: { snapshot: JSON.parse(saved) },
});
assert.equal(restored.status().phase, "unfinished");
const unknown = await restored.call(); // as if the process had died in the tool
assert.equal(unknown.reason, "OUTCOME_UNKNOWN");
await restored.decide(unknown.pending[0]!.callId, { answer: "The bank says: paid." });
assert.equal((await restored.call()).text, "It was paid.");
// #endregion

// #region failure
import { AgentError } from "agentchart";

const flaky = scriptedModel([
  { error: new AgentError("model/unavailable", "Try later.", { isRetryable: true }) },
  "Hello.",
]);
const patient = createAgent({
  name: "desk",
  model: flaky,
  modelOptions: { execution: { initialBackoffMs: 1 } },
});
assert.equal((await patient.call("Hi.")).text, "Hello."); // the chart has tried again
// #endregion

// #region server
import { openaiModel } from "agentchart/openai";
import { chatCompletionsServer } from "agentchart/testing";

const server = await chatCompletionsServer(({ messages }) => ({ content: `${messages.length} messages` }));
const overHttp = openaiModel({ model: "any", apiKey: "none", baseURL: server.baseURL });
const desk = createAgent({ name: "desk", sysPrompt: "Be brief.", model: overHttp });
assert.equal((await desk.call("Hi.")).text, "2 messages");
await server.close();
// #endregion

console.log("passed");
