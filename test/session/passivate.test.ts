// Passive agents give their session back, and open it again.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineHook, textOf, type AgentEvent, type SessionStore } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { memoryStore } from "agentchart/store/memory";
import { scripted, toolOf } from "../support/agents.ts";

const holderOf = (store: SessionStore): Promise<unknown> => store.holder!("s");

test("a passive agent has given its session back, and opens it again when it is called", async () => {
  const store = memoryStore();
  const { agent, model } = scripted(["One", "Two", "Four"], { store, sessionId: "s" });
  const { actor } = agent;
  await agent.call("1");
  expect(await holderOf(store)).toBeDefined();
  await agent.passivate();
  expect(await holderOf(store)).toBeUndefined();
  expect(actor.getSnapshot().status).toBe("stopped");

  expect((await agent.call("2")).text).toBe("Two");
  expect(agent.actor).not.toBe(actor);
  expect((await agent.messages()).map(textOf)).toEqual(["1", "One", "2", "Two"]);
  expect(model.requests[1]!.messages).toHaveLength(3);

  await agent.passivate();
  await agent.passivate();
  const other = scripted(["Three"], { store, sessionId: "s" }).agent;
  await other.call("3");
  await expect(agent.call("4")).rejects.toMatchObject({ code: "session/conflict" });
  await other.close();
  expect((await agent.call("4")).text).toBe("Four");
  expect(await agent.messages()).toHaveLength(8);
  await agent.close();
});

test("what was added at run time stays: hooks, tools, presets, listeners, the numbers of events", async () => {
  const store = memoryStore();
  const seen: unknown[] = [];
  const work = toolOf("work", (input) => (seen.push(input), "done"));
  const turns = [{ calls: [{ id: "a", name: "work", input: { n: 1 } }] }, "End"];
  const { agent } = scripted([...turns, ...turns, "Last"], { store, sessionId: "s" });
  const hooked: number[] = [];
  agent.addHook(defineHook({ name: "late", preCall: ({ turn }) => void hooked.push(turn) }));
  agent.toolkit.add(work);
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event), { types: ["turn.end"] });
  await agent.call("go");
  await agent.passivate();
  agent.toolkit.setPreset("work", { key: "secret" });
  await agent.call("again");
  expect(seen).toEqual([{ n: 1 }, { n: 1, key: "secret" }]);
  expect(hooked).toEqual([1, 2]);
  expect(events).toHaveLength(2);
  expect(events[1]!.n).toBeGreaterThan(events[0]!.n);
  await agent.passivate();
  expect(agent.removeHook("late")).toBe(true);
  await agent.passivate();
  await agent.call("more");
  expect(hooked).toEqual([1, 2]);
  await agent.close();
});

test("a suspended agent that is passive takes the decision, and its answer has the type that was asked for", async () => {
  const store = memoryStore();
  const tools = [toolOf("pay", () => "paid", { permission: "ask" })];
  const answer = { calls: [{ id: "g", name: "generate_response", input: { response: { sum: "7" } } }] };
  const { agent } = scripted([{ calls: [{ id: "c", name: "pay" }] }, answer], {
    store,
    sessionId: "s",
    tools,
  });
  const output = z.object({ sum: z.string().transform(Number) });
  expect((await agent.call("Pay", { output })).reason).toBe("APPROVAL_REQUIRED");
  await agent.passivate();
  expect(await agent.decide("c", "approve")).toEqual([]);
  await agent.passivate();
  const reply = await agent.call();
  expect(reply.output).toEqual({ sum: 7 });
  await agent.close();
});

test("only a resting agent with a store can be passivated", async () => {
  const gate = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const tools = [toolOf("wait", () => (begun.resolve(), gate.promise))];
  const turns = [{ calls: [{ id: "w", name: "wait" }] }, "End"];
  const { agent } = scripted(turns, { store: memoryStore(), tools });
  await agent.passivate(); // nothing is open
  const call = agent.call("go");
  await begun.promise;
  await expect(agent.passivate()).rejects.toMatchObject({ code: "run/busy" });
  gate.resolve("waited");
  expect((await call).text).toBe("End");
  await agent.close();
  await expect(agent.passivate()).rejects.toMatchObject({ code: "run/closed" });
  await expect(scripted([]).agent.passivate()).rejects.toMatchObject({ code: "config/invalid" });
});

test("a call waits for the lease that is given back, and one that comes before that keeps the agent", async () => {
  const memory = memoryStore();
  const leaving = Promise.withResolvers<void>();
  const store = new Proxy(memory, {
    get: (target, key) =>
      key === "release"
        ? async (...args: Parameters<SessionStore["release"]>) => (
            await leaving.promise,
            target.release(...args)
          )
        : Reflect.get(target, key, target),
  });
  const resting = Promise.withResolvers<void>();
  const hook = defineHook({ name: "rest", onRest: () => resting.promise });
  const { agent } = scripted(["One", "Two", "Three"], { store, sessionId: "s", hooks: [hook] });
  await agent.call("1");
  const early = agent.passivate();
  const second = agent.call("2");
  resting.resolve();
  await expect(early).rejects.toMatchObject({ code: "run/busy" });
  expect((await second).text).toBe("Two");
  const { actor } = agent;
  const passive = agent.passivate();
  await expect.poll(() => actor.getSnapshot().status).toBe("stopped");
  const third = agent.call("3");
  await sleep(1);
  leaving.resolve();
  expect((await third).text).toBe("Three");
  await passive;
  await agent.close();
});

test("with `idleMs` an agent is passivated by itself, also after it was only opened, and inspectors watch it again", async () => {
  const store = memoryStore();
  let watched = 0;
  const inspect = { watch: () => (watched++, { committed() {}, flushed: () => Promise.resolve() }) };
  const agent = createAgent({
    name: "bot",
    model: scriptedModel(["One"]),
    store,
    sessionId: "s",
    sessionOptions: { idleMs: 5 },
    inspect: inspect as never,
  });
  await agent.open();
  await expect.poll(() => holderOf(store)).toBeUndefined();
  expect((await agent.call("1")).text).toBe("One");
  await expect.poll(() => holderOf(store)).toBeUndefined();
  expect(await agent.messages()).toHaveLength(2);
  expect(watched).toBe(3);
  await agent.close();
});

test("an agent that waits for the end of an approval stays, since its turn goes on by itself", async () => {
  const store = memoryStore();
  const tools = [toolOf("pay", () => "paid", { permission: "ask" })];
  const turns = [{ calls: [{ id: "c", name: "pay" }] }];
  const { agent } = scripted(turns, {
    store,
    sessionId: "s",
    tools,
    sessionOptions: { idleMs: 1 },
    permissions: { expiresAfterMs: 60_000 },
  });
  const { actor } = agent;
  const [call] = (await agent.call("Pay")).pending;
  expect(call!.expiresAt).toBeDefined();
  await sleep(30);
  expect(agent.actor).toBe(actor);
  await agent.close();
});

test.each([
  ["is made passive", undefined],
  ["would become passive by itself", 1],
])("what is read while the agent %s is read whole", async (_, idleMs) => {
  const inner = memoryStore();
  const kept = scripted(
    Array.from({ length: 100 }, () => "ok"),
    { store: inner, sessionId: "s" },
  ).agent;
  for (let turn = 0; turn < 100; turn++) await kept.call(`q${turn}`);
  await kept.close();

  const reading = Promise.withResolvers<void>();
  const store: SessionStore = {
    ...inner,
    async *read(...given) {
      for await (const entry of inner.read(...given)) {
        reading.resolve();
        await sleep(1);
        yield entry;
      }
    },
  };
  const sessionOptions = idleMs === undefined ? {} : { idleMs };
  const { agent } = scripted([], { store, sessionId: "s", sessionOptions });
  await agent.open();
  const messages = agent.messages();
  await reading.promise;
  if (idleMs === undefined) await agent.passivate();
  expect(await messages).toHaveLength(200);
  await agent.close();
});
