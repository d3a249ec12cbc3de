// Inputs that are refused, and sessions that are put back.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, textOf, type Decision } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { createWorker, inProcessQueue, type WakeQueue } from "agentchart/worker";
import { bench, echoModel, ofType, type Bench } from "./kit.ts";

const input = { type: "object" } as const;
const pay = defineTool({
  name: "pay",
  description: "pays",
  input,
  permission: "ask",
  execute: () => "paid",
});
const agents = { echo: () => ({ name: "echo", model: echoModel, tools: [pay] }) };

/** A session that waits for an approval, and the call it waits for. */
async function suspended({ dispatcher }: Bench, sessionId = "s"): Promise<string> {
  await dispatcher.dispatch(sessionId, "call pay", { agent: "echo" });
  await expect.poll(async () => (await dispatcher.status(sessionId)).phase).toBe("suspended");
  return (await dispatcher.status(sessionId)).pending[0]!.callId;
}

describe("an input for a session that was never started", () => {
  test("is session/not-found, and none is made", async () => {
    const { dispatcher, store } = await bench({ isIdle: true });
    const words = [
      dispatcher.interrupt("s"),
      dispatcher.cancel("s"),
      dispatcher.steer("s", "left"),
      dispatcher.decide("s", "call", "approve"),
      dispatcher.answer("s", "call", "yes"),
      dispatcher.extendBudget("s", { modelCalls: 1 }),
      dispatcher.setSlot("s", "plan", null),
      dispatcher.compact("s"),
    ];
    for (const word of words) await expect(word).rejects.toMatchObject({ code: "session/not-found" });
    await expect(dispatcher.status("s")).rejects.toMatchObject({ code: "session/not-found" });
    for (const options of [{ agent: "" }, { agent: "echo", meta: { n: 1n as never } }])
      await expect(dispatcher.dispatch("s", "hi", options)).rejects.toMatchObject({ code: "config/invalid" });
    expect(await dispatcher.retry("s")).toBe(false);
    expect(await store.listDue({ before: Date.now() })).toEqual({ sessionIds: [] });
  });

  test("finds one that was begun and not taken in yet", async () => {
    const { dispatcher } = await bench({ isIdle: true });
    await dispatcher.dispatch("s", "hi", { agent: "echo", delayMs: 60_000 });
    expect(await dispatcher.interrupt("s")).toMatchObject({ state: "accepted" });
  });
});

describe("what can never be taken is refused at once", () => {
  test.for(["agentchart/schedule/x", "agentchart.labels"])(
    "an input for what the package itself stores as %s",
    async (sessionId) => {
      const { dispatcher, store } = await bench();
      const refused = dispatcher.dispatch(sessionId, "hi", { agent: "echo" });
      await expect(refused).rejects.toMatchObject({
        code: "config/invalid",
        message: expect.stringContaining("must not be agentchart.labels") as string,
      });
      expect(await store.load(sessionId)).toBeUndefined();
    },
  );

  test.for([
    { answer: [null] },
    { answer: [{ type: "text" }] },
    { answer: [{ type: "tool_use", id: "c", name: "pay", input: {} }] },
    { approve: true, remember: "always" },
    { approve: true, deny: "no" },
    { deny: "no", remember: "tool" },
    { edit: [] },
    ["approve"],
    {},
    null,
  ])("the decision %j", async (decision) => {
    const b = await bench({ agents });
    const callId = await suspended(b);
    const decided = b.dispatcher.decide("s", callId, decision as unknown as Decision);
    await expect(decided).rejects.toMatchObject({ code: "config/invalid" });
    // A dispatcher of another release may not have known.
    await b.store.putInput("s", { id: "bad", data: { kind: "decide", at: 0, callId, decision } as never });
    await b.dispatcher.wake("s");
    await expect.poll(() => ofType(b, "input.refused")).toMatchObject([{ inputId: "bad" }]);
    await b.dispatcher.decide("s", callId, { approve: true, remember: "tool" });
    await expect.poll(async () => (await b.dispatcher.status("s")).reason).toBe("MODEL_STOP");
  });

  test("an edit that the schema of the tool does not accept, with the path, and the call still waits", async () => {
    const priced = defineTool({
      name: "pay",
      description: "pays",
      input: { type: "object", properties: { cents: { type: "integer" } } },
      permission: "ask",
      execute: ({ cents }) => `paid ${String(cents)}`,
    });
    const b = await bench({ agents: { echo: () => ({ name: "echo", model: echoModel, tools: [priced] }) } });
    const callId = await suspended(b);
    const { inputId } = await b.dispatcher.decide("s", callId, { edit: { cents: "five" } });
    const message = expect.stringContaining("cents") as unknown;
    await expect
      .poll(() => ofType(b, "input.refused"))
      .toMatchObject([{ inputId, error: { code: "run/bad-decision", message } }]);
    expect((await b.dispatcher.status("s")).pending).toMatchObject([{ callId }]);
    expect((await b.dispatcher.status("s")).pending[0]).not.toHaveProperty("decided");
    await b.dispatcher.decide("s", callId, { edit: { cents: 5 } });
    await expect.poll(async () => (await b.dispatcher.status("s")).reason).toBe("MODEL_STOP");
  });

  test.for([{ tokens: 5 }, {}, { modelCalls: 0 }, { modelCalls: "5" }, { onExceeded: "stop" }])(
    "the budget %j",
    async (extra) => {
      const { dispatcher } = await bench({ isIdle: true });
      await dispatcher.dispatch("s", "hi", { agent: "echo" });
      await expect(dispatcher.extendBudget("s", extra as object)).rejects.toMatchObject({
        code: "config/invalid",
      });
    },
  );

  test.for([
    { concurrency: 0 },
    { concurrency: Number.NaN },
    { rate: { max: 0, perMs: 1_000 } },
    { rate: { max: 5, perMs: -1 } },
  ])("the limits %j of a worker", (limits) => {
    const make = () =>
      createWorker({ store: memoryStore(), queue: inProcessQueue(), agents, limits: { "*": limits } });
    expect(make).toThrow(expect.objectContaining({ code: "config/invalid" }));
  });
});

test("A decision is found behind any number of texts that wait for it", async () => {
  const b = await bench({ agents });
  const callId = await suspended(b);
  for (let index = 0; index < 25; index++) await b.dispatcher.dispatch("s", `text ${index}`);
  await b.dispatcher.decide("s", callId, "approve");
  const last = async () => (await (await openSession(b.store, "s")).at()).messages.map(textOf).at(-1);
  await expect.poll(last).toBe("echo: text 24");
  expect(await b.dispatcher.status("s")).toMatchObject({ inputs: 0 });
});

test("A cancellation drops what waits for its time too, and nothing that came after it", async () => {
  const b = await bench({ agents });
  await b.dispatcher.dispatch("s", "one", { agent: "echo" });
  await expect.poll(() => b.worker.stats().turns).toBe(1);
  await b.dispatcher.dispatch("s", "later", { delayMs: 60_000, idempotencyKey: "later" });
  await b.dispatcher.cancel("s", { idempotencyKey: "cancel" });
  await expect.poll(() => ofType(b, "input.refused").map(({ inputId }) => inputId)).toContain("later");
  await b.dispatcher.dispatch("s", "two", { delayMs: 200 });
  await expect.poll(() => b.worker.stats().turns).toBe(2);
  const { messages } = await (await openSession(b.store, "s")).at();
  expect(messages.map(textOf)).toEqual(["one", "echo: one", "two", "echo: two"]);
});

test("an agent's function that returns nothing is reported before its input is refused", async () => {
  const b = await bench({ agents: { echo: () => undefined as never }, maxTries: 100 });
  await b.dispatcher.dispatch("s", "hi", { agent: "echo" });
  await expect
    .poll(() => ofType(b, "session.putBack")[0])
    .toMatchObject({ sessionId: "s", why: "failed", error: { code: "config/invalid" } });
  expect(await b.dispatcher.status("s")).toMatchObject({ seq: 0, inputs: 1 });
});

test("A session whose transcript is none is quarantined instead of being tried for ever", async () => {
  const store = memoryStore();
  const agent = createAgent({
    name: "echo",
    model: echoModel,
    store,
    sessionId: "s",
    meta: { agent: "echo" },
  });
  await agent.call("hi");
  await agent.close();
  const lease = (await store.acquire("s", { owner: "x", ttlMs: 1_000 }))!;
  const { seq, position } = (await store.load("s"))!;
  const data = { from: 0, messages: [{ id: "m", role: "user", content: [null] }] };
  const entries = [{ seq: seq + 1, at: 0, type: "messages", data }] as never;
  await store.append("s", { expectedSeq: seq, fence: lease.fence, entries, position });
  await store.release(lease);
  const b = await bench({ store, agents });
  await b.dispatcher.dispatch("s", "more");
  await expect.poll(() => ofType(b, "session.quarantined").map(({ reason }) => reason)).toHaveLength(1);
  await b.dispatcher.wake("s");
  expect((await b.dispatcher.status("s")).quarantine?.reason).toContain("message 0 is not a Msg");
});

describe("a session that is put back has one wake-up to come, whatever else wakes it", () => {
  const gate = Promise.withResolvers<string>();
  const hold = defineTool({ name: "hold", description: "holds", input, execute: () => gate.promise });
  const holding = { echo: () => ({ name: "echo", model: echoModel, tools: [hold] }) };

  test("while its tenant's limit holds it back", async () => {
    const b = await bench({ agents: holding, sweepMs: 5, limits: { "*": { concurrency: 1 } } });
    await b.dispatcher.dispatch("first", "call hold", { agent: "echo" });
    await expect.poll(() => b.worker.stats().running).toBe(1);
    await b.dispatcher.dispatch("s", "hi", { agent: "echo" });
    await expect.poll(() => b.worker.stats().swept).toBeGreaterThan(8);
    await expect.poll(async () => (await b.queue.stats()).delayed).toBeLessThanOrEqual(1);
    gate.resolve("held");
    await expect.poll(() => b.worker.stats().turns).toBe(2);
  });

  test("while no worker has its agent", async () => {
    const b = await bench({ agents: {}, sweepMs: 5 });
    await b.dispatcher.dispatch("s", "hi", { agent: "echo" });
    await expect.poll(() => b.worker.stats().swept).toBeGreaterThan(8);
    await expect.poll(async () => (await b.queue.stats()).delayed).toBeLessThanOrEqual(1);
  });

  test("while another process has it", async () => {
    const b = await bench({ agents: holding });
    const lease = (await b.store.acquire("s", { owner: "another", ttlMs: 60_000 }))!;
    for (let index = 0; index < 10; index++) {
      await b.dispatcher.dispatch("s", `text ${index}`, { agent: "echo" });
      await expect.poll(async () => (await b.queue.stats()).waiting).toBe(0);
    }
    expect(b.worker.stats().putBack).toBeGreaterThan(3);
    await expect.poll(async () => (await b.queue.stats()).delayed).toBeLessThanOrEqual(1);
    await b.store.release(lease);
    await expect.poll(() => b.worker.stats().turns).toBe(10);
  });
});

test("The agent of a session is known from any of its inputs, however many stand before it", async () => {
  const b = await bench({ agents, isIdle: true });
  await b.dispatcher.dispatch("s", "first", { agent: "echo", delayMs: 100 });
  for (let index = 0; index < 25; index++) await b.dispatcher.dispatch("s", `text ${index}`);
  await b.worker.start();
  await expect.poll(() => b.worker.stats().turns).toBe(26);
  expect(ofType(b, "session.unknown")).toEqual([]);
});

test("A session that could not be begun does not count for the rate of its tenant", async () => {
  const b = await bench({ agents, sweepMs: 0, limits: { t: { rate: { max: 1, perMs: 60_000 } } } });
  const lease = (await b.store.acquire("taken", { owner: "another", ttlMs: 60_000 }))!;
  const session = { agent: "echo", meta: { tenant: "t" } };
  await b.dispatcher.dispatch("taken", "hi", session);
  await expect.poll(() => ofType(b, "session.putBack")[0]?.why).toBe("taken");
  await b.dispatcher.dispatch("free", "hi", session);
  await expect.poll(() => b.worker.stats().turns).toBe(1);
  await b.store.release(lease);
});

test("A session that is put back keeps its priority", async () => {
  const queue = inProcessQueue();
  const priorities: (number | undefined)[] = [];
  const wake: WakeQueue["wake"] = (sessionId, options = {}) => {
    if ((options.delayMs ?? 0) > 0) priorities.push(options.priority);
    return queue.wake(sessionId, options);
  };
  const noting = new Proxy(queue, {
    get: (target, key) => (key === "wake" ? wake : (Reflect.get(target, key) as () => void).bind(target)),
  });
  const b = await bench({ agents: {}, queue: noting, sweepMs: 0 });
  await b.dispatcher.dispatch("s", "hi", { agent: "echo", priority: 7 });
  await expect.poll(() => priorities.length).toBeGreaterThan(2);
  expect(new Set(priorities)).toEqual(new Set([7]));
});

test("No session takes the place of a permit", async () => {
  const { dispatcher } = await bench({ isIdle: true });
  const dispatched = dispatcher.dispatch("agentchart/permit/slot/0/t", "hi", { agent: "echo" });
  await expect(dispatched).rejects.toMatchObject({ code: "config/invalid" });
});

test("wake-ups without a worker do not fill the memory of a process that only dispatches", async () => {
  const queue = inProcessQueue();
  for (let index = 0; index < 10_010; index++) await queue.wake(`s${index}`);
  expect((await queue.stats()).waiting).toBe(10_000);
  const taken: string[] = [];
  const consumer = queue.consume(async ({ sessionId }) => void taken.push(sessionId), { concurrency: 100 });
  await expect.poll(() => taken.length).toBe(10_000);
  await queue.wake("s10009");
  await expect.poll(() => taken.at(-1)).toBe("s10009");
  await consumer.close();
  await queue.close();
});

test("What was cancelled before a worker came is never begun, and what came after it is", async () => {
  const b = await bench({ agents, isIdle: true });
  await b.dispatcher.dispatch("s", "one", { agent: "echo", idempotencyKey: "one" });
  await b.dispatcher.dispatch("s", "two", { idempotencyKey: "two" });
  await b.dispatcher.cancel("s", { idempotencyKey: "cancel" });
  await b.dispatcher.dispatch("s", "three");
  await b.worker.start();
  const texts = async () => (await (await openSession(b.store, "s")).at()).messages.map(textOf);
  await expect.poll(texts).toEqual(["three", "echo: three"]);
  expect(await b.dispatcher.status("s")).toMatchObject({ inputs: 0 });
  expect(ofType(b, "input.refused").map(({ inputId }) => inputId)).toEqual(["one", "two", "cancel"]);
});
