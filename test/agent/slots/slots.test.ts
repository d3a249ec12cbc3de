// Slots of a session: who writes them, and who reads them.
import { describe, expect, test } from "vitest";
import {
  createAgent,
  defineHook,
  defineSlot,
  defineTool,
  type AgentConfig,
  type Json,
  type ToolContext,
  type ToolReturn,
} from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { outputOf, resultsOf } from "../../support/agents.ts";

const plan = defineSlot<readonly string[]>({ name: "plan", initial: [] });

const outcome = (slots: { readonly [name: string]: Json }) => ({
  output: [{ type: "text" as const, text: "ok" }],
  slots,
});

/** A tool that may write the plan. */
const planner = (
  name: string,
  execute: (input: { readonly [key: string]: Json }, ctx: ToolContext) => ToolReturn | Promise<ToolReturn>,
) => defineTool({ name, description: name, input: { type: "object" }, writes: [plan], execute });

const add = planner("add", ({ step }, { slots }) => outcome({ plan: [...slots.get(plan), String(step)] }));
const read = defineTool({
  name: "read",
  description: "reads the plan",
  input: { type: "object" },
  execute: (_, { slots }) => slots.get(plan).join(" "),
});

const adding = (...steps: readonly string[]): ScriptedTurn => ({
  calls: steps.map((step) => ({ name: "add", input: { step } })),
});

const agentOf = (turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) =>
  createAgent({ name: "bot", model: scriptedModel(turns), tools: [add, read], ...config });

describe("a tool", () => {
  test("writes a slot, and later tools, hooks and the agent read it", async () => {
    const seen = new Set<string>();
    const hook = defineHook({
      name: "eyes",
      preReasoning: ({ slots }) => void seen.add(slots.get(plan).join(" ")),
    });
    const agent = agentOf([adding("a"), { calls: [{ name: "read" }] }, "end"], { hooks: [hook] });
    expect(await agent.slots.get(plan)).toEqual({ value: [], revision: 0 });
    await agent.call("go");
    expect(await agent.slots.get(plan)).toEqual({ value: ["a"], revision: 1 });
    expect(outputOf(resultsOf(await agent.messages())[1])).toBe("a");
    expect([...seen]).toEqual(["", "a"]);
  });

  test("never writes a slot at the same time as another call, so that no write is lost", async () => {
    let running = 0;
    let most = 0;
    const slow = planner("add", async ({ step }, { slots }) => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return outcome({ plan: [...slots.get(plan), String(step)] });
    });
    const agent = agentOf([adding("a", "b", "c"), "end"], { tools: [slow], parallelToolCalls: true });
    await agent.call("go");
    expect((await agent.slots.get(plan)).value).toEqual(["a", "b", "c"]);
    expect(most).toBe(1);
  });

  test("that writes no slot runs beside one that does", async () => {
    const both = Promise.withResolvers<void>();
    let running = 0;
    const meet = async () => {
      if (++running === 2) both.resolve();
      await both.promise;
    };
    const first = planner("first", async () => (await meet(), outcome({ plan: ["a"] })));
    const other = defineTool({
      name: "other",
      description: "",
      input: { type: "object" },
      execute: async () => (await meet(), "ok"),
    });
    const calls = { calls: [{ name: "first" }, { name: "other" }] };
    const agent = agentOf([calls, "end"], { tools: [first, other], parallelToolCalls: true });
    expect((await agent.call("go")).text).toBe("end");
  });

  test.each([
    ["a slot that it did not declare", { notes: [] }, "the slot 'notes' is not in its `writes`"],
    ["a value that is too large", { plan: ["x".repeat(70_000)] }, "the value of slot 'plan' has 70004 bytes"],
    ["one slot and another that is wrong", { plan: ["a"], notes: 1 }, "the slot 'notes' is not in"],
    ["no object", ["a"], "`slots` must be an object"],
  ])("that writes %s gets an error result, and nothing is written", async (_what, slots, problem) => {
    const agent = agentOf([adding("a"), "end"], { tools: [planner("add", () => outcome(slots as never))] });
    await agent.call("go");
    const [result] = resultsOf(await agent.messages());
    expect(result).toMatchObject({ state: "error", code: "tool/failed" });
    expect(outputOf(result)).toContain(problem);
    expect(await agent.slots.get(plan)).toEqual({ value: [], revision: 0 });
  });

  test("whose attempt is repeated writes only with its last attempt", async () => {
    const seen: string[] = [];
    let last = 0;
    const flaky = planner("add", (_, { attempt, slots }) => {
      last = attempt; // a process that is killed may repeat the third
      seen.push(...slots.get(plan));
      return { ...outcome({ plan: [`attempt ${attempt}`] }), state: attempt < 3 ? "error" : "success" };
    });
    const agent = agentOf([adding("a"), "end"], {
      tools: [flaky],
      toolOptions: { execution: { maxAttempts: 3, initialBackoffMs: 1 } },
    });
    await agent.call("go");
    expect(seen).toEqual([]);
    expect(last).toBeGreaterThanOrEqual(3);
    expect(await agent.slots.get(plan)).toEqual({ value: [`attempt ${last}`], revision: 1 });
  });
});

describe("a hook", () => {
  test("writes slots at every point that may change something, and reads what hooks before it wrote", async () => {
    const note = (point: string) => ({ slots: { plan: [point] } });
    const trail = (point: string, slots: { get(slot: typeof plan): readonly string[] }) => ({
      slots: { plan: [...new Set([...slots.get(plan), point])] },
    });
    const first = defineHook({ name: "first", writes: [plan], preCall: () => note("first") });
    const second = defineHook({
      name: "second",
      writes: [plan],
      preCall: ({ slots }) => trail("preCall", slots),
      preReasoning: ({ slots }) => trail("preReasoning", slots),
      postReasoning: ({ slots }) => trail("postReasoning", slots),
      preActing: ({ slots }) => trail("preActing", slots),
      postActing: ({ slots }) => trail("postActing", slots),
      preSummary: ({ slots }) => trail("preSummary", slots),
      postSummary: ({ slots }) => trail("postSummary", slots),
      postCall: ({ slots }) => trail("postCall", slots),
    });
    const agent = agentOf([{ calls: [{ name: "read" }] }, "summary"], {
      hooks: [first, second],
      maxIters: 1,
    });
    await agent.call("go");
    const points = "preCall preReasoning postReasoning preActing postActing preSummary postSummary postCall";
    expect((await agent.slots.get(plan)).value).toEqual(["first", ...points.split(" ")]);
  });

  test.each([
    ["a slot that it did not declare", { slots: { notes: 1 } }, "the slot 'notes' is not in its `writes`"],
    ["`slots` inside of a result", { result: outcome({ plan: [] }) }, "`slots` belong beside `result`"],
  ])("that returns %s fails the turn", async (_what, returned, problem) => {
    const hook = defineHook({ name: "h", writes: [plan], postActing: () => returned as never });
    const agent = agentOf([{ calls: [{ name: "read" }] }, "end"], { hooks: [hook] });
    await expect(agent.call("go")).rejects.toMatchObject({
      code: "hook/bad-return",
      message: expect.stringContaining(problem) as string,
    });
  });

  test("that only observes cannot write", async () => {
    const hook = defineHook({ name: "h", writes: [plan], onError: () => ({ slots: { plan: [] } }) as never });
    const agent = agentOf([{ error: new Error("down") }], { hooks: [hook] });
    const failed: string[] = [];
    agent.subscribe((event) => void (event.type === "hook.failed" && failed.push(event.error.message)));
    await expect(agent.call("go")).rejects.toThrow();
    expect(failed).toEqual(["Hook 'h' returned from onError: hooks of this point write no slots"]);
  });
});

describe("agent.slots.set", () => {
  test("writes at rest, and refuses a write that was made for another revision", async () => {
    const agent = agentOf([adding("b"), "end"]);
    await agent.slots.set(plan, ["a"]);
    await agent.call("go");
    await expect(agent.slots.set(plan, ["c"], { revision: 1 })).rejects.toMatchObject({
      code: "slot/conflict",
      data: { slot: "plan", revision: 2 },
    });
    expect(await agent.slots.get(plan)).toEqual({ value: ["a", "b"], revision: 2 });
    await agent.slots.set(plan, ["c"], { revision: 2 });
    expect((await agent.slots.get(plan)).value).toEqual(["c"]);
  });

  test("is refused while a call that may write the slot runs, and taken while another call runs", async () => {
    const started = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const wait = async () => (started.resolve(), await gate.promise);
    const slow = planner("slow", async (_, { slots }) => {
      await wait();
      return outcome({ plan: [...slots.get(plan), "tool"] });
    });
    const notes = defineSlot({ name: "notes", initial: "" });
    const agent = agentOf([{ calls: [{ name: "slow" }] }, "end"], {
      tools: [slow],
      sessionOptions: { slots: [notes] },
    });
    const running = agent.call("go");
    await started.promise;
    await expect(agent.slots.set(plan, ["person"])).rejects.toMatchObject({ code: "slot/conflict" });
    await agent.slots.set(notes, "taken");
    gate.resolve();
    await running;
    expect((await agent.slots.get(plan)).value).toEqual(["tool"]);
    expect((await agent.slots.get(notes)).value).toBe("taken");
  });

  test("wins against a hook that read the slot before", async () => {
    const started = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const hook = defineHook({
      name: "slow",
      writes: [plan],
      preReasoning: async ({ slots }) => {
        if (runs++ > 0) return;
        started.resolve();
        const before = slots.get(plan);
        await gate.promise;
        return { slots: { plan: [...before, "hook"] } };
      },
    });
    const agent = agentOf(["end"], { hooks: [hook] });
    const running = agent.call("go");
    await started.promise;
    await agent.slots.set(plan, ["person"]);
    gate.resolve();
    await running;
    expect((await agent.slots.get(plan)).value).toEqual(["person"]);
  });

  test("refuses bad values, unknown slots and a closed agent", async () => {
    const agent = agentOf([]);
    await expect(agent.slots.set(plan, ["x".repeat(70_000)])).rejects.toMatchObject({ code: "slot/invalid" });
    await expect(agent.slots.set(defineSlot({ name: "n", initial: 0 }), 1)).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringContaining("the agent has no slot 'n'") as string,
    });
    await expect(agent.slots.set({} as never, 1)).rejects.toMatchObject({ code: "config/invalid" });
    await expect(agent.slots.set(plan, [], { revison: 1 } as never)).rejects.toMatchObject({
      code: "config/invalid",
    });
    await agent.close();
    await expect(agent.slots.set(plan, [])).rejects.toMatchObject({ code: "run/closed" });
    expect((await agent.slots.get(plan)).value).toEqual([]);
  });
});

describe("createAgent", () => {
  const other = defineSlot({ name: "plan", initial: null });
  const problem = {
    code: "config/invalid",
    message: expect.stringContaining("Two slots are named 'plan'") as string,
  };

  test("refuses two slots of one name, wherever they come from", () => {
    expect(() => agentOf([], { sessionOptions: { slots: [other] } })).toThrow(
      expect.objectContaining(problem) as Error,
    );
    const hook = defineHook({ name: "h", writes: [other] });
    expect(() => agentOf([], { hooks: [hook] })).toThrow(expect.objectContaining(problem) as Error);
    const agent = agentOf([]);
    expect(() => agent.addHook(hook)).toThrow(expect.objectContaining(problem) as Error);
    expect(() => agentOf([], { sessionOptions: { slots: [plan] } })).not.toThrow();
    expect(() => agentOf([], { sessionOptions: { slots: ["plan"] as never } })).toThrow(
      /`sessionOptions.slots\[0\]` is "plan"; expected a slot/,
    );
  });
});

test("every write is an event", async () => {
  const agent = agentOf([adding("a", "b"), "end"]);
  const events: unknown[] = [];
  agent.subscribe((event) => {
    if (event.type === "slot") events.push([event.name, event.value, event.revision]);
  });
  await agent.call("go");
  await agent.slots.set(plan, []);
  expect(events).toEqual([
    ["plan", ["a"], 1],
    ["plan", ["a", "b"], 2],
    ["plan", [], 3],
  ]);
});
