// The tool that switches groups of tools.
import { expect, test } from "vitest";
import { createToolkit } from "agentchart";
import { scripted } from "../../support/agents.ts";

test("the meta tool names the missing group when asked for one that does not exist", async () => {
  const toolkit = createToolkit({ groups: [{ name: "web", active: true }], metaTool: true });
  const result = await toolkit.invoke("reset_equipped_tools", { to_activate: ["mail"] });
  expect(result).toMatchObject({ state: "error", code: "tool/bad-input" });
  expect(result.output).toEqual([
    { type: "text", text: expect.stringContaining("Tool group 'mail' does not exist") },
  ]);
  expect(toolkit.activeGroups()).toEqual(["web"]);
});

test("the meta tool describes to the model the purpose of each group and whether it is active", async () => {
  const groups = [
    { name: "web", description: "Pages of the web." },
    { name: "mail", description: "Letters.", active: false },
  ];
  const { agent, model } = scripted(["ok"], { toolkit: createToolkit({ groups, metaTool: true }) });
  await agent.call("go");
  const [meta] = model.requests[0]!.tools;
  expect(meta?.description).toContain("- web (active): Pages of the web.");
  expect(meta?.description).toContain("- mail (inactive): Letters.");
});
