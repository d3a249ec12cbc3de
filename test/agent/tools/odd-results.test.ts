import { expect, test } from "vitest";
import { suspend } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

const asks = { calls: [{ name: "look" }] };

test.each([
  [{ user: "Ada", suspended: true }],
  [{ suspended: true, reason: "spam", since: 5 }],
  [{ output: [], rows: 0 }],
])("data that resembles a suspension or an outcome is stored as JSON: %j", async (data) => {
  const { agent } = scripted([asks, "end"], { tools: [toolOf("look", () => data)] });
  expect((await agent.call("go")).reason).toBe("MODEL_STOP");
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe(JSON.stringify(data));
});

test.each([[suspend()], [suspend("wait", { answerSchema: { type: "string" } })]])(
  "a tool that returns suspend() suspends: %j",
  async (suspension) => {
    const { agent } = scripted([asks], { tools: [toolOf("look", () => suspension)] });
    expect((await agent.call("go")).reason).toBe("TOOL_SUSPENDED");
  },
);
