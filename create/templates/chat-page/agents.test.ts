import assert from "node:assert/strict";
import test from "node:test";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { player } from "./agents.ts";

test("rolls as many dice as it says", async () => {
  const model = scriptedModel([{ calls: [{ name: "roll_dice", input: { count: 3 } }] }, "Well done."]);
  const agent = createAgent(player(model));
  const reply = await agent.call("Roll three dice.");
  assert.equal(reply.text, "Well done.");
  assert.match(JSON.stringify(model.requests[1]?.messages), /[1-6], [1-6], [1-6]/);
});
