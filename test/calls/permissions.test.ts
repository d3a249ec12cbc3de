import { describe, expect, test } from "vitest";
import { type AgentConfig, createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { outputOf, resultsOf, scripted, toolOf } from "../support/agents.ts";

type Fields = Parameters<typeof toolOf>[2];
type Permissions = NonNullable<AgentConfig["permissions"]>;

const call = { calls: [{ id: "c1", name: "pay" }] };
const invalid = expect.objectContaining({ code: "config/invalid" });

describe("an answer about a permission that is none denies the call and says why", () => {
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
  ])("of the tool: %s", async (permission, why) => {
    expect(await deniedText({ permission: permission as never })).toContain(why);
  });

  test("of a tool that defineTool did not check", async () => {
    const tool = { ...toolOf("pay", () => "paid"), permission: "Ask" as never };
    const { agent } = scripted([call, "done"], { tools: [tool] });
    await agent.call("go");
    expect(resultsOf(await agent.messages())[0]!.state).toBe("denied");
  });

  test.each(["allow", "ask", "deny"] as const)("of a rule that would %s", async (action) => {
    for (const given of [Promise.resolve(false), 1, undefined]) {
      const rule = { tool: "pay", action, when: (() => given) as never };
      const text = await deniedText({}, { rules: [rule], otherwise: action === "allow" ? "deny" : "allow" });
      expect(text).toContain(`\`when\` of the ${action} rule for 'pay' gave`);
    }
  });
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
])("permissions that make no sense are refused: %j", (permissions) => {
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
])("a tool whose settings make no sense is refused: %j", (fields) => {
  expect(() => toolOf("pay", () => "paid", fields as never)).toThrow(invalid);
});

describe("what an approval remembers is forgotten when the decision is changed", () => {
  const twice = [call, { calls: [{ id: "c2", name: "pay" }] }, "done"];

  test.each(["tool", "input"] as const)("%s", async (remember) => {
    const tools = [toolOf("pay", () => "paid", { permission: "ask" })];
    const { agent } = scripted(twice, { tools });
    await agent.call("go");
    await agent.decide("c1", { approve: true, remember });
    await agent.decide("c1", "deny");
    expect(await agent.call()).toMatchObject({ pending: [{ callId: "c2" }] });
    expect(resultsOf(await agent.messages()).map(({ state }) => state)).toEqual(["denied"]);
  });

  test.each([
    ["deny", "APPROVAL_REQUIRED"],
    [undefined, "MODEL_STOP"],
  ] as const)("after a restore, %s", async (changed, reason) => {
    const config = { tools: [toolOf("pay", () => "paid", { permission: "ask" })] };
    const first = scripted(twice, config).agent;
    await first.call("go");
    await first.decide("c1", { approve: true, remember: "tool" });
    const { agent } = scripted(twice.slice(1), { ...config, snapshot: first.snapshot() });
    if (changed) await agent.decide("c1", changed);
    expect((await agent.call()).reason).toBe(reason);
  });
});
