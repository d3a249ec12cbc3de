// Sessions that another agent holds, and waiting for them.
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { AgentError, SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { openStore } from "../support/open-store.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { scripted } from "../support/agents.ts";
import { scratch } from "../store/scratch.ts";

const postgres = await startPostgres();
const { dir, remove } = scratch();
afterAll(async () => {
  await postgres?.stop();
  remove();
});

const STORES: readonly [string, (() => SessionStore | Promise<SessionStore>) | undefined][] = [
  ["memory", () => memoryStore()],
  ["files", () => openStore({ kind: "file", dir })],
  ["SQLite", () => openStore({ kind: "sqlite", path: join(dir, "s.db") })],
  [
    postgres ? "Postgres" : `Postgres (${NO_POSTGRES})`,
    postgres && (() => openStore({ kind: "postgres", connectionString: postgres.connectionString })),
  ],
];

const failureOf = (work: Promise<unknown>): Promise<AgentError> =>
  work.then(
    () => Promise.reject(new Error("It did not fail.")),
    (error: AgentError) => error,
  );

/** A lease as a process on another host has it. */
const elsewhere = (store: SessionStore, ttlMs: number) =>
  store.acquire("s", { owner: "box%3A1:4711:desk:00000000-0000-4000-8000-000000000000.1", ttlMs });

describe.each(STORES)("a session that another agent holds, in %s", (_, open) => {
  const on = async (use: (store: SessionStore) => Promise<void>): Promise<void> => {
    const store = await open!();
    await use(store);
    await store.delete("s");
    await store.close();
  };

  test.skipIf(!open)("names the process that has it, and says when its lease ends", () =>
    on(async (store) => {
      await elsewhere(store, 20_000);
      const from = Date.now();
      const { agent } = scripted([], { store, sessionId: "s" });
      const error = await failureOf(agent.open());
      expect(error).toMatchObject({
        code: "session/conflict",
        message:
          "Session 's' is open in another process (pid 4711 on 'box:1', agent 'desk'). If that process was killed, its lease expires within 20 s.",
        data: { sessionId: "s", holder: { host: "box:1", pid: 4711, name: "desk" } },
      });
      expect(error.retryAt).toBeGreaterThan(from + 10_000);
      expect(error.retryAt).toBeLessThanOrEqual(Date.now() + 20_000);
    }),
  );

  test.skipIf(!open)("says that another agent of this process has it", () =>
    on(async (store) => {
      const { agent } = scripted(["Hi"], { name: "first", store, sessionId: "s" });
      await agent.call("Hello");
      const { agent: second } = scripted([], { name: "second", store, sessionId: "s" });
      expect(await failureOf(second.call("Hello"))).toMatchObject({
        code: "session/conflict",
        message:
          "Session 's' is open in this process already, by agent 'first': close that agent first, or use it.",
        data: { holder: { host: hostname(), pid: process.pid, name: "first" }, isThisProcess: true },
      });
      await agent.close();
    }),
  );

  test.skipIf(!open)("is opened when it is free, if the caller waits", () =>
    on(async (store) => {
      const lease = await elsewhere(store, 60_000);
      const { agent } = scripted(["Hi"], { store, sessionId: "s" });
      const opened = agent.open({ waitMs: 60_000 });
      await store.release(lease!);
      await opened;
      expect((await agent.call("Hello")).text).toBe("Hi");
      await agent.close();
    }),
  );
});

describe("waiting for a session", () => {
  test("ends with the conflict after `waitMs`, and the session can be opened later", async () => {
    const store = memoryStore();
    const lease = await elsewhere(store, 60_000);
    const { agent } = scripted(["Hi"], { store, sessionId: "s" });
    expect(await failureOf(agent.open({ waitMs: 50 }))).toMatchObject({ code: "session/conflict" });
    await store.release(lease!);
    expect((await agent.call("Hello")).text).toBe("Hi");
  });

  test("ends when the lease of a process that was killed has ended", async () => {
    const store = memoryStore();
    await elsewhere(store, 400);
    const { agent } = scripted(["Hi"], { store, sessionId: "s" });
    await agent.open({ waitMs: 60_000 });
    expect(agent.status().phase).toBe("stopped");
  });

  test.each([
    ["close", "run/closed"],
    ["shutdown", "run/shutdown"],
  ] as const)("ends with the %s of the agent", async (end, code) => {
    const store = memoryStore();
    await elsewhere(store, 60_000);
    const { acquire } = store;
    let tries = 0;
    store.acquire = (...args) => (tries++, acquire(...args));
    const { agent } = scripted(["Hi"], { store, sessionId: "s" });
    const opened = failureOf(agent.open({ waitMs: 60_000 }));
    await expect.poll(() => tries).toBe(2);
    await agent[end]();
    expect(await opened).toMatchObject({ code });
  });

  test("is what a call does that comes in the meantime, and it is bounded by its own time-out", async () => {
    const store = memoryStore();
    const lease = await elsewhere(store, 60_000);
    const { agent } = scripted(["Hi"], { store, sessionId: "s" });
    const opened = agent.open({ waitMs: 60_000 });
    expect(await failureOf(agent.call("Hello", { timeoutMs: 20 }))).toMatchObject({ code: "run/timeout" });
    const call = agent.call("Hello");
    await store.release(lease!);
    await opened;
    expect((await call).text).toBe("Hi");
  });

  test("takes a number of milliseconds", async () => {
    const { agent } = scripted([]);
    await expect(agent.open({ waitMs: -1 })).rejects.toMatchObject({ code: "config/invalid" });
    await expect(agent.open({ waitMS: 1 } as never)).rejects.toMatchObject({ code: "config/invalid" });
  });
});
