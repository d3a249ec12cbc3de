// Durable agents: stores, keys, and `sessionManager`.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, toolResultMsg, userMsg, type AgentConfig, type Json } from "agentchart";
import { sessionManager, type JournalEntry } from "agentchart/session";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { memoryStore } from "../../src/store/memory.ts";
import { call, show, traced } from "../support/trace.ts";
import { failureOf } from "../support/failure.ts";

const never = () => new Promise<string>(() => {});
const tool = (name: string, execute: () => string | Promise<string>, fields: object = {}) =>
  defineTool({ name, description: "", input: { type: "object" }, execute, ...fields });
const setup = (turns: readonly ScriptedTurn[], config: Partial<AgentConfig>) => {
  const model = scriptedModel(turns);
  return { model, agent: createAgent({ name: "bot", model, sessionId: "s", ...config }) };
};
const memory = async (agent: { messages(): Promise<Parameters<typeof show>[0][]> }) =>
  (await agent.messages()).map(show);

describe("a durable agent", () => {
  test("a durable agent continues in another process after a turn, a suspension and another turn", async () => {
    const store = memoryStore();
    const first = traced(["hi", { calls: [call("c1"), call("c2", "ext")] }], { store, sessionId: "s" });
    await first.agent.call("one");
    expect((await first.agent.call("two")).reason).toBe("TOOL_SUSPENDED");
    await first.agent.close();

    const second = traced(["done"], { store, sessionId: "s" });
    await second.agent.open();
    expect(second.agent.status()).toMatchObject({ phase: "suspended", waitsFor: ["externalResult"] });
    const reply = await second.agent.call(toolResultMsg([{ callId: "c2", name: "ext", text: "E" }]));
    expect([reply.text, reply.turn.iterations]).toEqual(["done", 2]);
    await second.agent.close();

    const third = traced([], { store, sessionId: "s" });
    expect(await memory(third.agent)).toEqual([
      "U[one]",
      "A[hi]",
      "U[two]",
      "A[c1,c2]",
      "T(c1)",
      "T(c2)",
      "A[done]",
    ]);
    expect(third.agent.status()).toMatchObject({ phase: "stopped", reason: "MODEL_STOP" });
  });

  test("a second durable agent on the same session gets session/conflict and changes nothing", async () => {
    const store = memoryStore();
    const first = setup(["hi"], { store });
    await first.agent.call("one");
    const second = setup(["no"], { store });
    await expect(second.agent.call("two")).rejects.toMatchObject({
      code: "session/conflict",
      message: expect.stringMatching(
        /^Session 's' is open in this process already, by agent '.+': close that agent first, or use it\.$/,
      ),
    });
    expect(await memory(first.agent)).toEqual(["U[one]", "A[hi]"]);
  });

  test("a durable agent ends at once when its lease is taken, and writes nothing", async () => {
    let now = 1_000;
    const store = memoryStore({ now: () => now });
    const first = setup([{ calls: [{ id: "c", name: "slow" }] }], { store, tools: [tool("slow", never)] });
    const running = first.agent.call("go");
    await expect.poll(() => first.agent.status().seq).toBeGreaterThan(0);
    now += 60_000;
    const thief = setup([], { store });
    await thief.agent.open();
    await expect(first.agent.observe(userMsg("late"))).rejects.toMatchObject({ code: "session/lease-lost" });
    await expect(running).rejects.toMatchObject({ code: "session/lease-lost" });
    expect(await memory(thief.agent)).toEqual(["U[go]", "A[c]"]);
  });

  test("a durable agent renews an expired lease before it runs the next tool", async () => {
    let now = 1_000;
    const store = memoryStore({ now: () => now });
    const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const gates = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const { agent } = setup(
      [{ calls: [{ id: "a", name: "one" }] }, { calls: [{ id: "b", name: "two" }] }, "done"],
      {
        store,
        sessionOptions: { now: () => now },
        tools: [
          tool("one", () => (started[0]!.resolve(), gates[0]!.promise)),
          tool("two", () => (started[1]!.resolve(), gates[1]!.promise)),
        ],
      },
    );
    const running = agent.call("go");
    await started[0]!.promise;
    now += 60_000; // the store was away, and the hold has run out
    gates[0]!.resolve("one");
    await started[1]!.promise;
    expect(await store.acquire("s", { owner: "another", ttlMs: 1 })).toBeUndefined();
    gates[1]!.resolve("two");
    expect((await running).text).toBe("done");
  });

  test("a restored agent asks about a call that was running, repeats idempotent ones, and none with a recorded result (I5)", async () => {
    let now = 1_000;
    const store = memoryStore({ now: () => now });
    const ran: string[] = [];
    const tools = (waits: boolean) => [
      tool("quick", () => `quick ${ran.push("quick")}`),
      tool("idem", () => (ran.push("idem"), waits ? never() : "I"), { idempotent: true }),
      tool("pay", () => (ran.push("pay"), waits ? never() : "P")),
      tool("once", () => (ran.push("once"), waits ? never() : "O"), { onRestart: "fail" }),
    ];
    const calls = ["quick", "idem", "pay", "once"].map((name) => ({ id: name, name }));
    const first = setup([{ calls }], { store, tools: tools(true), parallelToolCalls: true });
    void first.agent.call("go").catch(() => {});
    await expect.poll(() => ran.length).toBe(4);
    await expect.poll(() => JSON.stringify(first.agent.snapshot())).toContain("quick 1");
    now += 60_000; // the process is gone and its lease has run out

    const second = setup(["done"], { store, tools: tools(false), parallelToolCalls: true });
    await second.agent.open();
    expect(second.agent.status().phase).toBe("unfinished");
    const asked = await second.agent.call();
    expect(asked).toMatchObject({
      reason: "OUTCOME_UNKNOWN",
      pending: [{ callId: "pay", waitsFor: "unknownOutcome" }],
    });
    await second.agent.decide("pay", { answer: "it went through" });
    expect((await second.agent.call()).text).toBe("done");
    expect(ran).toEqual(["quick", "idem", "pay", "once", "idem"]);
    expect(await memory(second.agent)).toEqual([
      "U[go]",
      "A[quick,idem,pay,once]",
      "T(quick)",
      "T(idem)",
      "T(pay)",
      "T(once)",
      "A[done]",
    ]);
  });

  test("shutdown() stops at the next commit point, and call() continues without repeated input", async () => {
    const store = memoryStore();
    const started = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<string>();
    const first = setup([{ calls: [{ id: "c", name: "slow" }] }], {
      store,
      tools: [tool("slow", () => (started.resolve(), gate.promise))],
    });
    const running = first.agent.call("go");
    const ended = failureOf(running);
    await started.promise;
    const stopping = first.agent.shutdown({ deadlineMs: 30_000 });
    gate.resolve("result");
    await stopping;
    expect(await ended).toMatchObject({ code: "run/shutdown" });

    const second = setup(["done"], { store });
    await second.agent.open();
    expect(second.agent.status()).toMatchObject({ phase: "unfinished", reason: "SHUTDOWN" });
    expect((await second.agent.call()).text).toBe("done");
    expect(await memory(second.agent)).toEqual(["U[go]", "A[c]", "T(c)", "A[done]"]);
  });

  test("a failing append gives store/failed, and never replaces the turn's own error", async () => {
    const store = memoryStore();
    const broken = {
      ...store,
      acquire: store.acquire.bind(store),
      append: () => Promise.reject(new Error("disk full")),
    };
    await expect(setup(["x"], { store: broken as never }).agent.call("go")).rejects.toMatchObject({
      code: "store/failed",
    });
  });

  test("a durable agent restores approvals, remembered rules, budgets and tool groups", async () => {
    const store = memoryStore();
    const config: Partial<AgentConfig> = {
      store,
      tools: [tool("pay", () => "paid")],
      permissions: { otherwise: "ask" },
      budget: { modelCalls: 2 },
    };
    const first = setup(
      [{ calls: [{ id: "a", name: "pay" }] }, { calls: [{ id: "b", name: "pay" }] }],
      config,
    );
    await first.agent.call("go");
    await first.agent.decide("a", { approve: true, remember: "tool" });
    await first.agent.close();
    const second = setup([{ calls: [{ id: "b", name: "pay" }] }, "end"], config);
    expect((await second.agent.call()).reason).toBe("BUDGET_EXCEEDED");
    await second.agent.extendBudget({ modelCalls: 1 });
    await second.agent.close();
    const third = setup(["end"], config);
    await third.agent.open();
    expect(third.agent.status().waitsFor).toEqual(["budget"]);
    expect((await third.agent.call()).text).toBe("end");
  });
});

describe("saveTo and loadFrom", () => {
  test("saveTo and loadFrom move a suspended session to another agent; a missing key gives false or session/not-found", async () => {
    const store = memoryStore();
    const first = traced([{ calls: [call("c1", "ext")] }]);
    await first.agent.call("go");
    await first.agent.saveTo(store, "k");
    await first.agent.saveTo(store, "k");
    const second = traced(["done"]);
    expect(await second.agent.loadIfExists(store, "other")).toBe(false);
    await expect(second.agent.loadFrom(store, "other")).rejects.toMatchObject({ code: "session/not-found" });
    await second.agent.loadFrom(store, "k");
    expect(second.agent.status().phase).toBe("suspended");
    expect((await second.agent.call(toolResultMsg([{ callId: "c1", name: "ext", text: "r" }]))).text).toBe(
      "done",
    );
  });
});

describe("idempotencyKey", () => {
  test("the same idempotencyKey twice is one input, at once, later and in another process", async () => {
    const store = memoryStore();
    const first = setup(["one", "two"], { store });
    const options = { idempotencyKey: "k1" };
    const [a, b] = await Promise.all([first.agent.call("go", options), first.agent.call("go", options)]);
    expect([a.text, b.text]).toEqual(["one", "one"]);
    expect((await first.agent.call("go", { idempotencyKey: "k2" })).text).toBe("two");
    await first.agent.close();
    const second = setup([], { store });
    expect((await second.agent.call("go", { idempotencyKey: "k2" })).text).toBe("two");
    expect(await memory(second.agent)).toEqual(["U[go]", "A[one]", "U[go]", "A[two]"]);
  });

  test("an input that was put but not taken is taken by the next call of its key", async () => {
    const store = memoryStore();
    await store.putInput("s", { id: "k", data: { messages: [userMsg("from the desk")] as never } });
    const { agent } = setup(["ok"], { store });
    await agent.call("from the desk", { idempotencyKey: "k" });
    expect(await memory(agent)).toEqual(["U[from the desk]", "A[ok]"]);
    expect(await store.takeInputs("s", 10)).toEqual([]);
  });
});

describe("sessionManager", () => {
  test("sessionManager saves and loads several agents under one id, and parts of them", async () => {
    const store = memoryStore();
    const one = setup(["hi"], {}).agent;
    await one.call("hello");
    const managed = sessionManager({ store, sessionId: "m", components: [one] });
    expect([await managed.exists(), await managed.loadIfExists(), await managed.saveIfExists()]).toEqual([
      false,
      false,
      false,
    ]);
    await expect(managed.loadOrThrow()).rejects.toMatchObject({ message: "Session not found: m" });
    await managed.save();
    const other = setup([], {}).agent;
    await sessionManager({ store, sessionId: "m", components: [other] }).loadOrThrow();
    expect(await memory(other)).toEqual(["U[hello]", "A[hi]"]);
    const groupsOnly = setup([], {}).agent;
    await sessionManager({
      store,
      sessionId: "m",
      components: [groupsOnly],
      parts: { memory: false },
    }).loadOrThrow();
    expect(await memory(groupsOnly)).toEqual([]);
    expect([await managed.deleteIfExists(), await managed.deleteIfExists()]).toEqual([true, false]);
    await expect(managed.deleteOrThrow()).rejects.toMatchObject({ code: "session/not-found" });
  });

  test("sessionManager refuses two components of one name, of which one would be saved over the other", () => {
    const components = [setup([], {}).agent, setup([], {}).agent];
    expect(() => sessionManager({ store: memoryStore(), sessionId: "m", components })).toThrow(
      expect.objectContaining({ code: "config/invalid", message: expect.stringMatching(/named '.+'/u) }),
    );
  });
});

describe("what a store receives", () => {
  test("a subscriber that continues from the last seq it saw misses no durable event", async () => {
    const store = memoryStore();
    const { agent } = traced(["one", { calls: [call("c1")] }, "two"], { store, sessionId: "s" });
    await agent.call("first");
    const { seq } = agent.status();
    await agent.call("second");
    const heard: string[] = [];
    const stop = agent.subscribe(
      (event) => heard.push(event.type === "message" ? show(event.message) : event.type),
      { after: seq },
    );
    await expect.poll(() => heard.filter((type) => type === "turn.end").length).toBe(1);
    expect(heard.filter((each) => /^[UAT]/.test(each))).toEqual(["U[second]", "A[c1]", "T(c1)", "A[two]"]);
    stop();
  });

  test("redact is applied to journal, checkpoint and snapshot, and the context is in none of them", async () => {
    const store = memoryStore();
    const redact = (value: Json): Json =>
      JSON.parse(JSON.stringify(value).replaceAll("4111-1111", "****")) as Json;
    const { agent } = setup(["card 4111-1111 is fine"], {
      store,
      sessionOptions: { redact },
      context: { token: "s3cr3t" },
    });
    await agent.call("my card is 4111-1111");
    const entries: JournalEntry[] = [];
    for await (const entry of store.read("s")) entries.push(entry);
    const stored = JSON.stringify([entries, await store.load("s"), agent.snapshot()]);
    expect(stored).toContain("****");
    expect(stored).not.toMatch(/4111-|s3cr3t/);
  });
});
