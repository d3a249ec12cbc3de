// Breakpoints about calls: a call that meets one waits for a person, and the others run.
import { describe, expect, test } from "vitest";
import { createAgent, defineSlot, type Agent, type Tool } from "agentchart";
import { breakpoints, findBreaks, type Breakpoint } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { hasBreakpoints } from "../../../src/core/tool/stored-slots.ts";
import { breakpointsIn, stopReason } from "../../../src/core/tool/breakpoints.ts";
import { toolOf } from "../../support/agents.ts";

const refund = (id: string, cents: number, more = {}): ScriptedTurn => ({
  calls: [{ id, name: "refund", input: { cents, to: { name: "Ann" }, tags: ["a", 2], ...more } }],
});

function setup(turns: readonly ScriptedTurn[], more = {}) {
  const ran: string[] = [];
  const store = memoryStore();
  const tools: Tool[] = [toolOf("refund", (input) => (ran.push(JSON.stringify(input)), "refunded"))];
  const make = (): Agent =>
    createAgent({ name: "desk", model: scriptedModel(turns), tools, store, sessionId: "s", ...more });
  return { ran, store, make };
}

describe("breakpoints", () => {
  test("a call that meets one does not run before somebody approves it, and others run at once", async () => {
    const { ran, make } = setup([refund("a", 100), refund("b", 9_000), "done"]);
    const agent = make();
    await agent.slots.set(breakpoints, [{ tool: "ref*", where: [{ path: "cents", is: ">", value: 5_000 }] }]);
    const reply = await agent.call("go");
    expect([reply.reason, ran.length]).toEqual(["APPROVAL_REQUIRED", 1]);
    expect(reply.pending).toMatchObject([
      { callId: "b", waitsFor: "approval", reason: "Breakpoint: ref*, cents > 5000" },
    ]);
    expect(reply.pending[0]!.expiresAt).toBeUndefined();
    await agent.decide("b", "approve");
    expect((await agent.call()).text).toBe("done");
    expect(ran.length).toBe(2);
    await agent.close();
  });

  test("the arguments that a person gives instead run, and no breakpoint stops them again", async () => {
    const { ran, make } = setup([refund("a", 100), "done"]);
    const agent = make();
    await agent.slots.set(breakpoints, [{ tool: "refund" }]);
    await agent.call("go");
    await agent.decide("a", { edit: { cents: 1 } });
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual(['{"cents":1}']);
    await agent.close();
  });

  test("another process finds the session where it stopped, with its breakpoints, and goes on", async () => {
    const { ran, store, make } = setup([refund("a", 100), "done"]);
    const first = make();
    await first.slots.set(breakpoints, [{ tool: "refund" }]);
    await first.call("go");
    await first.passivate();
    expect((await store.list()).sessions).toMatchObject([{ sessionId: "s", phase: "suspended" }]);
    const next = createAgent({
      name: "desk",
      model: scriptedModel(["done"]),
      tools: [toolOf("refund", () => (ran.push("next"), "refunded"))],
      store,
      sessionId: "s",
    });
    await next.open();
    expect((await next.slots.get(breakpoints)).value).toEqual([{ tool: "refund" }]);
    await next.decide("a", "approve");
    await next.call();
    expect(ran).toEqual(["next"]);
    await next.close();
  });

  test.each([[[{ tool: "look" }, { mood: "acting" }]], ["later"], [{ all: true }]])(
    "what another release has stored stops each call: %j",
    (value) => {
      const slots = { "tools.breakpoints": { value, version: 1, revision: 1 } };
      const call = { type: "tool_use", id: "c", name: "refund", input: {} } as const;
      expect(hasBreakpoints(slots)).toBe(true);
      const reason = stopReason({ call, turn: [], passed: [] }, breakpointsIn(slots));
      expect(reason).toContain("does not know its condition");
    },
  );

  test("an approval that is remembered does not get round them, and without any left calls run as before", async () => {
    const { ran, make } = setup([refund("a", 1), refund("b", 1), refund("c", 1), "done"]);
    const agent = make();
    await agent.slots.set(breakpoints, [{ tool: "refund" }]);
    await agent.call("go");
    await agent.decide("a", { approve: true, remember: "tool" });
    const reply = await agent.call();
    expect(reply.pending).toMatchObject([{ callId: "b" }]);
    await agent.slots.set(breakpoints, []);
    await agent.decide("b", "approve");
    expect((await agent.call()).text).toBe("done");
    expect(ran.length).toBe(3);
    await agent.close();
  });

  const found = async (condition: Breakpoint, turns: readonly ScriptedTurn[]): Promise<readonly string[]> => {
    const { store, make } = setup(turns);
    const agent = make();
    await agent.call("go");
    await agent.close();
    return (await findBreaks(store, "s", [condition])).flatMap(({ callId }) => callId ?? []);
  };
  const where = (path: string, is: "=" | "!=" | ">" | ">=" | "<" | "<=" | "contains", value: never) =>
    ({ where: [{ path, is, value }] }) as Breakpoint;
  const cases: readonly (readonly [Breakpoint, boolean])[] = [
    [where("cents", ">=", 100 as never), true],
    [where("cents", "<", 100 as never), false],
    [where("cents", "<=", 100 as never), true],
    [where("cents", "=", 100 as never), true],
    [where("cents", "=", "100" as never), false],
    [where("none", "!=", 1 as never), true],
    [where("none", "<", 1 as never), false],
    [where("to.name", "contains", "nn" as never), true],
    [where("tags", "contains", 2 as never), true],
    [where("tags.1", "=", 2 as never), true],
    [where("tags.x", "=", 2 as never), false],
    [where("to.constructor", "!=", null as never), true],
    [{ where: [{ path: "to.constructor", is: "exists" }] }, false],
    [{ where: [{ path: "to.name", is: "exists" }] }, true],
    [{ tool: "other" }, false],
  ];
  test.each(cases)("the condition %j is met: %j", async (condition, isMet) => {
    expect(await found(condition, [refund("a", 100), "done"])).toEqual(isMet ? ["a"] : []);
  });

  test("the n-th same call counts within its turn, whatever the order of the keys is", async () => {
    const turns = [refund("a", 1), refund("b", 2), refund("c", 1), refund("d", 1), "done"];
    expect(await found({ same: 2 }, turns)).toEqual(["c", "d"]);
    expect(await found({ same: 3 }, turns)).toEqual(["d"]);
  });

  test.each([
    [[], "expected at least one"],
    [{}, "expected at least one"],
    [{ where: [{ path: "a", is: "exists", value: 1 }] }, "expected a `value`"],
    [{ where: [{ path: "a", is: ">", value: "1" }] }, "expected a number"],
    [{ where: [{ path: "a", is: "matches", value: "1" }] }, "Invalid"],
    [{ tool: "a", when: "code" }, "Unrecognized"],
  ])("the condition %j is refused", async (condition, problem) => {
    const { make, store } = setup(["done"]);
    const agent = make();
    const given = [condition] as unknown as readonly Breakpoint[];
    const refused = { code: "slot/invalid" };
    await expect(agent.slots.set(breakpoints, given)).rejects.toMatchObject(refused);
    await agent.call("go");
    await agent.close();
    await expect(findBreaks(store, "s", given)).rejects.toMatchObject({ code: "config/invalid" });
    if (!Array.isArray(condition)) await expect(findBreaks(store, "s", given)).rejects.toThrow(problem);
  });

  test("one that held a request whose turn was interrupted holds the next turn, too", async () => {
    for (const stored of [true, false]) {
      const agent = setup(["one", "two"], stored ? {} : { store: undefined }).make();
      await agent.slots.set(breakpoints, [{ state: "reasoning" }]);
      for (const input of ["1", "2"]) {
        expect(await agent.call(input)).toMatchObject({ reason: "BREAKPOINT" });
        expect(agent.interrupt()).toBe(true);
        await expect.poll(() => agent.status().phase).toBe("stopped");
      }
      expect((await agent.messages()).map(({ reason }) => reason)).toContain("INTERRUPTED");
      await agent.close();
    }
  });

  test("no tool and no hook may write them", () => {
    const own = defineSlot({ name: breakpoints.name, initial: [] });
    const agentWith = (slots: readonly unknown[]) => () => setup([], { sessionOptions: { slots } }).make();
    expect(agentWith([own])).toThrow("slot of its own");
    const writing = toolOf("free", () => "", { writes: [breakpoints] });
    expect(() => setup([], { tools: [writing] }).make()).toThrow("slot of its own");
  });
});
