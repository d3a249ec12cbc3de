// Decisions about calls whose permission is settled are refused.
import { expect, test } from "vitest";
import { scripted, toolOf } from "../../support/agents.ts";
import { call } from "../../support/trace.ts";

const tools = [toolOf("ok", () => "done")];

test("a decision about a call whose permission is settled is refused as one that the call does not take", async () => {
  const { agent } = scripted([{ calls: [call("c1"), call("c2")] }, "end"], {
    tools,
    budget: { toolCalls: 1 },
  });
  expect((await agent.call("go")).reason).toBe("BUDGET_EXCEEDED");
  await expect(agent.decide("c1", "deny")).rejects.toMatchObject({
    code: "run/bad-decision",
    message: `Call 'c1' waits for no decision now: its status is "approved".`,
    data: { callId: "c1", allowed: [] },
  });
  await agent.extendBudget({ toolCalls: 2 });
  expect((await agent.call()).text).toBe("end");
});

test("a decision about a call that runs is refused as one that the call does not take", async () => {
  const decided: unknown[] = [];
  const runs = toolOf("ok", async () => {
    decided.push(await agent.decide("c1", "deny").catch((error: unknown) => error));
    return "done";
  });
  const { agent } = scripted([{ calls: [call("c1")] }, "end"], { tools: [runs] });
  expect((await agent.call("go")).text).toBe("end");
  expect(decided).toMatchObject([{ code: "run/bad-decision", message: expect.stringContaining("running") }]);
});

test("a decision about a call that nobody asked for names it as unknown", async () => {
  const { agent } = scripted(["end"]);
  await agent.call("go");
  await expect(agent.decide("c1", "deny")).rejects.toMatchObject({
    code: "run/bad-results",
    message: "No open call has the id 'c1'.",
  });
});
