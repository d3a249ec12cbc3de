// The first decision about a call counts, and names who made it.
import { expect, test } from "vitest";
import { createAgent, type Decision } from "agentchart";
import { exportSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { collectAll } from "../../src/testing/store-contract-kit.ts";
import { toolOf } from "../support/agents.ts";

const ASK = { calls: [{ id: "c", name: "pay", input: { euros: 7 } }] };

test.each<Decision>(["approve", "deny", { deny: "no" }, { edit: { euros: 1 } }, { answer: "paid" }])(
  "the journal and its export say who made the decision %j",
  async (decision) => {
    const store = memoryStore();
    const tools = [toolOf("pay", () => "paid", { permission: "ask" })];
    const agent = createAgent({
      name: "a",
      model: scriptedModel([ASK, ASK, "done"]),
      tools,
      store,
      sessionId: "s",
    });
    await agent.call("pay");
    await agent.decide("c", decision, { by: "maria" });
    expect(agent.status().pending).toMatchObject([{ callId: "c", decidedBy: "maria" }]);
    await agent.call();
    await agent.close();
    const decided = (await collectAll(store.read("s"))).filter(
      ({ data }) => "decided" in Object(data["set"]),
    );
    expect(decided).toMatchObject([
      { type: "call", data: { id: "c", set: { decided: decision, decidedBy: "maria" } } },
    ]);
    expect((await collectAll(exportSession(store, "s"))).join("")).toContain('"decidedBy":"maria"');
  },
);

test("the first decision about a call counts, and a later one is refused", async () => {
  const tools = [toolOf("pay", () => "paid", { permission: "ask" })];
  const agent = createAgent({ name: "a", model: scriptedModel([ASK, "done"]), tools });
  await agent.call("pay");
  await agent.decide("c", "deny", { by: "maria" });
  await expect(agent.decide("c", "approve")).rejects.toMatchObject({
    code: "run/stale-decision",
    message: expect.stringContaining("decided already"),
    data: { callId: "c" },
  });
  expect(agent.status().pending).toMatchObject([{ decided: "deny", decidedBy: "maria" }]);
  await expect(agent.decide("c", "deny", { by: "" })).rejects.toMatchObject({ code: "config/invalid" });
  await expect(agent.decide("c", "deny", { who: "me" } as never)).rejects.toMatchObject({
    code: "config/invalid",
  });
});
