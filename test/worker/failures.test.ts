// Transports, leases and sessions that fail.
import { describe, expect, onTestFinished, test } from "vitest";
import { AgentError, defineTool, textOf, toolResultsOf, type SessionStore } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { createDispatcher, createWorker, inProcessQueue, type WakeQueue } from "agentchart/worker";
import { bench, echoModel, ofType } from "./kit.ts";

const lastText = async (store: SessionStore, id: string): Promise<string> =>
  textOf((await (await openSession(store, id)).at()).messages.at(-1)!);

/** An agent with a tool that waits for `gate`. */
function gated(gate: Promise<string>) {
  const ran: string[] = [];
  const wait = defineTool({
    name: "wait",
    description: "wait",
    input: { type: "object" },
    execute: (_, { callId, signal }) => {
      ran.push(callId);
      const aborted = new Promise<string>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("aborted"))),
      );
      return Promise.race([gate, aborted]);
    },
  });
  return { ran, agents: { echo: () => ({ name: "echo", model: echoModel, tools: [wait] }) } };
}

/** The queue with some of its methods replaced. */
const changedQueue = (queue: WakeQueue, changed: Partial<WakeQueue>): WakeQueue => ({
  wake: (...args) => queue.wake(...args),
  consume: (...args) => queue.consume(...args),
  publish: (...args) => queue.publish(...args),
  subscribe: (...args) => queue.subscribe(...args),
  stats: () => queue.stats(),
  close: () => queue.close(),
  ...changed,
});

describe("a transport", () => {
  test("that loses every wake-up delays, no more: the sweep finds what waits", async () => {
    const queue = inProcessQueue();
    let lost = 0;
    const unresponsive = changedQueue(queue, { wake: async () => void lost++, publish: () => {} });
    const b = await bench({ queue });
    const dispatcher = createDispatcher({ store: b.store, queue: unresponsive });
    await dispatcher.dispatch("s", "hello", { agent: "echo" });
    await expect.poll(() => b.worker.stats().turns).toBe(1);
    await dispatcher.dispatch("s", "again");
    await expect.poll(() => b.worker.stats().turns).toBe(2);
    expect(lost).toBe(2);
    expect(b.worker.stats().swept).toBeGreaterThan(1);
  });

  test("that delivers everything twice, at once, doubles nothing", async () => {
    const queue = inProcessQueue();
    const eager = changedQueue(queue, {
      consume: (handler, options) =>
        queue.consume(async (wakeUp) => {
          await Promise.all([handler(wakeUp), handler(wakeUp), handler(wakeUp)]);
        }, options),
    });
    const b = await bench({ queue: eager, concurrency: 5 });
    for (let index = 0; index < 10; index++)
      await b.dispatcher.dispatch(`s${index}`, "hello", { agent: "echo", idempotencyKey: "1" });
    await expect.poll(() => b.worker.stats().turns).toBe(10);
    await expect.poll(() => b.worker.stats().running).toBe(0);
    for (let index = 0; index < 10; index++) {
      const { messages } = await (await openSession(b.store, `s${index}`)).at();
      expect(messages).toHaveLength(2);
    }
  });

  test("that cannot be reached loses no input", async () => {
    const queue = inProcessQueue();
    const store = memoryStore();
    await queue.close();
    const sent = await createDispatcher({ store, queue }).dispatch("s", "hello", { agent: "echo" });
    expect(sent).toMatchObject({ state: "accepted", woken: false });
    const b = await bench({ store });
    await expect.poll(() => b.worker.stats().turns).toBe(1);
  });
});

test("a worker that is closed while its queue is away says that of the queue", async () => {
  const queue = inProcessQueue();
  onTestFinished(() => queue.close());
  let isAway = false;
  const away = new AgentError("queue/failed", "It is away.", { isRetryable: true });
  const wake: WakeQueue["wake"] = (...args) => (isAway ? Promise.reject(away) : queue.wake(...args));
  const { agents, ran } = gated(new Promise(() => {}));
  const b = await bench({ queue: changedQueue(queue, { wake }), agents });
  await b.dispatcher.dispatch("s", "call wait", { agent: "echo" });
  await expect.poll(() => ran.length).toBe(1);
  isAway = true;
  await b.worker.close({ deadlineMs: 500 });
  expect(ofType(b, "error")).toMatchObject([{ from: "queue", error: { code: "queue/failed" } }]);
});

describe("a worker that lost its lease", () => {
  test("stops at once and changes nothing", async () => {
    const store = memoryStore();
    const gate = Promise.withResolvers<string>();
    const { agents, ran } = gated(gate.promise);
    let isFrozen = false;
    const frozen = new Proxy(store, {
      get(target, key) {
        const member = Reflect.get(target, key, target) as (...args: unknown[]) => unknown;
        if (key !== "renew" && key !== "acquire") return member;
        const silence = key === "renew" ? new Promise(() => {}) : Promise.resolve(undefined);
        return (...args: unknown[]) => (isFrozen ? silence : member(...args));
      },
    });
    const first = await bench({ store: frozen, agents, leaseMs: 150 });
    await first.dispatcher.dispatch("s", "call wait", { agent: "echo" });
    await expect.poll(() => ran.length).toBe(1);
    isFrozen = true;
    const second = await bench({ store, agents });
    await expect.poll(async () => (await second.dispatcher.status("s")).waitsFor).toEqual(["unknownOutcome"]);
    expect(ofType(second, "session.start")).toMatchObject([{ isTakeover: true }]);
    const { seq } = await second.dispatcher.status("s");
    gate.resolve("too late");
    await expect.poll(() => first.worker.stats().leasesLost).toBe(1);
    await expect.poll(() => first.worker.stats().running).toBe(0);
    expect((await second.dispatcher.status("s")).seq).toBe(seq);
    await second.dispatcher.decide("s", (await second.dispatcher.status("s")).pending[0]!.callId, {
      answer: "it is done",
    });
    await expect.poll(() => lastText(store, "s")).toBe("echo: it is done");
    expect(ran).toHaveLength(1);
  });
});

describe("a poison session", () => {
  /** What a worker leaves behind that dies with the session. */
  async function die(store: SessionStore, times: number): Promise<void> {
    for (let count = 0; count < times; count++) {
      await expect
        .poll(() => store.acquire("s", { owner: `victim ${count}`, ttlMs: 1 }), { interval: 2 })
        .toBeDefined();
    }
  }

  test("is quarantined after three deaths, listed with the reason, and retried", async () => {
    const store = memoryStore();
    const b = await bench({ store, isIdle: true });
    await b.dispatcher.dispatch("s", "boom", { agent: "echo", meta: { tenant: "t" } });
    await die(store, 3);
    await b.worker.start();
    await expect.poll(() => b.worker.stats().quarantined).toBe(1);
    await b.dispatcher.wake("s");
    expect(await b.dispatcher.deadLetters()).toMatchObject({
      letters: [
        { sessionId: "s", reason: "3 workers in a row died with it.", meta: { tenant: "t", agent: "echo" } },
      ],
    });
    expect(await b.dispatcher.deadLetters({ meta: { tenant: "other" } })).toEqual({ letters: [] });
    expect(await b.dispatcher.status("s")).toMatchObject({
      phase: "quarantined",
      inputs: 1,
      quarantine: { reason: "3 workers in a row died with it." },
    });
    expect(b.worker.stats().turns).toBe(0);
    expect(await b.dispatcher.retry("s")).toBe(true);
    await expect.poll(() => b.worker.stats().turns).toBe(1);
    expect(await b.dispatcher.status("s")).toMatchObject({ phase: "stopped", inputs: 0 });
    expect(await b.dispatcher.deadLetters()).toEqual({ letters: [] });
    expect(await b.dispatcher.retry("s")).toBe(false);
  });

  test("that a worker survives begins to count anew", async () => {
    const store = memoryStore();
    const b = await bench({ store, isIdle: true });
    await b.dispatcher.dispatch("s", "one", { agent: "echo" });
    await die(store, 2);
    await b.worker.start();
    await expect.poll(() => b.worker.stats().turns).toBe(1);
    expect(b.worker.stats().takeovers).toBe(1);
    await expect.poll(() => b.worker.stats().running).toBe(0);
    await die(store, 2);
    await b.dispatcher.dispatch("s", "two");
    await expect.poll(() => b.worker.stats().turns).toBe(2);
    expect(b.worker.stats().quarantined).toBe(0);
  });

  test("whose journal is damaged is quarantined too, and those of a newer release are left alone", async () => {
    const store = memoryStore();
    const write = async (id: string, entry: object) => {
      const lease = (await store.acquire(id, { owner: "x", ttlMs: 1_000 }))!;
      const entries = [
        { seq: 1, at: 0, type: "session", data: { format: 1 } },
        { seq: 2, at: 0, ...entry },
      ];
      const position = { phase: "unfinished", meta: { agent: "echo" } };
      await store.append(id, { expectedSeq: 0, fence: lease.fence, entries: entries as never, position });
      await store.release(lease);
    };
    await write("damaged", { type: "messages", data: { from: 7, messages: [] } });
    await write("newer", { type: "dream", data: {} });
    const b = await bench({ store });
    await expect
      .poll(() => ofType(b, "session.quarantined").map(({ sessionId }) => sessionId))
      .toEqual(["damaged"]);
    await expect.poll(() => ofType(b, "session.putBack").length).toBeGreaterThan(0);
    expect(ofType(b, "session.putBack")[0]).toMatchObject({ sessionId: "newer", why: "unreadable" });
    expect(await store.load("newer")).toMatchObject({ seq: 2, position: { phase: "unfinished" } });
  });
});

describe("limits of tenants", () => {
  const counting = () => {
    const running = new Map<string, number>();
    const most = new Map<string, number>();
    const tool = (tenant: string) =>
      defineTool({
        name: "work",
        description: "work",
        input: { type: "object" },
        execute: async () => {
          running.set(tenant, (running.get(tenant) ?? 0) + 1);
          most.set(tenant, Math.max(most.get(tenant) ?? 0, running.get(tenant)!));
          await new Promise((resolve) => setTimeout(resolve, 30));
          running.set(tenant, running.get(tenant)! - 1);
          return "done";
        },
      });
    const agents = {
      echo: ({ meta }: { meta: { readonly tenant?: unknown } }) => ({
        name: "echo",
        model: echoModel,
        tools: [tool(String(meta.tenant))],
      }),
    };
    return { agents: agents as never, most };
  };

  test("hold over all workers, and leave others alone", async () => {
    const [store, queue] = [memoryStore(), inProcessQueue()];
    const { agents, most } = counting();
    const limits = { small: { concurrency: 1 }, "*": { concurrency: 3 } };
    const options = { store, queue, agents, limits, concurrency: 5, leaseMs: 10_000 };
    const workers = [await bench(options), await bench(options)];
    for (const tenant of ["small", "other"])
      for (let index = 0; index < 5; index++)
        await workers[0]!.dispatcher.dispatch(`${tenant}${index}`, "call work", {
          agent: "echo",
          meta: { tenant },
        });
    await expect.poll(() => workers.reduce((sum, { worker }) => sum + worker.stats().turns, 0)).toBe(10);
    expect(most.get("small")).toBe(1);
    expect(most.get("other")).toBeLessThanOrEqual(3);
    expect(
      workers.flatMap((worker) => ofType(worker, "session.putBack")).some(({ why }) => why === "limited"),
    ).toBe(true);
  });

  test("bound how many sessions begin in a period", async () => {
    let now = 1_000;
    const store = memoryStore({ now: () => now });
    const b = await bench({ store, limits: { t: { rate: { max: 2, perMs: 400 } } } });
    for (let index = 0; index < 5; index++)
      await b.dispatcher.dispatch(`s${index}`, "hello", { agent: "echo", meta: { tenant: "t" } });
    for (const turns of [2, 4, 5]) {
      await expect.poll(() => b.worker.stats().turns).toBe(turns);
      now += 399;
      const { putBack } = b.worker.stats();
      if (turns < 5) await expect.poll(() => b.worker.stats().putBack).toBeGreaterThan(putBack + 5);
      expect(b.worker.stats().turns).toBe(turns);
      now += 1;
    }
  });
});

describe("draining", () => {
  test("under load loses nothing and repeats nothing", async () => {
    const [store, queue] = [memoryStore(), inProcessQueue()];
    const ran: string[] = [];
    const busy = Promise.withResolvers<void>();
    const step = defineTool({
      name: "step",
      description: "step",
      input: { type: "object" },
      execute: async (_, { sessionId, callId }) => {
        ran.push(`${sessionId} ${callId}`);
        if (ran.length > 20) busy.resolve();
        await new Promise((resolve) => setTimeout(resolve, 5));
        return "stepped";
      },
    });
    const model = {
      name: "steps",
      async *stream({ messages }: { readonly messages: readonly { readonly role: string }[] }) {
        const round = messages.filter(({ role }) => role === "assistant").length;
        if (round < 5)
          yield { type: "tool.delta" as const, key: 0, id: `c${round}`, name: "step", args: "{}" };
        else yield { type: "text.delta" as const, delta: "done" };
        yield { type: "finish" as const, reason: "stop" as const };
      },
    };
    const agents = { echo: () => ({ name: "echo", model: model as never, tools: [step] }) };
    const options = { store, queue, agents, concurrency: 8 };
    const first = await bench(options);
    const ids = Array.from({ length: 24 }, (_, index) => `s${index}`);
    for (const id of ids) await first.dispatcher.dispatch(id, "go", { agent: "echo" });
    await busy.promise;
    await first.worker.close({ deadlineMs: 30_000 });
    const atClose = ran.length;
    expect(first.worker.stats()).toMatchObject({ state: "closed", running: 0 });
    expect(ofType(first, "session.end").some(({ phase }) => phase === "unfinished")).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ran.length).toBe(atClose);
    const second = await bench({ ...options, sweepMs: 0 }); // what is left was woken, not found
    await expect.poll(() => second.worker.stats().turns).toBeGreaterThan(0);
    await expect.poll(async () => (await store.list({ phase: "stopped" })).sessions.length).toBe(24);
    expect(new Set(ran).size).toBe(ran.length);
    expect(ran.length).toBe(24 * 5);
    for (const id of ids) expect(await lastText(store, id)).toBe("done");
  });

  test("ends at its deadline, whatever a tool does", async () => {
    const { agents, ran } = gated(new Promise(() => {}));
    const b = await bench({ agents, leaseMs: 500 });
    await b.dispatcher.dispatch("s", "call wait", { agent: "echo" });
    await expect.poll(() => ran.length).toBe(1);
    await b.worker.close({ deadlineMs: 100 });
    expect(b.worker.stats()).toMatchObject({ state: "closed", running: 0 });
    const next = await bench({ store: b.store, queue: b.queue, agents });
    await expect.poll(async () => (await next.dispatcher.status("s")).waitsFor).toEqual(["unknownOutcome"]);
  });

  test("without a deadline goes on through failures of the store, however long that takes", async () => {
    const gate = Promise.withResolvers<string>();
    const { agents, ran } = gated(gate.promise);
    const known = memoryStore();
    let failures = 0;
    let isAway = false;
    const store: SessionStore = {
      ...known,
      async append(...args) {
        if (isAway && failures++ === 0)
          throw new AgentError("store/failed", "The store is away.", { isRetryable: true });
        return known.append(...args);
      },
    };
    const b = await bench({ agents, store });
    await b.dispatcher.dispatch("s", "call wait", { agent: "echo" });
    await expect.poll(() => ran.length).toBe(1);
    isAway = true;
    const closed = b.worker.close({ deadlineMs: Infinity });
    setTimeout(() => gate.resolve("waited"), 50);
    await closed;
    expect(failures).toBeGreaterThan(0);
    const { messages } = await (await openSession(store, "s")).at();
    expect(messages.flatMap(toolResultsOf)).toMatchObject([{ state: "success" }]);
  });

  test("what cannot be configured is refused", () => {
    const options = { store: memoryStore(), queue: inProcessQueue(), agents: {} };
    onTestFinished(() => options.queue.close());
    for (const wrong of [{ concurrency: 0 }, { leaseMs: -1 }, { sweepMs: 0.5 }, { maxCrashes: 0 }])
      expect(() => createWorker({ ...options, ...wrong })).toThrow(
        expect.objectContaining({ code: "config/invalid" }),
      );
  });
});

test("a worker that repeats nothing waits for an answer of its store as long as others", async () => {
  const [store, queue] = [memoryStore(), inProcessQueue()];
  const listDue: SessionStore["listDue"] = async (filter) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return store.listDue(filter);
  };
  const worker = createWorker({
    store: { ...store, listDue },
    queue,
    agents: {},
    storeTimeoutMs: 0,
    sweepMs: 0,
  });
  await worker.start();
  expect(worker.stats().state).toBe("running");
  await worker.close();
  await queue.close();
});
