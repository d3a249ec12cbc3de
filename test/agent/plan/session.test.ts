// A plan in its session: events, edits by a person, and restores.
import { describe, expect, test } from "vitest";
import {
  AgentError,
  createAgent,
  defineTool,
  textOf,
  type Agent,
  type AgentConfig,
  type AgentEvent,
  type JsonObject,
} from "agentchart";
import {
  planHistorySlot,
  planNotebook,
  planSlot,
  todoHint,
  todoSlot,
  todoTool,
  type Todo,
} from "agentchart/plan";
import { openSession, type SavedParts } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { outputOf, resultsOf } from "../../support/agents.ts";

const notebook = planNotebook();
const subtasks = ["a", "b", "c"].map((name) => ({ name }));
const TRIP = { name: "Trip", description: "D", expected_outcome: "O", subtasks };
const calling = (...calls: readonly (readonly [name: string, input: JsonObject])[]): ScriptedTurn => ({
  calls: calls.map(([name, input]) => ({ name, input })),
});
const create = calling(["create_plan", TRIP]);
const finish = (subtask_idx: number): readonly [string, JsonObject] => [
  "finish_subtask",
  { subtask_idx, subtask_outcome: `outcome ${subtask_idx}` },
];
const end = calling(["finish_plan", { state: "done", outcome: "home" }]);

const agentOf = (turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) =>
  createAgent({ name: "bot", model: scriptedModel(turns), hooks: [notebook.hook], ...config });

describe("a plan", () => {
  test("S29 is an event whenever it changes, and the finished plan is one too", async () => {
    const agent = agentOf([create, calling(finish(0)), calling(["get_subtask_count", {}]), end, "ok"]);
    const events: AgentEvent[] = [];
    agent.subscribe((event) => void events.push(event), { types: ["slot"] });
    await agent.call("go");
    expect(events).toMatchObject([
      { name: "plan", revision: 1, value: { state: "todo" } },
      { name: "plan", revision: 2, value: { state: "in_progress" } },
      { name: "plan.history", revision: 1, value: [{ name: "Trip", state: "done", outcome: "home" }] },
      { name: "plan", revision: 3, value: null },
    ]);
  });

  test("loses no change of a parallel batch: its calls run one after the other, in their order", async () => {
    const batch = calling(finish(0), finish(1), ["update_plan_info", { name: "Journey" }], finish(2));
    const agent = agentOf([create, batch, "ok"], { parallelToolCalls: true });
    await agent.call("go");
    const { value } = await agent.slots.get(planSlot);
    expect(value).toMatchObject({
      name: "Journey",
      subtasks: [0, 1, 2].map((at) => ({ state: "done", outcome: `outcome ${at}` })),
    });
    const answers = resultsOf(await agent.messages()).map(outputOf);
    expect(answers.filter((text) => text.includes("successfully"))).toHaveLength(5);
  });

  test("py4 goes on from every position of the journal to the same end, and is what the results say", async () => {
    const turns = [create, calling(finish(0)), calling(finish(1), finish(2)), end, "ok"];
    const store = memoryStore();
    const agent = agentOf(turns, { store, sessionId: "s" });
    await agent.call("go");
    const expected = (await agent.slots.get(planHistorySlot)).value[0]!;
    await agent.close();
    const session = await openSession(store, "s");
    const forks = new Set<number>();
    for await (const { seq, type } of session.entries()) {
      if (type !== "position") continue;
      const { messages } = await session.at(seq);
      if (messages.length === 0) continue; // the input is not stored yet
      const asked = messages.filter(({ role }) => role === "assistant").length;
      const { sessionId, forkedAt } = await session.fork(seq);
      if (forks.has(forkedAt)) continue;
      forks.add(forkedAt);
      const fork = agentOf(turns.slice(asked), { store, sessionId });
      if (asked < turns.length) await fork.call();
      const { value } = await fork.slots.get(planHistorySlot);
      expect(value).toHaveLength(1);
      const { subtasks: steps, state } = value[0]!;
      expect([state, steps.map(({ name, outcome }) => [name, outcome])]).toEqual([
        "done",
        expected.subtasks.map(({ name, outcome }) => [name, outcome]),
      ]);
      await fork.close();
    }
    expect(forks.size).toBeGreaterThan(8);
  });

  test("is saved and loaded with the memory, without it, or not at all, as the parts say", async () => {
    const store = memoryStore();
    const agent = agentOf([create, "ok"]);
    await agent.call("go");
    const { value } = await agent.slots.get(planSlot);
    const kept = async (saved: SavedParts, loaded: SavedParts = {}) => {
      await agent.saveTo(store, "key", saved);
      const other = agentOf([]);
      await other.loadFrom(store, "key", loaded);
      const plan = (await other.slots.get(planSlot)).value;
      expect([null, value]).toContainEqual(plan);
      return [(await other.messages()).length > 0, plan !== null];
    };
    expect(await kept({})).toEqual([true, true]);
    expect(await kept({ slots: false })).toEqual([true, false]);
    expect(await kept({ memory: false })).toEqual([false, false]);
    expect(await kept({ memory: false, slots: true }, { slots: true })).toEqual([false, true]);
    expect(await kept({}, { slots: false })).toEqual([true, false]);
    expect(await kept({}, { memory: false, slots: true })).toEqual([false, true]);
    expect(await kept({}, { memory: false })).toEqual([false, false]);
  });
});

describe("a person", () => {
  test("edits the plan while a turn runs, and the next hint has it", async () => {
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const look = defineTool({
      name: "look",
      description: "",
      input: {},
      execute: async () => (reached.resolve(), await goOn.promise, "seen"),
    });
    const model = scriptedModel([create, calling(["look", {}]), "ok"]);
    const agent = createAgent({ name: "bot", model, hooks: [notebook.hook], tools: [look] });
    const turn = agent.call("go");
    await reached.promise;
    const seen = await agent.slots.get(planSlot);
    const revised = { subtask_idx: 1, action: "revise", subtask: { name: "swim" } };
    await notebook.edit(agent, "revise_current_plan", revised, seen);
    await expect(notebook.edit(agent, "revise_current_plan", revised, seen)).rejects.toMatchObject({
      code: "slot/conflict",
    });
    goOn.resolve();
    await turn;
    expect(JSON.stringify(model.requests[2]!.messages.at(-1))).toContain("swim");
  });

  test.each([planSlot.name, planHistorySlot.name])(
    "loses no plan when the write of %s is refused, and leaves the other slot as it was",
    async (refused) => {
      const agent = agentOf([create, "ok"]);
      await agent.call("go");
      const before = [await agent.slots.get(planSlot), await agent.slots.get(planHistorySlot)];
      const slots: Agent["slots"] = {
        get: (slot) => agent.slots.get(slot),
        set: async (slot, value, seen) => {
          if (slot.name === refused) throw new AgentError("slot/conflict", "It was written meanwhile.");
          await agent.slots.set(slot, value, seen);
        },
      };
      const finish = { state: "abandoned", outcome: "no time" };
      await expect(notebook.edit({ slots }, "finish_plan", finish)).rejects.toMatchObject({
        code: "slot/conflict",
      });
      const after = [await agent.slots.get(planSlot), await agent.slots.get(planHistorySlot)];
      expect(after.map(({ value }) => value)).toEqual(before.map(({ value }) => value));
    },
  );

  test("cannot change it while a call runs that may change it too", async () => {
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const slow = defineTool({
      name: "slow",
      description: "",
      input: {},
      writes: [planSlot as never],
      execute: async () => (reached.resolve(), await goOn.promise, "ok"),
    });
    const agent = agentOf([create, calling(["slow", {}]), "ok"], { tools: [slow] });
    const turn = agent.call("go");
    await reached.promise;
    await expect(notebook.edit(agent, "update_plan_info", { name: "x" })).rejects.toMatchObject({
      code: "slot/conflict",
    });
    goOn.resolve();
    await turn;
  });

  test("cannot write a plan with two subtasks in progress, or of another shape", async () => {
    const agent = agentOf([create, "ok"]);
    await agent.call("go");
    const { value } = await agent.slots.get(planSlot);
    const both = value!.subtasks.map((each) => ({ ...each, state: "in_progress" as const }));
    for (const plan of [{ ...value!, subtasks: both }, { ...value!, subtask: [] }, "plan"])
      await expect(agent.slots.set(planSlot, plan as never)).rejects.toMatchObject({ code: "slot/invalid" });
    await agent.slots.set(planSlot, { ...value!, name: "Mine" });
    expect((await agent.slots.get(planSlot)).value!.name).toBe("Mine");
  });
});

test("write_todos replaces the list of the session", async () => {
  const todos = [
    { content: "measure", status: "completed" },
    { content: "cut", status: "in_progress" },
  ];
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([calling(["write_todos", { todos }]), "ok"]),
    tools: [todoTool()],
  });
  await agent.call("go");
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe("The list has 2 items, 1 of them completed.");
  expect((await agent.slots.get(todoSlot)).value).toEqual(todos);
});

test("todoHint shows what is open behind all messages, until all of it is done, and stores nothing", async () => {
  const write = (...statuses: readonly Todo["status"][]) => {
    const todos = statuses.map((status, index) => ({ content: `step ${index}`, status }));
    return calling(["write_todos", { todos }]);
  };
  const model = scriptedModel([
    write("in_progress", "pending"),
    write("completed", "in_progress"),
    write("completed", "completed"),
    "ok",
  ]);
  const agent = createAgent({ name: "bot", model, tools: [todoTool()], hooks: [todoHint()] });
  await agent.call("go");
  const hints = model.requests.map(({ messages }) => textOf(messages.at(-1)!));
  expect(hints[0]).toBe("go");
  expect(hints[1]).toMatch(/^<system-hint>[^]*\n\[>\] step 0\n\[ \] step 1\n[^]*<\/system-hint>$/);
  expect(hints[2]).toContain("[x] step 0\n[>] step 1\n");
  expect(hints[3]).not.toContain("system-hint");
  expect(JSON.stringify(await agent.messages())).not.toContain("system-hint");
});

test.each([
  [{ maxSubtasks: 0 }, "`maxSubtasks` is 0; expected an integer of at least 1."],
  [{ maxSubtask: 3 }, "`maxSubtask` is not an option; did you mean `maxSubtasks`?"],
])("planNotebook(%j) is refused", (options, problem) => {
  expect(() => planNotebook(options as object)).toThrow(
    expect.objectContaining({ code: "config/invalid", message: `planNotebook: ${problem}` }),
  );
});
