// The hint about the plan that the model sees.
import { describe, expect, test } from "vitest";
import { createAgent, textOf, userMsg } from "agentchart";
import { planNotebook, type PlanNotebookOptions } from "agentchart/plan";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../../support/agents.ts";

const subtasks = ["fly", "sleep"].map((name) => ({ name }));
const TRIP = { name: "Trip", description: "D", expected_outcome: "O", subtasks };

type Edit = Parameters<ReturnType<typeof planNotebook>["edit"]>;
const create: readonly [Edit[1], Edit[2]] = ["create_plan", TRIP];
const finish = (subtask_idx: number): readonly [Edit[1], Edit[2]] => [
  "finish_subtask",
  { subtask_idx, subtask_outcome: "ok" },
];
const mark = (subtask_idx: number, state: string): readonly [Edit[1], Edit[2]] => [
  "update_subtask_state",
  { subtask_idx, state },
];

/** The hint that the model gets after these edits. */
async function hintAfter(edits: readonly (readonly [Edit[1], Edit[2]])[], options: PlanNotebookOptions = {}) {
  const notebook = planNotebook(options);
  const model = scriptedModel(["ok"]);
  const agent = createAgent({ name: "bot", model, hooks: [notebook.hook] });
  for (const [tool, input] of edits) await notebook.edit(agent, tool, input);
  await agent.call("go");
  expect(JSON.stringify(await agent.messages())).not.toContain("system-hint");
  const last = model.requests[0]!.messages.at(-1)!;
  expect([last.role, last.name]).toEqual(["user", "user"]);
  return textOf(last);
}

describe("the hint", () => {
  test.each([
    ["without a plan", [], ["'create_plan'", "WAIT FOR USER CONFIRMATION"]],
    [
      "at the beginning",
      [create],
      ["Trip", "subtask_idx=0", "WAIT FOR USER CONFIRMATION", "get_subtask_count"],
    ],
    [
      "with a subtask in progress",
      [create, finish(0)],
      ["at index 1, named 'sleep', is 'in_progress'", "'finish_subtask'"],
    ],
    [
      "between two subtasks",
      [create, finish(0), mark(1, "todo")],
      ["The first 1 subtasks are done", "subtask_idx=1"],
    ],
    ["when the first was abandoned", [create, mark(0, "abandoned")], ["subtask_idx=1"]],
    ["at the end", [create, finish(0), finish(1)], ["All the subtasks are done", "'finish_plan'"]],
  ] as const)("%s says what to do next", async (_when, edits, parts) => {
    const hint = await hintAfter(edits);
    expect(hint).toMatch(/^<system-hint>[^]*<\/system-hint>$/);
    for (const part of parts) expect(hint).toContain(part);
  });

  test("asks for no confirmation if none is needed, and names the bound of subtasks", async () => {
    expect(await hintAfter([], { needUserConfirm: false })).not.toMatch(/CONFIRM|rules/);
    expect(await hintAfter([create], { needUserConfirm: false })).not.toContain("CONFIRM");
    expect(await hintAfter([], { maxSubtasks: 4 })).toContain("no more than 4 subtasks");
  });

  test("is what the option returns, or is left out", async () => {
    expect(await hintAfter([create], { hint: (plan) => `Follow ${plan!.name}.` })).toBe("Follow Trip.");
    expect(await hintAfter([create], { hint: () => undefined })).toBe("go");
  });

  test("stands behind all messages of each model call, so that what is before it stays the same", async () => {
    const { hook } = planNotebook();
    const model = scriptedModel([{ calls: [{ name: "look" }] }, "end"]);
    const agent = createAgent({ name: "bot", model, hooks: [hook], tools: [toolOf("look", () => "seen")] });
    await agent.call("go");
    const [first, second] = model.requests.map(({ messages }) => messages.map((each) => each.role));
    expect(first).toEqual(["user", "user"]);
    expect(second).toEqual(["user", "assistant", "tool", "user"]);
    expect(model.requests[1]!.messages[0]).toEqual(model.requests[0]!.messages[0]);
  });

  test("is left out while the tools are switched off", async () => {
    const { hook } = planNotebook({ group: "plan" });
    const model = scriptedModel(["one", "two"]);
    const { createToolkit } = await import("agentchart");
    const toolkit = createToolkit({ groups: [{ name: "plan", active: false }] });
    const agent = createAgent({ name: "bot", model, toolkit, hooks: [hook] });
    await agent.call("go");
    agent.toolkit.setGroups({ activate: ["plan"] });
    await agent.call([userMsg("go on")]);
    expect(model.requests.map(({ messages }) => textOf(messages.at(-1)!).slice(0, 13))).toEqual([
      "go",
      "<system-hint>",
    ]);
  });
});
