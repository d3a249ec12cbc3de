// Matchers for test runners: the states and the tools of a stored run.
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "agentchart";
import { matchers, runOf, type EvalMatchers } from "agentchart/evals";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../../support/agents.ts";

declare module "vitest" {
  interface Matchers<
    R extends void | Promise<void> = void | Promise<void>,
    T = unknown,
  > extends EvalMatchers<R> {}
}

expect.extend(matchers);

async function refunded(decision: "approve" | "deny") {
  const store = memoryStore();
  const calls = [{ name: "refund", input: { orderId: "17", cents: 500 } }];
  const agent = createAgent({
    name: "desk",
    model: scriptedModel([{ calls }, "That is it."]),
    tools: [{ ...toolOf("refund", () => "paid"), permission: "ask" }],
    store,
    sessionId: "s",
  });
  onTestFinished(() => agent.close());
  const { pending } = await agent.call("Refund order 17.");
  await agent.decide(pending[0]!.callId, decision);
  await agent.call();
  return await runOf(store, "s");
}

test("matchers look at the path and the calls of a stored run", async () => {
  const [approved, denied] = [await refunded("approve"), await refunded("deny")];
  expect(approved).toVisit("suspended.waiting");
  expect(approved).not.toVisit("summarizing");
  expect(approved).toHaveUsed("refund");
  expect(approved).toHaveUsed("refund", { cents: 500 });
  expect(approved).not.toHaveUsed("refund", { cents: 501 });
  expect(denied).not.toHaveUsed("refund");
});

test("a matcher that fails names the session and what happened", async () => {
  const run = await refunded("deny");
  expect(() => expect(run).toHaveUsed("refund")).toThrow('Session "s" used refund: never.');
  expect(() => expect(run).not.toVisit("suspended.waiting")).toThrow(
    /^Session "s" visits suspended\.waiting: 1 times, at step \d+\.$/,
  );
});

test("a matcher refuses what is not a run, and states that the chart lacks", async () => {
  expect(() => expect({ text: "Hello." }).toVisit("suspended.waiting")).toThrow(
    "Expected a run: expect(await runOf(store, sessionId)).",
  );
  const run = await refunded("deny");
  expect(() => expect(run).toVisit("elsewhere")).toThrow("The chart has no state 'elsewhere'");
});
