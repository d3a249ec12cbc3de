// Sessions whose agent cannot be made.
import { expect, onTestFinished, test } from "vitest";
import { AgentError, defineTool, textOf } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { createWorker, inProcessQueue, type WorkerOptions } from "agentchart/worker";
import { createSession, openServer } from "../server/open-server.ts";
import { tryAgents } from "../../src/worker/make-config.ts";
import { bench, echoModel, ofType } from "./kit.ts";

const good = () => ({ name: "echo", model: echoModel });
const FAILING: readonly (readonly [what: string, make: () => unknown, found: string])[] = [
  [
    "throws",
    () => {
      throw new Error("no such host");
    },
    "no such host",
  ],
  ["rejects", () => Promise.reject(new Error("no such file")), "no such file"],
  ["returns nothing", () => undefined, "no configuration"],
  ["has a misspelt option", () => ({ ...good(), maxIteration: 3 }), "maxIteration"],
];
const agentsOf = (make: () => unknown) => ({ echo: make }) as unknown as WorkerOptions["agents"];

test.for(FAILING)("an input is refused once whose agent's function %s", async ([, make, found]) => {
  const b = await bench({ agents: agentsOf(make) });
  await b.dispatcher.dispatch("s", "hi", { agent: "echo", idempotencyKey: "k", meta: { tenant: "t" } });
  const signal = AbortSignal.timeout(10_000);
  for await (const event of b.dispatcher.subscribe("s", { signal })) {
    if (event.type !== "input.refused") continue;
    expect(event).toMatchObject({ inputId: "k", error: { code: "config/invalid" } });
    expect(event.error.message).toContain("The agent 'echo' cannot be made: ");
    expect(event.error.message).toContain(found);
    break;
  }
  expect(await b.dispatcher.status("s")).toMatchObject({
    phase: "stopped",
    inputs: 0,
    meta: { agent: "echo", tenant: "t" },
    error: { code: "config/invalid" },
  });
  expect(ofType(b, "session.putBack")).toHaveLength(2);
  expect(await b.dispatcher.dispatch("s", "hi", { idempotencyKey: "k" })).toMatchObject({
    state: "duplicate",
  });
  await expect(b.dispatcher.dispatch("s", "other", { idempotencyKey: "k" })).rejects.toMatchObject({
    code: "run/key-reused",
  });
  await expect.poll(() => ofType(b, "input.refused")).toHaveLength(1);
});

test("a session whose inputs were refused works once its agent can be made", async () => {
  let isBroken = true;
  const make = () => {
    if (isBroken) throw new Error("broken");
    return good();
  };
  const b = await bench({ agents: agentsOf(make), maxTries: 1 });
  await b.dispatcher.dispatch("s", "one", { agent: "echo" });
  await expect.poll(() => ofType(b, "input.refused")).toHaveLength(1);
  expect(ofType(b, "session.putBack")).toEqual([]);
  isBroken = false;
  await b.dispatcher.dispatch("s", "two");
  await expect.poll(() => b.worker.stats().turns).toBe(1);
  const { messages } = await (await openSession(b.store, "s")).at();
  expect(messages.map(textOf)).toEqual(["two", "echo: two"]);
  expect(await b.dispatcher.status("s")).not.toHaveProperty("error");
});

test("failures of a store and errors that may pass do not count as tries", async () => {
  let tries = 0;
  const errors = [
    new AgentError("store/failed", "away"),
    new AgentError("model/connection", "away", { isRetryable: true }),
  ];
  const make = () => {
    const error = errors[tries++];
    if (error) throw error;
    return good();
  };
  const b = await bench({ agents: agentsOf(make), maxTries: 1 });
  await b.dispatcher.dispatch("s", "hi", { agent: "echo" });
  await expect.poll(() => b.worker.stats().turns).toBe(1);
  expect(ofType(b, "input.refused")).toEqual([]);
});

test("a refusal that could not be written is written by the next worker, once", async () => {
  const store = memoryStore();
  const make = () => {
    throw new Error("broken");
  };
  const dying = new Proxy(store, {
    get: (target, key) =>
      key === "append"
        ? () => Promise.reject(new AgentError("store/failed", "killed"))
        : Reflect.get(target, key, target),
  });
  const options = { agents: agentsOf(make), maxTries: 1, storeTimeoutMs: 0 };
  const first = await bench({ store: dying, ...options });
  await first.dispatcher.dispatch("s", "hi", { agent: "echo", idempotencyKey: "k" });
  await expect.poll(() => ofType(first, "error").length).toBeGreaterThan(0);
  await first.worker.close();
  expect(await first.dispatcher.status("s")).toMatchObject({ seq: 0, inputs: 1 });
  const second = await bench({ store, ...options });
  await expect.poll(() => ofType(second, "input.refused")).toHaveLength(1);
  const types: string[] = [];
  for await (const { type } of store.read("s")) types.push(type);
  expect(types.filter((type) => type === "input.refused")).toHaveLength(1);
});

test("secrets that an error quotes are not in the refusal", async () => {
  const text =
    "postgres://me:hunter2secret@db/x refused apiKey=sk-abcdefghijklmnopqrst and Bearer abcdef123456";
  const make = () => {
    throw new AgentError("config/invalid", text, { data: { password: "hunter2secret" } });
  };
  const b = await bench({ agents: agentsOf(make), maxTries: 1 });
  await b.dispatcher.dispatch("s", "hi", { agent: "echo" });
  await expect.poll(() => ofType(b, "input.refused")).toHaveLength(1);
  const shown = JSON.stringify([ofType(b, "input.refused"), await b.store.load("s")]);
  expect(shown).not.toMatch(/hunter2secret|abcdefghij|abcdef123456/);
  expect(shown).toContain("[redacted]");
});

test("the event stream of a server tells of the refusal", async () => {
  const server = openServer();
  const agents = { desk: agentsOf(() => undefined)["echo"]! };
  const { queue, store } = server;
  const worker = createWorker({ queue: queue ?? inProcessQueue(), store, agents, retryMs: 20, sweepMs: 100 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  const id = await createSession(server);
  const response = await server.request("GET", `/v1/sessions/${id}/events`);
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("input.refused")) break;
  }
  expect(text).toContain("The agent 'desk' cannot be made");
  const status = await (await server.request("GET", `/v1/sessions/${id}`)).json();
  expect(status).toMatchObject({ phase: "stopped", inputs: 0, error: { code: "config/invalid" } });
});

test("what a session has done before stays whole when a later input is refused", async () => {
  let isBroken = false;
  const make = () => {
    if (isBroken) throw new Error("broken");
    return good();
  };
  const b = await bench({ agents: agentsOf(make), maxTries: 1 });
  await b.dispatcher.dispatch("s", "one", { agent: "echo" });
  await expect.poll(() => b.worker.stats().turns).toBe(1);
  await expect.poll(() => b.worker.stats().running).toBe(0);
  const before = (await (await openSession(b.store, "s")).at()).state;
  isBroken = true;
  await b.dispatcher.dispatch("s", "two");
  await expect.poll(() => ofType(b, "input.refused")).toHaveLength(1);
  expect((await (await openSession(b.store, "s")).at()).state).toEqual(before);
  isBroken = false;
  await b.dispatcher.dispatch("s", "three");
  await expect.poll(() => b.worker.stats().turns).toBe(2);
  const { messages } = await (await openSession(b.store, "s")).at();
  expect(messages.map(textOf)).toEqual(["one", "echo: one", "three", "echo: three"]);
});

test("the session that has asked for the end of a turn is told once that it was refused", async () => {
  const agents = { echo: good, broken: FAILING[0]![1] } as unknown as WorkerOptions["agents"];
  const b = await bench({ agents, maxTries: 2 });
  await b.dispatcher.dispatch("desk", "hello", { agent: "echo" });
  await expect.poll(() => b.worker.stats().turns).toBe(1);
  await b.dispatcher.dispatch("task", "do it", { agent: "broken", reportTo: "desk" });
  await expect.poll(() => b.worker.stats().turns).toBe(2);
  const { messages } = await (await openSession(b.store, "desk")).at();
  const told = messages.map(textOf).filter((text) => text.startsWith("Task "));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("It has failed: The agent 'broken' cannot be made: no such host");
  expect((await b.store.takeInputs("task", 10)).length).toBe(0);
  expect(await b.dispatcher.status("task")).toMatchObject({ phase: "stopped", inputs: 0 });
});

test("a report of a turn that waits for a person is kept while its agent cannot be made", async () => {
  let isBroken = false;
  const ask = defineTool({
    name: "pay",
    description: "Pays.",
    input: { type: "object" },
    permission: "ask",
    execute: () => "paid",
  });
  const desk = () => {
    if (isBroken) throw new Error("broken");
    return { ...good(), tools: [ask] };
  };
  const agents = { desk, echo: good } as unknown as WorkerOptions["agents"];
  const b = await bench({ agents, maxTries: 1 });
  await b.dispatcher.dispatch("asker", "hello", { agent: "echo" });
  await b.dispatcher.dispatch("s", "call pay", { agent: "desk", reportTo: "asker" });
  await expect.poll(async () => (await b.dispatcher.status("s")).phase).toBe("suspended");
  await expect.poll(() => b.worker.stats().running).toBe(0);
  isBroken = true;
  await b.dispatcher.dispatch("s", "more");
  await expect.poll(() => ofType(b, "input.refused")).toHaveLength(1);
  isBroken = false;
  const [call] = (await b.dispatcher.status("s")).pending;
  await b.dispatcher.decide("s", call!.callId, "approve");
  const texts = async () => (await (await openSession(b.store, "asker")).at()).messages.map(textOf);
  await expect.poll(async () => (await texts()).some((text) => text.includes("echo: paid"))).toBe(true);
});

test("each agent is made once at the start of a program, and what is wrong is known", async () => {
  const sessions: unknown[] = [];
  const secret = () => {
    throw new Error("no login with password=hunter2secret");
  };
  const agents = Object.fromEntries([
    ...FAILING.map(([what, make]) => [what, make]),
    ["secret", secret],
    ["hangs", () => new Promise(() => {})],
    ["good", (session: unknown) => (sessions.push(session), good())],
  ]) as unknown as WorkerOptions["agents"];
  const failed = await tryAgents(agents, 30);
  expect(failed.map(({ agent }) => agent)).toEqual([...FAILING.map(([what]) => what), "secret", "hangs"]);
  for (const [index, [, , found]] of FAILING.entries()) expect(failed[index]!.error.message).toContain(found);
  expect(failed.at(-2)!.error.message).toBe("no login with password=[redacted]");
  expect(failed.at(-1)!.error.message).toContain("did not return within 30 ms");
  expect(sessions).toEqual([{ sessionId: "trial of good", meta: { agent: "good" } }]);
  expect(await tryAgents({ good })).toEqual([]);
});
