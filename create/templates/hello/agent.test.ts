import assert from "node:assert/strict";
import test from "node:test";
import { scriptedModel } from "agentchart/testing";
import { hello } from "./agent.ts";

test("looks at the clock before it answers", async () => {
  const model = scriptedModel([
    { calls: [{ name: "clock", input: { timeZone: "Asia/Tokyo" } }] },
    "It is late.",
  ]);
  const reply = await hello(model).call("What time is it in Tokyo?");
  assert.equal(reply.text, "It is late.");
  assert.equal(reply.turn.toolCalls, 1);
  model.done();
});
