import assert from "node:assert/strict";
import test from "node:test";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { desk, paid } from "./desk.ts";

const asks = (cents: number) => ({ calls: [{ name: "refund", input: { orderId: "17", cents } }] });

test("pays small sums by itself", async () => {
  const agent = desk(scriptedModel([asks(500), "Done."]), {});
  assert.equal((await agent.call("Refund order 17.")).text, "Done.");
});

test("asks about more, and another process pays once after the approval", async () => {
  paid.clear();
  const session = { store: memoryStore(), sessionId: "s" };
  const first = desk(scriptedModel([asks(4_900)]), session);
  const asked = await first.call("Refund order 17.");
  assert.equal(asked.reason, "APPROVAL_REQUIRED");
  assert.equal(paid.size, 0);
  await first.close();

  const second = desk(scriptedModel(["Done."]), session);
  await second.open();
  const [call] = second.status().pending;
  assert.ok(call);
  await second.decide(call.callId, "approve", { argsHash: call.argsHash });
  assert.equal((await second.call()).text, "Done.");
  assert.deepEqual([...paid.values()], [4_900]);
});
