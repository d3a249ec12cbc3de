// Permission rules whose tools are patterns, and rules that match no tool.
import { describe, expect, test } from "vitest";
import { createAgent, createToolkit, type AgentConfig, type PermissionAction } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { scripted, toolOf } from "../../support/agents.ts";

const ran = () => "ran";
const TOOLS = [toolOf("refund", ran), toolOf("refund_all", ran), toolOf("look_up", ran)];
const make = (tool: string, config: Partial<AgentConfig> = {}, more: { optional?: boolean } = {}) =>
  createAgent({
    name: "desk",
    model: scriptedModel([]),
    tools: TOOLS,
    permissions: { rules: [{ tool, action: "ask", ...more }] },
    ...config,
  });

describe("a permission rule that matches no tool of the agent", () => {
  test.each([
    ["refnud", "did you mean 'refund'?"],
    ["refnud*", "did you mean 'refund'?"],
    ["refund_al", "did you mean 'refund_all'?"],
    ["look-*", "did you mean 'look_up'?"],
    ["delete", "its tools are [refund, refund_all, look_up]."],
  ])("%s is refused: %s", (tool, hint) => {
    expect(() => make(tool)).toThrow(
      expect.objectContaining({ code: "config/invalid", message: expect.stringContaining(hint) }),
    );
    expect(() => make(tool)).toThrow(`\`permissions.rules[0].tool\` is '${tool}'`);
  });

  test("is taken if it is optional, and applies to a tool that is added later", async () => {
    const permissions = { rules: [{ tool: "pay", action: "deny", optional: true }] } as const;
    const { agent } = scripted([{ calls: [{ id: "c", name: "pay" }] }, "done"], { permissions });
    agent.toolkit.add(toolOf("pay", ran));
    await agent.call("go");
    expect((await agent.messages())[2]!.content).toMatchObject([{ state: "denied" }]);
  });

  test("is taken if it is about every tool", () => {
    expect(() => make("*", { tools: [] })).not.toThrow();
  });

  test("is not one that matches a tool of a hook", () => {
    expect(() => make("pay", { hooks: [{ name: "payer", tools: [toolOf("pay", ran)] }] })).not.toThrow();
  });

  test("is not one that matches a tool of a group that is not active", () => {
    const toolkit = createToolkit({
      groups: [{ name: "money", active: false }],
      tools: [toolOf("pay", ran, { groups: ["money"] })],
    });
    const permissions = { rules: [{ tool: "pay", action: "ask" }] } as const;
    expect(() => createAgent({ name: "a", model: scriptedModel([]), toolkit, permissions })).not.toThrow();
  });
});

describe("rules with patterns", () => {
  const calls = { calls: TOOLS.map(({ name }) => ({ id: name, name })) };

  test("apply to each tool that they match, deny before ask, and the question names the rule", async () => {
    const rules: readonly { tool: string; action: PermissionAction }[] = [
      { tool: "look_up", action: "allow" },
      { tool: "refund*", action: "ask" },
      { tool: "*_all", action: "deny" },
    ];
    const { agent } = scripted([calls, "done"], { tools: TOOLS, permissions: { rules, otherwise: "deny" } });
    expect((await agent.call("go")).pending).toMatchObject([
      { callId: "refund", reason: "Tool 'refund' needs an approval, because rule 2 `refund*` asks." },
    ]);
    await agent.decide("refund", "approve");
    await agent.call();
    const states = (await agent.messages()).flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_result" ? [[block.id, block.state]] : [])),
    );
    expect(states).toEqual([
      ["refund", "success"],
      ["refund_all", "denied"],
      ["look_up", "success"],
    ]);
  });

  test.each<readonly [string, Partial<AgentConfig>, string]>([
    [
      "the tool's own permission",
      { tools: [toolOf("pay", ran, { permission: "ask" })] },
      "its own `permission`",
    ],
    ["otherwise", { tools: [toolOf("pay", ran)], permissions: { otherwise: "ask" } }, "`otherwise` asks"],
    [
      "the reason of a rule",
      {
        tools: [toolOf("pay", ran)],
        permissions: { rules: [{ tool: "p?y", action: "ask", reason: "money" }] },
      },
      "money",
    ],
  ])("%s says why it asks", async (_, config, text) => {
    const { agent } = scripted([{ calls: [{ id: "c", name: "pay" }] }], config);
    expect((await agent.call("go")).pending[0]!.reason).toContain(text);
  });
});

test.each(["generate_response", "reset_equipped_tools"])(
  "a tool named %s is refused, because the package has one of this name",
  (name) => {
    const tools = [toolOf(name, ran)];
    const refused = expect.objectContaining({
      code: "config/invalid",
      message: expect.stringContaining(name),
    });
    expect(() => createAgent({ name: "a", model: scriptedModel([]), tools })).toThrow(refused);
    expect(() => createToolkit({ tools })).toThrow(refused);
    const { agent } = scripted([]);
    expect(() => agent.addHook({ name: "h", tools })).toThrow(refused);
  },
);
