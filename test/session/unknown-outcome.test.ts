// Calls whose outcome is unknown after a crash.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, type AgentConfig, type Decision, type JsonObject } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { layered } from "../support/layered.ts";

const PAY = { calls: [{ id: "c", name: "pay", input: { cents: 5 } }] };

/** An agent whose process ended while `pay` ran, restored: the outcome of the call is unknown. `runs` are all executions. */
async function cutOff(config: Partial<AgentConfig> = {}, after: Partial<AgentConfig> = {}) {
  const runs: JsonObject[] = [];
  const pay = (end: (input: JsonObject) => string | Promise<string>) =>
    defineTool({
      name: "pay",
      description: "",
      input: { type: "object" },
      execute: (input) => (runs.push(input as JsonObject), end(input as JsonObject)),
    });
  const hanging = pay(() => new Promise<string>(() => {}));
  const first = createAgent({ name: "a", model: scriptedModel([PAY]), tools: [hanging], ...config });
  // nobody waits for what becomes of it: its process has ended
  const runOn = async (): Promise<void> => {
    const { reason } = await first.call("pay");
    if (reason !== "APPROVAL_REQUIRED") return;
    await first.decide("c", "approve");
    await first.call();
  };
  runOn().catch(() => {});
  await expect.poll(() => runs.length).toBe(1);
  const snapshot = JSON.parse(JSON.stringify(first.snapshot())) as JsonObject & { format: number };
  const tools = [pay(({ cents }) => `paid ${String(cents)}`)];
  const agent = createAgent({
    name: "a",
    model: scriptedModel(["done"]),
    tools,
    ...layered(layered(config, after), { sessionOptions: { snapshot } }),
  });
  expect((await agent.call()).pending).toMatchObject([{ callId: "c", waitsFor: "unknownOutcome" }]);
  return { agent, runs };
}

describe("a call whose outcome is unknown after a crash", () => {
  test.each<Decision>([
    "approve",
    { approve: true },
    { approve: true, remember: "tool" },
    { edit: { cents: 99 } },
  ])("refuses the decision %j, and does not run", async (decision) => {
    const { agent, runs } = await cutOff();
    await expect(agent.decide("c", decision)).rejects.toMatchObject({
      code: "run/bad-decision",
      message: expect.stringContaining('"retry"'),
      data: { callId: "c", allowed: ["retry", "answer", "deny"] },
    });
    await expect(agent.call()).rejects.toMatchObject({ code: "run/undecided" });
    expect(runs).toHaveLength(1);
  });

  test.each<readonly [Decision, number, string]>([
    ["retry", 2, "paid 5"],
    [{ answer: "it was paid" }, 1, "it was paid"],
    ["deny", 1, "Permission denied by user"],
    [{ deny: "no" }, 1, "Permission denied by user: no"],
  ])("takes the decision %j", async (decision, times, text) => {
    const { agent, runs } = await cutOff();
    expect(await agent.decide("c", decision)).toEqual([]);
    expect((await agent.call()).text).toBe("done");
    expect(runs).toHaveLength(times);
    expect((await agent.messages())[2]!.content).toMatchObject([{ output: [{ text }] }]);
  });

  test("runs again on retry without a second approval if a person approved it", async () => {
    const { agent, runs } = await cutOff({ permissions: { otherwise: "ask" } });
    await agent.decide("c", "retry");
    expect([(await agent.call()).reason, runs.length]).toEqual(["MODEL_STOP", 2]);
  });

  test("asks on retry if its permission asks now and it was not approved", async () => {
    const { agent, runs } = await cutOff({}, { permissions: { otherwise: "ask" } });
    await agent.decide("c", "retry");
    expect([(await agent.call()).reason, runs.length]).toEqual(["APPROVAL_REQUIRED", 1]);
    await agent.decide("c", "approve");
    expect([(await agent.call()).reason, runs.length]).toEqual(["MODEL_STOP", 2]);
  });
});

test("the decision retry is not an approval of a call that waits for one", async () => {
  let runs = 0;
  const pay = defineTool({
    name: "pay",
    description: "",
    input: { type: "object" },
    execute: () => `paid ${++runs}`,
  });
  const permissions = { otherwise: "ask" } as const;
  const agent = createAgent({ name: "a", model: scriptedModel([PAY, "done"]), tools: [pay], permissions });
  await agent.call("pay");
  await agent.decide("c", "retry");
  expect([(await agent.call()).reason, runs]).toEqual(["APPROVAL_REQUIRED", 0]);
  await agent.decide("c", "approve");
  expect([(await agent.call()).reason, runs]).toEqual(["MODEL_STOP", 1]);
});
