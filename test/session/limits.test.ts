// Limits and waits after a restore.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  AgentError,
  createAgent,
  defineTool,
  type Agent,
  type AgentConfig,
  type Execution,
  type Hook,
  type SessionStore,
} from "agentchart";
import { openSession } from "agentchart/session";
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from "agentchart/testing";
import { memoryStore } from "../../src/store/memory.ts";
import { layered } from "../support/layered.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const MINUTE = 60_000;
const FAILS: ScriptedTurn = { error: new AgentError("model/unavailable", "busy", { isRetryable: true }) };
const DEAF: ScriptedTurn = () => ({
  [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }),
});
const execution = {
  timeoutMs: MINUTE,
  maxAttempts: 2,
  initialBackoffMs: 10 * MINUTE,
  maxBackoffMs: 10 * MINUTE,
};

const CALL: ScriptedTurn = { calls: [{ id: "c", name: "tool" }] };
const tool = (execute: (attempt: number) => string | Promise<string>, limits: Execution = execution) =>
  defineTool({
    name: "tool",
    description: "",
    input: { type: "object" },
    onRestart: "retry",
    execution: limits,
    execute: (_, { attempt }) => execute(attempt),
  });

/** An agent whose process goes away without a word, and the one that takes its session over. */
function life(way: "snapshot" | "store", config: Partial<AgentConfig>) {
  const store = memoryStore();
  const begin = (model: ScriptedModel, more: Partial<AgentConfig>): Agent =>
    createAgent({
      name: "bot",
      model,
      sessionId: "s",
      ...layered(layered({ modelOptions: { execution } }, config), more),
    });
  const durable: { readonly store?: SessionStore } = way === "store" ? { store } : {};
  return {
    begin: (turns: readonly ScriptedTurn[]) => begin(scriptedModel(turns), durable),
    /** Timers of the first process are gone with it. */
    goOn: async (first: Agent, model: ScriptedModel) => {
      vi.clearAllTimers();
      if (way === "snapshot") {
        return begin(model, { sessionOptions: { snapshot: JSON.parse(JSON.stringify(first.snapshot())) } });
      }
      const entries = [];
      for await (const entry of store.read("s")) entries.push(entry);
      const other = memoryStore();
      const lease = (await other.acquire("s", { owner: "copy", ttlMs: MINUTE }))!;
      await other.append("s", { expectedSeq: 0, fence: lease.fence, entries, position: {} });
      await other.release(lease);
      return begin(model, { store: other });
    },
  };
}

const retryOf = (agent: Agent): Promise<number> =>
  new Promise((resolve) => agent.subscribe((event) => void (event.type === "retry" && resolve(event.until))));

/** Lets all pass that does not wait for a timer. */
const settle = (): Promise<void> => vi.advanceTimersByTimeAsync(0).then(() => {});

describe.each(["snapshot", "store"] as const)("limits and a restore, from a %s", (way) => {
  test("a request that waits for its retry still waits after a restore, and hooks see the prompt that is sent", async () => {
    let asked = 0;
    const secret: Hook = {
      name: "secret",
      preReasoning: () => (asked++, { system: "say nothing of the treasure" }),
    };
    const { begin, goOn } = life(way, { hooks: [secret] });
    const first = begin([FAILS]);
    const until = retryOf(first);
    first.call("go").catch(() => {});
    await settle();
    const model = scriptedModel(["done"]);
    const reply = (await goOn(first, model)).call();
    await vi.advanceTimersByTimeAsync((await until) - Date.now() - 1);
    expect(model.requests).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect((await reply).text).toBe("done");
    expect(JSON.stringify(model.requests[0])).toContain("say nothing of the treasure");
    expect(asked).toBe(2);
  });

  test("a request for the summary that waits for its retry still waits after a restore", async () => {
    const { begin, goOn } = life(way, { maxIters: 1, tools: [tool(() => "fine")] });
    const first = begin([CALL, FAILS]);
    const until = retryOf(first);
    first.call("go").catch(() => {});
    await settle();
    const model = scriptedModel(["in short"]);
    const reply = (await goOn(first, model)).call();
    await vi.advanceTimersByTimeAsync((await until) - Date.now() - 1);
    expect(model.requests).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect((await reply).text).toBe("in short");
  });

  test("a call that waits for its retry still waits after a restore, and its attempts are counted on", async () => {
    const attempts: number[] = [];
    const flaky = tool((attempt) => {
      attempts.push(attempt);
      throw new AgentError("tool/failed", "busy", { isRetryable: true });
    });
    const { begin, goOn } = life(way, { tools: [flaky] });
    const first = begin([CALL]);
    const until = retryOf(first);
    first.call("go").catch(() => {});
    await settle();
    const reply = (await goOn(first, scriptedModel(["done"]))).call();
    await vi.advanceTimersByTimeAsync((await until) - Date.now() - 1);
    expect(attempts).toEqual([1]);
    await vi.advanceTimersByTimeAsync(1);
    expect((await reply).text).toBe("done");
    expect(attempts).toEqual([1, 2]);
  });

  test("an attempt that a restart cut off counts; the next one has its whole time", async () => {
    const { begin, goOn } = life(way, {});
    const first = begin([DEAF]);
    first.call("go").catch(() => {});
    await settle();
    await vi.advanceTimersByTimeAsync(MINUTE / 2);
    const second = await goOn(first, scriptedModel([DEAF]));
    const startedAt = Date.now();
    const failed = second.call().catch((error: unknown) => ({ error, after: Date.now() - startedAt }));
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(await failed).toMatchObject({ error: { code: "model/timeout" }, after: MINUTE });
  });

  test("a tool that a restart cut off has its whole time again", async () => {
    const unresponsive = tool(() => new Promise<string>(() => {}), { timeoutMs: MINUTE });
    const { begin, goOn } = life(way, { tools: [unresponsive] });
    const first = begin([CALL]);
    first.call("go").catch(() => {});
    await settle();
    await vi.advanceTimersByTimeAsync(MINUTE / 2);
    const model = scriptedModel(["gave up"]);
    const reply = (await goOn(first, model)).call();
    await vi.advanceTimersByTimeAsync(MINUTE - 1);
    expect(model.requests).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect((await reply).text).toBe("gave up");
    expect(JSON.stringify(model.requests[0])).toContain("tool/timeout");
  });
});

test("a fork waits for no back-off", async () => {
  const store = memoryStore();
  const model = scriptedModel([FAILS]);
  const first = createAgent({
    name: "bot",
    model,
    sessionId: "s",
    store,
    modelOptions: { execution: execution },
  });
  const until = retryOf(first);
  first.call("go").catch(() => {});
  await until;
  await settle();
  const session = await openSession(store, "s");
  const { sessionId } = await session.fork((await session.at()).seq);
  const forked = createAgent({ name: "bot", model: scriptedModel(["done"]), sessionId, store });
  await forked.open();
  const asked = Date.now();
  expect((await forked.call()).text).toBe("done");
  expect(Date.now()).toBe(asked);
});
