// A session that a process has not released is told as taken over: in its journal, its events, its steps, its spans and its account.
import { beforeAll, describe, expect, test } from "vitest";
import { createAgent, type AgentConfig, type AgentEvent, type SessionStore } from "agentchart";
import { exportSession, importSession, openSession } from "agentchart/session";
import { otelObserver } from "agentchart/otel";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { takeOverLine } from "../../src/core/message/account.ts";
import { newOwner, processOf } from "../../src/store/leases.ts";
import { toolOf } from "../support/agents.ts";
import { stored, watched } from "../support/lens.ts";
import { recordedSpans, useContexts } from "../support/spans.ts";
import { call } from "../support/trace.ts";
import { mortal } from "../worker/mortal.ts";

beforeAll(useContexts);

const LEASE_MS = 30_000;
const HERE = new RegExp(`^pid ${process.pid} on .+ \\([\\da-f]{8}\\)$`, "u");
const tools = [toolOf("ok", () => "done"), toolOf("ext")];

/** A store whose leases expire when its clock is set. */
function timed() {
  let ahead = 0;
  const now = () => Date.now() + ahead;
  return { store: memoryStore({ now }), expire: () => void (ahead += LEASE_MS + 1) };
}

const open = (store: SessionStore, turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) =>
  createAgent({ name: "bot", model: scriptedModel(turns), tools, store, sessionId: "s", ...config });

/** A session that rests in a turn, or after one, and that nobody has released. */
async function left(store: SessionStore, owner?: string, turn: ScriptedTurn = "hi"): Promise<void> {
  const agent = open(store, [turn]);
  await agent.call("one");
  await agent.close();
  await store.acquire("s", { owner: owner ?? newOwner("bot"), ttlMs: LEASE_MS });
}

async function takenIn(store: SessionStore, sessionId = "s") {
  const found: { readonly [field: string]: unknown }[] = [];
  for await (const { type, data } of store.read(sessionId)) if (type === "session.taken") found.push(data);
  return found;
}

describe("a session whose holder has died", () => {
  test("is told as taken over, alike in journal, events, replay, steps live and stored, and exports", async () => {
    const { store, expire } = timed();
    await left(store);
    expire();
    const agent = open(store, ["again"]);
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    const live = watched(agent);
    await agent.call("two");
    await agent.close();
    const [entry, ...more] = await takenIn(store);
    expect(more).toEqual([]);
    expect(entry).toEqual({
      from: expect.stringMatching(HERE) as string,
      until: expect.any(Number) as number,
      by: expect.stringMatching(HERE) as string,
      takeovers: 1,
      isUnfinished: false,
    });
    const told = (all: readonly AgentEvent[]) =>
      all.flatMap(({ type, n: _, seq, at: __, turn: ___, position: ____, ...body }) =>
        type === "session.taken" ? [{ seq, ...body }] : [],
      );
    const replayed: AgentEvent[] = [];
    for await (const event of (await openSession(store, "s")).events()) replayed.push(event);
    expect(told(events).map(({ seq: _, ...body }) => body)).toEqual([entry]);
    expect(told(replayed).map(({ seq: _, ...body }) => body)).toEqual([entry]);
    expect(events.findIndex(({ type }) => type === "session.taken")).toBeLessThan(
      events.findIndex(({ type }) => type === "turn.start"),
    );
    const takeOversOf = ({ log }: Awaited<ReturnType<typeof stored>>) =>
      log.page(log.first, log.last).items.flatMap(({ e, d }) => (d?.takeOver ? [[e, d.takeOver]] : []));
    expect(takeOversOf(live())).toEqual([["session.load", entry]]);
    expect(takeOversOf(await stored(store, "s"))).toEqual([["session.load", entry]]);
    const copy = memoryStore();
    await importSession(copy, exportSession(store, "s"), { sessionId: "copy" });
    expect(await takenIn(copy, "copy")).toEqual([entry]);
    expect(takeOversOf(await stored(copy, "copy"))).toEqual([["session.load", entry]]);
  });

  test("in the middle of a turn is told as unfinished", async () => {
    const { store, expire } = timed();
    const first = mortal(store, { append: 3, when: "after" });
    const dying = open(first.store, [{ calls: [call("c1")] }, "never"]);
    dying.call("one").catch(() => {});
    await expect.poll(() => first.isDead()).toBe(true);
    expire();
    const agent = open(store, ["done"]);
    await agent.call([]).catch(() => {});
    await agent.close();
    first.bury();
    expect(await takenIn(store)).toMatchObject([{ isUnfinished: true, takeovers: 1 }]);
  });

  test("that was released, or is new, is told as nothing", async () => {
    const { store, expire } = timed();
    const first = open(store, ["hi"]);
    await first.call("one");
    await first.close();
    const second = open(store, ["again"]);
    await second.call("two");
    await second.close();
    expect(await takenIn(store)).toEqual([]);
    await store.acquire("new", { owner: newOwner(), ttlMs: LEASE_MS });
    expire();
    const fresh = open(store, ["hi"], { sessionId: "new" });
    await fresh.call("one");
    await fresh.close();
    expect(await takenIn(store, "new")).toEqual([]);
  });

  test("is told in the first turn's span of the process that took it, once", async () => {
    const { store, expire } = timed();
    await left(store);
    expire();
    const { tracer, spans } = recordedSpans();
    const agent = open(store, ["a", "b"], { otel: otelObserver({ tracer, states: "off" }) });
    await agent.call("two");
    await agent.call("three");
    await agent.close();
    const events = spans().flatMap((span) =>
      span.events.map(({ name, attributes }) => ({ name, ...attributes })),
    );
    expect(events.filter(({ name }) => name !== "agentchart.first_part")).toEqual([
      {
        name: "agentchart.session.taken",
        "agentchart.session.taken_from": expect.stringMatching(HERE) as string,
        "agentchart.session.taken_by": expect.stringMatching(HERE) as string,
        "agentchart.session.takeovers": 1,
        "agentchart.session.is_unfinished": false,
      },
    ]);
  });

  test("counts the processes that have died with it", async () => {
    const { store, expire } = timed();
    await left(store);
    expire();
    await store.acquire("s", { owner: "second", ttlMs: LEASE_MS });
    expire();
    const agent = open(store, ["again"]);
    await agent.call("two");
    await agent.close();
    expect(await takenIn(store)).toMatchObject([{ from: "second", takeovers: 2 }]);
  });
});

test.for([
  "<img src=x onerror=alert(1)>",
  "x".repeat(10_000),
  "host:17:%E0%A4%A:00000000-0.1",
  "\u001B[31mred",
  `${"h".repeat(9_000)}:17:n:1.1`,
])("an owner of any text is a bounded name of a process", async (owner) => {
  const { store, expire } = timed();
  await left(store, owner);
  expire();
  const agent = open(store, ["again"]);
  await agent.call("two");
  await agent.close();
  const [entry] = await takenIn(store);
  expect(String(entry!["from"]).length).toBeLessThan(130);
  expect(entry!["from"]).toBe(processOf(owner));
  expect(takeOverLine(entry as never).length).toBeLessThan(600);
});

test("a line of a take-over from any journal is bounded", () => {
  const long = "x".repeat(10_000);
  const line = takeOverLine({ from: long, until: 1e300, by: "", takeovers: 7, isUnfinished: true });
  expect(line.length).toBeLessThan(600);
  expect(line).toContain("at an unknown time");
});

test("whoever dies at any append after a take-over has told each take-over that was written once", async () => {
  const life = async (append: number, when: "before" | "after") => {
    const { store, expire } = timed();
    await left(store);
    expire();
    const second = mortal(store, { append, when });
    const dying = open(second.store, ["two"]);
    let isOver = false;
    dying.call("two").then(
      () => (isOver = true),
      () => {},
    );
    await expect.poll(() => second.isDead() || isOver, { interval: 1 }).toBe(true);
    if (isOver) await dying.close();
    const isDead = second.isDead();
    expire();
    const third = open(store, ["two", "three"]);
    await third.call("three");
    await third.close();
    second.bury();
    return { isDead, taken: await takenIn(store) };
  };
  let append = 1;
  for (; ; append++) {
    const before = await life(append, "before");
    const after = await life(append, "after");
    if (!before.isDead) break;
    expect(before.taken.map(({ takeovers }) => takeovers)).toEqual(append === 1 ? [2] : [1, 2]);
    expect(after.taken.map(({ takeovers }) => takeovers)).toEqual([1, 2]);
  }
  expect(append).toBeGreaterThan(2);
});
