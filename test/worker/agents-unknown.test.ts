// An input whose agent no worker has waits for a worker that has it, and is refused once it has waited too long.
import { expect, onTestFinished, test } from "vitest";
import { textOf } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { createDispatcher, createWorker, inProcessQueue, type WorkerOptions } from "agentchart/worker";
import { createSession, openServer } from "../server/open-server.ts";
import { bench, echoModel, ofType } from "./kit.ts";
import { mortal, type Death } from "./mortal.ts";

const WAIT_MS = 60_000;
const NONE = { agents: {}, unknownAgentMs: WAIT_MS };

/** A clock that a test sets. */
function clock() {
  let ahead = 0;
  return { now: () => Date.now() + ahead, pass: (ms: number) => void (ahead += ms) };
}

/** What a subscriber is told about an input that is refused. */
async function refusalOf({ dispatcher }: Pick<Awaited<ReturnType<typeof bench>>, "dispatcher">, id: string) {
  const signal = AbortSignal.timeout(10_000);
  for await (const event of dispatcher.subscribe("s", { signal }))
    if (event.type === "input.refused" && event.inputId === id) return event;
  throw new Error("The stream has ended.");
}

/** The ids of the inputs that the journal refuses. */
async function refusedIn(store: Parameters<typeof openSession>[0], sessionId = "s"): Promise<unknown[]> {
  const ids: unknown[] = [];
  for await (const { type, data } of store.read(sessionId))
    if (type === "input.refused") ids.push(data["id"]);
  return ids;
}

test("an input is refused once, everywhere, when its agent was unknown for too long", async () => {
  const { now, pass } = clock();
  const b = await bench({ ...NONE, now });
  await b.dispatcher.dispatch("s", "hi", { agent: "gone", idempotencyKey: "k", meta: { tenant: "t" } });
  await expect.poll(() => ofType(b, "session.unknown").length).toBeGreaterThan(3);
  expect(ofType(b, "input.refused")).toEqual([]);
  expect(await b.dispatcher.status("s")).toMatchObject({ inputs: 1, seq: 0 });
  pass(WAIT_MS + 1);
  const message = "No worker has the agent 'gone'. The input has waited 60 s for one.";
  const error = { code: "config/no-agent", message };
  expect(await refusalOf(b, "k")).toMatchObject({ inputId: "k", error });
  const state = { phase: "stopped", inputs: 0, meta: { agent: "gone", tenant: "t" }, error };
  expect(await b.dispatcher.status("s")).toMatchObject(state);
  await expect.poll(() => ofType(b, "input.refused")).toMatchObject([{ inputId: "k", kind: "call", error }]);
  expect(await b.dispatcher.dispatch("s", "hi", { idempotencyKey: "k" })).toMatchObject({
    state: "duplicate",
  });
});

test("an old input is not refused at the first look, and runs where a worker has its agent", async () => {
  const { now, pass } = clock();
  const store = memoryStore();
  const queue = inProcessQueue();
  onTestFinished(() => queue.close());
  const dispatcher = createDispatcher({ queue, store });
  await dispatcher.dispatch("s", "hello", { agent: "echo" });
  pass(WAIT_MS * 100);
  const without = await bench({ ...NONE, now, store, queue, sweepMs: 0, retryMs: 1_000_000 });
  await expect.poll(() => ofType(without, "session.unknown").length).toBe(1);
  expect(await refusedIn(store)).toEqual([]);
  const having = await bench({ store, queue });
  await expect.poll(() => having.worker.stats().turns).toBe(1);
  const { messages } = await (await openSession(store, "s")).at();
  expect(messages.map(textOf)).toEqual(["hello", "echo: hello"]);
  expect(await refusedIn(store)).toEqual([]);
});

test("of two workers the one with the agent runs each input, and none is refused", async () => {
  const store = memoryStore();
  const queue = inProcessQueue();
  onTestFinished(() => queue.close());
  const without = await bench({ ...NONE, store, queue });
  const having = await bench({ store, queue });
  const ids = Array.from({ length: 20 }, (_, index) => `s${index}`);
  for (const id of ids) await having.dispatcher.dispatch(id, "hello", { agent: "echo" });
  await expect.poll(() => having.worker.stats().turns).toBe(ids.length);
  expect(without.worker.stats()).toMatchObject({ turns: 0, inputsRefused: 0 });
  expect((await Promise.all(ids.map((id) => refusedIn(store, id)))).flat()).toEqual([]);
});

test("only the inputs that have waited too long are refused, and delays do not count as waiting", async () => {
  const { now, pass } = clock();
  const b = await bench({ ...NONE, now, isIdle: true });
  const dispatcher = createDispatcher({ queue: b.queue, store: b.store, now });
  await dispatcher.dispatch("s", "old", { agent: "gone", idempotencyKey: "old" });
  await dispatcher.dispatch("s", "later", { idempotencyKey: "later", delayMs: WAIT_MS });
  pass(WAIT_MS + 1);
  await dispatcher.dispatch("s", "new", { idempotencyKey: "new" });
  await b.worker.start();
  await expect.poll(() => refusedIn(b.store)).toEqual(["old"]);
  expect((await b.store.takeInputs("s", 10)).map(({ id }) => id).toSorted()).toEqual(["later", "new"]);
  pass(WAIT_MS + 1);
  await expect.poll(() => refusedIn(b.store)).toHaveLength(3);
});

test("an input that a process has put there for its own agent is left to that process", async () => {
  const { now, pass } = clock();
  const b = await bench({ ...NONE, now });
  await b.store.putInput("s", { id: "own", data: { agent: "gone", messages: [] } });
  pass(WAIT_MS * 100);
  await expect.poll(() => ofType(b, "session.unknown").length).toBeGreaterThan(4);
  expect(await refusedIn(b.store)).toEqual([]);
});

test.for(["<img src=x onerror=alert(1)>", "x".repeat(10_000)])(
  "the name of an unknown agent is text of a bounded length in the refusal",
  async (agent) => {
    const { now, pass } = clock();
    const b = await bench({ ...NONE, now, maxTries: 1 });
    await b.dispatcher.dispatch("s", "hi", { agent, idempotencyKey: "k" });
    pass(WAIT_MS + 1);
    const { error } = await refusalOf(b, "k");
    expect(error.message).toContain(agent.slice(0, 20));
    expect(error.message.length).toBeLessThan(400);
  },
);

test("the session that has asked for the end of a turn is told that no worker has its agent", async () => {
  const { now, pass } = clock();
  const b = await bench({ unknownAgentMs: WAIT_MS, now });
  await b.dispatcher.dispatch("desk", "hello", { agent: "echo" });
  await expect.poll(() => b.worker.stats().turns).toBe(1);
  await b.dispatcher.dispatch("task", "do it", { agent: "gone", reportTo: "desk" });
  pass(WAIT_MS + 1);
  await expect.poll(() => b.worker.stats().turns).toBe(2);
  const { messages } = await (await openSession(b.store, "desk")).at();
  const told = messages.map(textOf).filter((text) => text.startsWith("Task "));
  expect(told).toEqual([expect.stringContaining("It has failed: No worker has the agent 'gone'.")]);
  await expect.poll(async () => (await b.store.takeInputs("task", 10)).length).toBe(0);
});

/** A refusal of two inputs, one with a report, by a worker that dies and by the next one. Returns what became of them. */
async function refusedBy(death?: Death) {
  const { now, pass } = clock();
  const real = memoryStore({ now });
  const first = mortal(real, death);
  const options = { agents: {}, unknownAgentMs: WAIT_MS, now, maxTries: 1, leaseMs: 300, pollMs: 30 };
  const workerOn = (store: WorkerOptions["store"]) =>
    createWorker({ ...options, store, queue: inProcessQueue(), sweepMs: 30, retryMs: 10, storeTimeoutMs: 0 });
  const workers = [workerOn(first.store), workerOn(real)] as const;
  onTestFinished(async () => {
    first.bury();
    await Promise.all(workers.map((worker) => worker.close({ deadlineMs: 0 })));
  });
  const dispatcher = createDispatcher({ queue: inProcessQueue(), store: real });
  const asker = await bench({ store: real, agents: { echo: () => ({ name: "echo", model: echoModel }) } });
  await asker.dispatcher.dispatch("asker", "hello", { agent: "echo" });
  await expect.poll(() => asker.worker.stats().turns).toBe(1);
  await asker.worker.close();
  await dispatcher.dispatch("s", "one", { agent: "gone", idempotencyKey: "one", reportTo: "asker" });
  await dispatcher.dispatch("s", "two", { idempotencyKey: "two" });
  pass(WAIT_MS + 1);
  await workers[0].start();
  const isDone = async () => (await real.takeInputs("s", 10)).length === 0;
  await expect.poll(async () => first.isDead() || (await isDone())).toBe(true);
  if (first.isDead()) {
    pass(1_000); // its lease expires
    await workers[1].start();
    await expect.poll(isDone).toBe(true);
  }
  const told = (await real.takeInputs("asker", 10)).map(({ data }) => data["kind"]);
  return { appends: first.appends(), isDead: first.isDead(), refused: await refusedIn(real), told };
}

test("whoever dies at any append of a refusal has lost no input and refused none twice", async () => {
  const whole = await refusedBy();
  expect(whole).toMatchObject({ refused: ["one", "two"], told: ["notify"], isDead: false });
  expect(whole.appends).toBe(2);
  for (let append = 1; append <= whole.appends; append++)
    for (const when of ["before", "after"] as const) {
      const { refused, told, isDead } = await refusedBy({ append, when });
      expect({ refused, told, isDead }).toEqual({ refused: ["one", "two"], told: ["notify"], isDead: true });
    }
});

test("the event stream of a server and its status tell of the refusal", async () => {
  const { now, pass } = clock();
  const server = openServer();
  const { queue, store } = server;
  const options = { store, agents: {}, unknownAgentMs: WAIT_MS, now };
  const worker = createWorker({ ...options, queue: queue ?? inProcessQueue(), retryMs: 20, sweepMs: 100 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  const id = await createSession(server);
  pass(WAIT_MS + 1);
  const response = await server.request("GET", `/v1/sessions/${id}/events`);
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("input.refused")) break;
  }
  expect(text).toContain("No worker has the agent 'desk'");
  const status = await (await server.request("GET", `/v1/sessions/${id}`)).json();
  expect(status).toMatchObject({ phase: "stopped", inputs: 0, error: { code: "config/no-agent" } });
});
