import { expect, test } from "vitest";
import { createToolkit } from "agentchart";

test("the meta tool calls a group by its name that is not there", async () => {
  const toolkit = createToolkit({ groups: [{ name: "web", active: true }], metaTool: true });
  const result = await toolkit.invoke("reset_equipped_tools", { to_activate: ["mail"] });
  expect(result).toMatchObject({ state: "error", code: "tool/bad-input" });
  expect(result.output).toEqual([
    { type: "text", text: expect.stringContaining("Tool group 'mail' does not exist") },
  ]);
  expect(toolkit.activeGroups()).toEqual(["web"]);
});
