// Workers take sessions from the store, as many as they have places.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { AgentError, type SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { createDispatcher, createWorker, inProcessQueue, type WorkerEvent } from "agentchart/worker";
import type { WakeQueue } from "../../src/worker/queue/port.ts";
import { toolOf } from "../support/agents.ts";
import { scratch } from "../store/scratch.ts";
import { scriptedModel } from "agentchart/testing";
import { echoModel } from "./kit.ts";

const failed = (code: "queue/failed" | "store/failed") =>
  new AgentError(code, "It is away.", { isRetryable: true });
const never = () => new Promise<never>(() => {});

/** How a queue is away: what it does with a wake-up. Its consumers get none. */
const AWAY: { readonly [how: string]: () => Promise<void> } = {
  "refuses every wake-up": () => Promise.reject(failed("queue/failed")),
  "never answers": never,
  "takes wake-ups and loses them": () => Promise.resolve(),
  "takes and refuses wake-ups by turns": (() => {
    let nr = 0;
    return () => (nr++ % 2 === 0 ? Promise.resolve() : Promise.reject(failed("queue/failed")));
  })(),
};

/** A queue that is away from the start on, and says nothing to anybody. */
function awayQueue(wake: () => Promise<void>): WakeQueue {
  const queue = inProcessQueue();
  onTestFinished(() => queue.close());
  return {
    wake,
    consume: (...args) => queue.consume(...args),
    publish: () => {},
    subscribe: () => Promise.reject(failed("queue/failed")),
    stats: () => queue.stats(),
    close: () => queue.close(),
  };
}

/** True once a session has had its turn. */
async function isDone(store: SessionStore, id: string): Promise<boolean> {
  const found = await store.load(id);
  return found?.position["phase"] === "stopped" && (await store.takeInputs(id, 1)).length === 0;
}

describe.each(Object.entries(AWAY))("while its queue %s, a worker", (_, wake) => {
  test("takes sessions from the store, as many at once as it has places, each once", async () => {
    const store = memoryStore();
    let [now, most] = [0, 0];
    const ran: string[] = [];
    const work = toolOf("work", async (__, { sessionId }) => {
      ran.push(sessionId);
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now--;
      return "ok";
    });
    const desk = () => ({
      name: "desk",
      model: scriptedModel([{ calls: [{ id: "c", name: "work", input: {} }] }, "done"]),
      tools: [work],
    });
    const dispatcher = createDispatcher({
      store,
      queue: awayQueue(() => Promise.reject(failed("queue/failed"))),
    });
    const ids = Array.from({ length: 30 }, (__, nr) => `s${nr}`);
    for (const id of ids) await dispatcher.dispatch(id, "go", { agent: "desk" });
    const workers = [1, 2].map(() =>
      createWorker({
        store,
        queue: awayQueue(wake),
        agents: { desk },
        concurrency: 3,
        sweepMs: 20,
        pollMs: 10,
        retryMs: 20,
      }),
    );
    onTestFinished(
      async () => void (await Promise.all(workers.map((each) => each.close({ deadlineMs: 100 })))),
    );
    await Promise.all(workers.map((each) => each.start()));
    await expect.poll(() => Promise.all(ids.map((id) => isDone(store, id)))).toEqual(ids.map(() => true));
    expect(ran.toSorted()).toEqual(ids.toSorted());
    expect(most).toBeLessThanOrEqual(6);
  });
});

/** A store that is well until `goDark`, and then fails or does not answer. */
function darkStore(dark: () => Promise<never>) {
  const store = memoryStore();
  let isDark = false;
  const proxy = new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      return (...args: unknown[]): unknown => {
        if (!isDark || name === "close" || name === "watch") return Reflect.apply(own, target, args);
        if (name !== "read") return dark();
        return (async function* () {
          yield await dark();
        })();
      };
    },
  });
  const light = () => {
    isDark = false;
  };
  onTestFinished(light);
  return {
    store: proxy as SessionStore,
    goDark: () => {
      isDark = true;
    },
    light,
  };
}

describe.each([
  ["fails", () => Promise.reject<never>(failed("store/failed"))],
  ["never answers", never],
])("a store that %s", (_, dark) => {
  test("frees the places of a worker once the leases are lost, however long operations are repeated", async () => {
    const { store, goDark, light } = darkStore(dark);
    const queue = inProcessQueue();
    onTestFinished(() => queue.close());
    const begun = Promise.withResolvers<void>();
    const slow = toolOf("slow", async (__, { signal }) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return "late";
    });
    const worker = createWorker({
      store,
      queue,
      agents: {
        desk: () => ({
          name: "desk",
          model: scriptedModel([{ calls: [{ name: "slow", input: {} }] }, "done"]),
          tools: [slow],
        }),
        echo: () => ({ name: "echo", model: echoModel }),
      },
      concurrency: 1,
      leaseMs: 300,
      pollMs: 20,
      sweepMs: 0,
      storeTimeoutMs: 600_000, // longer than the test may take
      limits: { "*": { concurrency: 5 } },
    });
    const events: WorkerEvent[] = [];
    worker.subscribe((event) => void events.push(event));
    onTestFinished(() => worker.close({ deadlineMs: 1 }));
    await worker.start();
    const dispatcher = createDispatcher({ store, queue });
    await dispatcher.dispatch("s", "go", { agent: "desk" });
    await begun.promise;
    goDark();
    await expect.poll(() => events.some(({ type }) => type === "session.lost")).toBe(true);
    expect(worker.stats().running).toBe(0);
    light();
    await dispatcher.dispatch("other", "hi", { agent: "echo" });
    await expect.poll(() => isDone(store, "other")).toBe(true);
  });
});

test("a start counts for the rate of its tenant, also if its process has died", async () => {
  const { dir, remove } = scratch();
  const path = join(dir, "s.db");
  const take = `
    import { Permits } from "${new URL("../../src/worker/places.ts", import.meta.url).href}";
    import { sqliteStore } from "${new URL("../../src/store/sqlite.ts", import.meta.url).href}";
    const limits = { t: { concurrency: 1, rate: { max: 1, perMs: 600_000 } } };
    const permits = new Permits(sqliteStore({ path: ${JSON.stringify(path)} }), limits, 600_000);
    console.log(typeof (await permits.acquire("t")));
    process.exit();`;
  const run = () => execFileSync(process.execPath, ["--input-type=module", "-e", take], { encoding: "utf8" });
  expect([run(), run()]).toEqual(["object\n", "undefined\n"]);
  remove();
});
