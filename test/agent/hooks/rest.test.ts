// The hook `onRest` runs once after each turn that has come to its end.
import { describe, expect, test } from "vitest";
import { createAgent, defineHook, defineSlot, type AgentConfig, type Hook } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf } from "../../support/agents.ts";

const mark = defineSlot<string>({ name: "mark", initial: "" });

type RestEvent = Parameters<NonNullable<Hook["onRest"]>>[0];

const agentOf = (
  turns: readonly ScriptedTurn[],
  onRest: NonNullable<Hook["onRest"]>,
  config: Partial<AgentConfig> = {},
) => {
  const hook = defineHook({ name: "rester", writes: [mark], onRest });
  return createAgent({ name: "bot", model: scriptedModel(turns), hooks: [hook], ...config });
};

const failed: ScriptedTurn = [{ type: "finish", reason: "content_filter" }];

describe("a hook at onRest", () => {
  test("runs once after each turn, however it ended, but not for one that waits for a person", async () => {
    const rests: string[] = [];
    const agent = agentOf(
      ["one", failed, { calls: [{ id: "c1", name: "clerk" }] }, "Done."],
      ({ turn, history }) => void rests.push(`${turn}: ${history.length}`),
      { tools: [toolOf("clerk")] },
    );
    const came = async (...expected: readonly string[]) => {
      await expect.poll(() => rests).toEqual(expected);
    };
    await agent.call("first");
    await came("1: 2");
    await expect(agent.call("second")).rejects.toThrow();
    await came("1: 2", "2: 3");
    const stop = agent.subscribe((event) => event.type === "model.start" && agent.interrupt());
    await agent.call("third");
    stop();
    const afterThird = (await agent.messages()).length;
    await came("1: 2", "2: 3", `3: ${afterThird}`);
    await agent.call("fourth");
    expect(agent.status().phase).toBe("suspended");
    await agent.decide("c1", { answer: "yes" });
    await agent.call();
    await came("1: 2", "2: 3", `3: ${afterThird}`, `4: ${afterThird + 4}`);
  });

  test("runs when a session that had turns is opened, and not for a new one", async () => {
    const store = memoryStore();
    const rests: number[] = [];
    const open = (turns: readonly ScriptedTurn[] = []) =>
      agentOf(turns, ({ turn }) => void rests.push(turn), { store, sessionId: "s" });
    const first = open(["one"]);
    await first.open();
    await first.call("first");
    await first.close();
    expect(rests).toEqual([1]);
    const second = open();
    await second.open();
    await second.close();
    expect(rests).toEqual([1, 1]);
  });

  test("writes slots, which are stored, unless they were changed meanwhile", async () => {
    const store = memoryStore();
    const goOn = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const agent = agentOf(
      ["one", "two"],
      async ({ turn }) => {
        await goOn[turn - 1]!.promise;
        return { slots: { mark: `rest ${turn}` } };
      },
      { store, sessionId: "s" },
    );
    await agent.call("first");
    goOn[0]!.resolve();
    await expect.poll(() => agent.slots.get(mark)).toEqual({ value: "rest 1", revision: 1 });
    await agent.call("second");
    await agent.slots.set(mark, "mine");
    goOn[1]!.resolve();
    await agent.close();
    const again = agentOf([], () => {}, { store, sessionId: "s" });
    expect(await again.slots.get(mark)).toEqual({ value: "mine", revision: 2 });
    await again.close();
  });

  test("holds up no turn, and never runs twice at once; a rest that was left behind is passed over", async () => {
    const goOn = Promise.withResolvers<void>();
    const seen: number[] = [];
    let running = 0;
    const agent = agentOf(["one", "two", "three"], async ({ turn }) => {
      expect(++running).toBe(1);
      seen.push(turn);
      await goOn.promise;
      running--;
    });
    await agent.call("first");
    await expect.poll(() => seen).toEqual([1]);
    expect((await agent.call("second")).text).toBe("two");
    expect((await agent.call("third")).text).toBe("three");
    goOn.resolve();
    await agent.close();
    expect(seen).toEqual([1, 3]);
  });

  test("that fails, or returns what it may not, is an event and nothing else", async () => {
    const wrong = [() => Promise.reject(new Error("broken")), () => ({ reply: "x" })];
    const agent = agentOf(["one", "two"], () => wrong.shift()!() as never);
    const failures: (string | undefined)[] = [];
    agent.subscribe((event) => event.type === "hook.failed" && failures.push(event.error.message));
    await agent.call("first");
    await expect.poll(() => failures).toHaveLength(1);
    await agent.call("second");
    await expect.poll(() => failures).toHaveLength(2);
    expect(failures[0]).toContain("failed in onRest: broken");
    expect(failures[1]).toContain("`reply` is not a field of it");
    expect(agent.status().phase).toBe("stopped");
  });

  test.each(["close", "shutdown"] as const)("is waited for by %s()", async (end) => {
    let ended = false;
    const goOn = Promise.withResolvers<void>();
    const agent = agentOf(["one"], async () => {
      await goOn.promise;
      ended = true;
    });
    await agent.call("first");
    const ending = agent[end]();
    goOn.resolve();
    await ending;
    expect(ended).toBe(true);
  });

  test("that never ends holds shutdown() up to its deadline only, and its signal aborts", async () => {
    let event: RestEvent | undefined;
    const agent = agentOf(["one"], (e) => {
      event = e;
      return new Promise(() => {});
    });
    await agent.call("first");
    await expect.poll(() => event).toBeDefined();
    expect(event!.signal.aborted).toBe(false);
    await agent.shutdown({ deadlineMs: 20 });
    expect(event!.signal.aborted).toBe(true);
  });
});
