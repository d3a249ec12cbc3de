// The permission of a tool as a value and as a predicate, and what becomes of an invalid one.
import { describe, expect, test } from "vitest";
import { type AgentConfig, createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

type Fields = Parameters<typeof toolOf>[2];
type Permissions = NonNullable<AgentConfig["permissions"]>;

const call = { calls: [{ id: "c1", name: "pay" }] };
const invalid = expect.objectContaining({ code: "config/invalid" });

describe("an invalid permission denies the call and gives the reason", () => {
  async function deniedText(fields: Fields, permissions: Permissions = {}): Promise<string> {
    let ran = 0;
    const tool = toolOf("pay", () => `paid ${++ran}`, fields);
    const { agent } = scripted([call, "done"], { tools: [tool], permissions });
    expect((await agent.call("go")).text).toBe("done");
    const [result] = resultsOf(await agent.messages());
    expect([ran, result!.state]).toEqual([0, "denied"]);
    return outputOf(result);
  }

  test.each([
    [async () => "deny", "gave a promise"],
    [() => Promise.reject(new Error("down")), "gave a promise"],
    [() => "Deny", 'gave "Deny"'],
    [() => undefined, "gave undefined"],
    [() => true, "gave true"],
    [
      () => {
        throw new Error("no ledger");
      },
      "no ledger",
    ],
  ])("an invalid permission of a tool denies the call: %s", async (permission, why) => {
    expect(await deniedText({ permission: permission as never })).toContain(why);
  });

  test("an invalid permission of a tool without defineTool denies the call", async () => {
    const tool = { ...toolOf("pay", () => "paid"), permission: "Ask" as never };
    const { agent } = scripted([call, "done"], { tools: [tool] });
    await agent.call("go");
    expect(resultsOf(await agent.messages())[0]!.state).toBe("denied");
  });

  test.each(["allow", "ask", "deny"] as const)(
    "an invalid condition of a rule with action %s denies the call",
    async (action) => {
      for (const given of [Promise.resolve(false), 1, undefined]) {
        const rule = { tool: "pay", action, when: (() => given) as never };
        const text = await deniedText(
          {},
          { rules: [rule], otherwise: action === "allow" ? "deny" : "allow" },
        );
        expect(text).toContain(`\`when\` of the ${action} rule for 'pay' gave`);
      }
    },
  );
});

test.each([
  null,
  { rules: [null] },
  { rules: [{ action: "deny" }] },
  { rules: [{ tool: 5, action: "deny" }] },
  { rules: [{ tool: "pay", action: "Deny" }] },
  { rules: [{ tool: "pay" }] },
  { rules: [{ tool: "pay", action: "deny", when: 5 }] },
  { rules: [{ tool: "pay", action: "deny", when: null }] },
])("invalid permissions are refused: %j", (permissions) => {
  const config = { name: "bot", model: scriptedModel([]), permissions: permissions as never };
  expect(() => createAgent(config)).toThrow(invalid);
});

test.each([
  { permission: "Ask" },
  { permission: "" },
  { permission: null },
  { maxParallel: 0 },
  { maxParallel: 1.5 },
  { maxParallel: "2" },
  { onRestart: "again" },
  { groups: "money" },
  { groups: [1] },
])("a tool with invalid settings is refused: %j", (fields) => {
  expect(() => toolOf("pay", () => "paid", fields as never)).toThrow(invalid);
});

describe("a decided call", () => {
  const decided = { code: "run/stale-decision", message: expect.stringContaining("decided already") };
  const DECISIONS = [
    "approve",
    { approve: true, remember: "tool" },
    "deny",
    { edit: {} },
    { answer: "ok" },
  ] as const;

  test.each(DECISIONS)("keeps its first decision, %j, also after a restore", async (first) => {
    const config = { tools: [toolOf("pay", () => "paid", { permission: "ask" })] };
    const { agent } = scripted([call, "done"], config);
    const { argsHash } = (await agent.call("go")).pending[0]!;
    await agent.decide("c1", first);
    const restored = scripted(["done"], { ...config, sessionOptions: { snapshot: agent.snapshot() } }).agent;
    for (const each of [agent, restored])
      for (const second of DECISIONS) {
        await expect(each.decide("c1", second)).rejects.toMatchObject(decided);
        await expect(each.decide("c1", second, { argsHash })).rejects.toMatchObject(decided);
      }
    expect(restored.status().pending).toMatchObject([{ decided: first }]);
    expect((await restored.call()).text).toBe("done");
    const isDenied = first === "deny";
    expect(resultsOf(await restored.messages())[0]!.state).toBe(isDenied ? "denied" : "success");
  });
});

test.each([
  { edit: { to: 10n } },
  { edit: { to: [{ of: 10n }] } },
  { answer: [{ type: "text", text: "ok", n: 10n }] },
  { respond: 10n },
])("a decision that JSON cannot say is refused and decides nothing", async (wrong) => {
  const { agent } = scripted([call, "done"], {
    tools: [toolOf("pay", () => "paid", { permission: "ask" })],
  });
  await agent.call("go");
  await expect(agent.decide("c1", wrong as never)).rejects.toThrow(invalid);
  expect(agent.status().pending).toMatchObject([{ callId: "c1" }]);
  expect(agent.status().pending[0]).not.toHaveProperty("decided");
});

describe("an approval applies to the tool's whole input, presets included", () => {
  const ran: unknown[] = [];
  const pay = (amount: number, fields: Fields = {}) =>
    toolOf("pay", (input) => `paid ${ran.push(input)}`, { permission: "ask", preset: { amount }, ...fields });

  test.each(["approve", { edit: { to: "b" } }] as const)(
    "a decision of %j is asked for again after a preset changed",
    async (decision) => {
      ran.length = 0;
      const { agent } = scripted([call, "done"], { tools: [pay(1)] });
      const [asked] = (await agent.call("go")).pending;
      agent.toolkit.setPreset("pay", { amount: 1000 });
      await agent.decide("c1", decision, { argsHash: asked!.argsHash });
      const [again] = (await agent.call()).pending;
      expect(again).toMatchObject({ input: {}, reason: expect.stringContaining("has changed") });
      expect(again!.argsHash).not.toBe(asked!.argsHash);
      expect(ran).toEqual([]);
      await agent.decide("c1", "approve", { argsHash: again!.argsHash });
      expect((await agent.call()).text).toBe("done");
      expect(ran).toEqual([{ amount: 1000 }]);
    },
  );

  test("a session restored with another preset asks for the approval again", async () => {
    ran.length = 0;
    const first = scripted([call], { tools: [pay(1)] }).agent;
    await first.call("go");
    await first.decide("c1", "approve");
    const { agent } = scripted(["done"], {
      tools: [pay(1000)],
      sessionOptions: { snapshot: first.snapshot() },
    });
    expect((await agent.call()).pending).toMatchObject([{ callId: "c1" }]);
    expect(ran).toEqual([]);
  });

  test("a call whose preset changes between approval and run does not run", async () => {
    ran.length = 0;
    const first = toolOf("first", () => {
      agent.toolkit.setPreset("pay", { amount: 1000 });
      return "ok";
    });
    const batch = { calls: [{ id: "c0", name: "first" }, ...call.calls] };
    const { agent } = scripted([batch, "done"], { tools: [first, pay(1)] });
    await agent.call("go");
    await agent.decide("c1", "approve");
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual([]);
    expect(resultsOf(await agent.messages())[1]).toMatchObject({ state: "denied" });
  });

  test("an approval remembered for an input applies to the same presets only", async () => {
    ran.length = 0;
    const again = { calls: [{ id: "c2", name: "pay" }] };
    const other = { calls: [{ id: "c3", name: "pay" }] };
    const { agent } = scripted([call, again, "done", other], { tools: [pay(1)] });
    await agent.call("go");
    await agent.decide("c1", { approve: true, remember: "input" });
    expect((await agent.call()).text).toBe("done");
    agent.toolkit.setPreset("pay", { amount: 1000 });
    expect((await agent.call("more")).pending).toMatchObject([{ callId: "c3" }]);
    expect(ran).toEqual([{ amount: 1 }, { amount: 1 }]);
  });
});
