// Stored sessions in the hub.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent, defineSlot, type SessionStore } from "agentchart";
import { findSuspicions } from "agentchart/inspect";
import { openSession } from "agentchart/session";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { StoreRuns } from "../../../src/inspect/hub/store-runs.ts";
import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import type { RunRow, StepPage } from "../../../src/inspect/protocol/protocol.ts";
import type { Layouts } from "../../../src/core/diagram/layout.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { ask, HubPage, testHome, testHub } from "../../support/hub-page.ts";
import { get, steps, storedSession, type Detail, type List } from "../../support/stored-runs.ts";

const contextOf = ({ items, keyframe = {} }: StepPage): JsonObject =>
  items.reduce<JsonObject>((context, { p = [] }) => applyPatch(context, p), keyframe);

describe("a stored session", () => {
  test("is listed with the title, the agent and the error that it is opened with, and found by its title", async () => {
    const store = memoryStore();
    const failed = createAgent({
      name: "clerk",
      store,
      sessionId: "failed",
      model: scriptedModel([]), // it fails at its first call
    });
    await expect(failed.call("Is it on the shelf?")).rejects.toThrow("Unexpected model call");
    await failed.close();
    await (await storedSession(store, "asked")).close();
    const hub = await testHub({ home: testHome(), store });
    const { rows } = await get<List>(hub, "/api/runs?limit=10");
    expect(rows).toHaveLength(2);
    for (const { runId, title, agent, error } of rows) {
      const { row } = await get<Detail>(hub, `/api/runs/${runId}`);
      expect({ title, agent, error }, runId).toEqual({ title: row.title, agent: "clerk", error: row.error });
    }
    expect(rows.find(({ runId }) => runId === "failed")?.error?.message).toContain("Unexpected model call");
    const found = await get<List>(hub, "/api/runs?limit=10&q=SHELF%20is%20on");
    expect(found.rows.map(({ runId }) => runId)).toEqual(["failed"]);
  });

  test("is shown with the steps that it had, and with its messages and states", async () => {
    const store = memoryStore();
    const agent = await storedSession(store, "s-1");
    const messages = await agent.messages();
    await agent.close();
    const hub = await testHub({ home: testHome(), store });
    const page = await steps(hub, "s-1");
    const { row, pending, chart } = await get<Detail>(hub, "/api/runs/s-1");
    const session = await openSession(store, "s-1");
    const last = await session.at();
    expect(page.items.map(({ q }) => q)).toEqual(page.items.map((_, index) => index + 1));
    expect(page.items.at(-1)!.j).toBe(last.seq);
    const texts = JSON.stringify(messages).replaceAll(/seen x{9000}/g, "");
    const shown = contextOf(page)["messages"] as readonly {
      readonly content: readonly { readonly type: string }[];
    }[];
    expect(shown.map(({ content }) => content[0]!.type)).toEqual(
      messages.map(({ content }) => content[0]!.type),
    );
    expect(texts).toContain("It is there.");
    for (const { q, j } of page.items) {
      const { context } = await get<{ context: JsonObject }>(hub, `/api/runs/s-1/keyframe?at=${q}`);
      expect((context["messages"] as unknown[]).length).toBe((await session.at(j)).messages.length);
    }
    const state = page.states[page.items.at(-1)!.s]!;
    expect(state.join(" ")).toContain(`agent.${last.state.split(".")[0]}`);
    expect(row).toMatchObject({
      agent: "clerk",
      phase: "suspended",
      waitsFor: ["approval"],
      source: "store",
      pending: 1,
      can: ["fork", "forkPlan"],
    });
    expect(row.worker).toBeUndefined();
    expect(pending).toMatchObject([{ name: "sell", waitsFor: "approval" }]);
    expect(await get<{ hash: string; layouts: unknown }>(hub, `/api/charts/${chart}`)).toMatchObject({
      hash: chart,
      chart: { id: "agent" },
    });
    const [, sha] = /"\$blob":"(\w+)"/.exec(JSON.stringify(page))!;
    expect(await (await ask(hub, `/api/runs/s-1/blob/${sha!}`)).text()).toMatch(/^seen x{9000}$/);
  });

  test("can be forked but not answered, and a fork does not change it", async () => {
    const store = memoryStore();
    const agent = await storedSession(store, "s-1");
    const [call] = agent.status().pending;
    await agent.close();
    const hub = await testHub({ home: testHome(), store });
    const page = await HubPage.open(hub);
    page.subscribe("s-1");
    await expect.poll(() => page.pending.get("s-1")?.length).toBe(1);
    const { callId, argsHash } = call!;
    expect(
      await page.command("s-1", { type: "decide", callId, argsHash, decision: "approve" }),
    ).toMatchObject({
      error: { code: "unavailable" },
    });
    const seq = page.rows.get("s-1")!.seq!;
    expect(await page.command("s-1", { type: "forkPlan", seq })).toMatchObject({
      ok: true,
      data: { willRun: ["sell {}"] },
    });
    expect(await page.command("s-1", { type: "forkPlan", seq: seq + 1 })).toMatchObject({
      error: { code: "session/not-found" },
    });
    const fork = await page.command("s-1", { type: "fork", seq });
    const forked = (fork.data!["sessionIds"] as readonly string[])[0];
    const { row } = await get<Detail>(hub, `/api/runs/${forked}`);
    expect(row).toMatchObject({ forkOf: { runId: "s-1", seq }, phase: "suspended" });
    expect((await (await openSession(store, "s-1")).at()).seq).toBe(seq);
  });

  test("that a schedule has started says of which tick it is", async () => {
    const store = memoryStore();
    await storedSession(store, "daily-1", { meta: { schedule: "daily", tick: "2026-03-29T01:00:00.000Z" } });
    await storedSession(store, "other", { meta: { schedule: "daily", tick: 7 } });
    const hub = await testHub({ home: testHome(), store });
    const page = await HubPage.open(hub);
    await expect.poll(() => page.rows.size).toBe(2);
    const startedBy = { schedule: "daily", tick: "2026-03-29T01:00:00.000Z" };
    expect(page.rows.get("daily-1")).toMatchObject({ startedBy });
    expect(page.rows.get("other")).not.toHaveProperty("startedBy");
  });

  test("that is inside of a call says of which", async () => {
    const store = memoryStore();
    await storedSession(store, "p/c1", { meta: { parent: { sessionId: "p", callId: "c1" } } });
    await storedSession(store, "q/c1", { meta: { parent: { sessionId: 7, callId: {} } } });
    const hub = await testHub({ home: testHome(), store });
    const page = await HubPage.open(hub);
    await expect.poll(() => page.rows.size).toBe(2);
    expect(page.rows.get("p/c1")).toMatchObject({ parent: { runId: "p", callId: "c1" } });
    expect(page.rows.get("q/c1")).not.toHaveProperty("parent");
    const { row } = await get<Detail>(hub, `/api/runs/${encodeURIComponent("p/c1")}`);
    expect(row).toMatchObject({ parent: { runId: "p", callId: "c1" } });
  });

  test("is updated when another process continues it", async () => {
    const store = memoryStore();
    const agent = await storedSession(store, "s-1");
    const hub = await testHub({ home: testHome(), store });
    const page = await HubPage.open(hub);
    page.subscribe("s-1");
    await expect.poll(() => page.steps.get("s-1")?.length ?? 0).toBeGreaterThan(0);
    const before = page.steps.get("s-1")!.length;
    await agent.decide(agent.status().pending[0]!.callId, "deny");
    await agent.close();
    await expect.poll(() => page.steps.get("s-1")!.length).toBeGreaterThan(before);
    expect(page.steps.get("s-1")!.map(({ q }) => q)).toEqual(
      page.steps.get("s-1")!.map((_, index) => index + 1),
    );
  });

  test("is shown up to the damage if its journal is damaged, with a notice", async () => {
    const home = testHome();
    const dir = join(home, "store");
    const store = fileStore({ dir });
    await (await storedSession(store, "s-1")).close();
    const whole = (await (await openSession(store, "s-1")).at()).seq;
    await store.close();
    const file = globSync("**/*", { cwd: dir, withFileTypes: true }).find(
      (each) =>
        each.isFile() && readFileSync(join(each.parentPath, each.name), "utf8").includes("It is there."),
    )!;
    const path = join(file.parentPath, file.name);
    writeFileSync(path, readFileSync(path, "utf8").replace('"It is there."', '"It was there"'));
    const broken = fileStore({ dir });
    onTestFinished(() => broken.close());
    const hub = await testHub({ home, store: broken });
    const answer = await ask(hub, "/api/runs/s-1");
    const { row } = (await answer.json()) as Detail;
    expect(row.notice).toMatch(/^Read up to position \d+: /);
    expect(row.steps).toBeLessThan(whole);
    expect(row.steps).toBeGreaterThan(0);
  });
});

test("a session that several ask for at once has each step once", async () => {
  const store = memoryStore();
  const model = scriptedModel(["one", "two"]);
  const agent = createAgent({ name: "bot", model, store, sessionId: "s" });
  const runs = new StoreRuns(store);
  const stepsOf = async () => [...(await runs.open("s"))!.log.steps()];
  await agent.call("1");
  await stepsOf();
  await agent.call("2");
  const [one, other] = await Promise.all([stepsOf(), stepsOf()]);
  expect(one).toEqual([...(await new StoreRuns(store).logOf("s"))!.steps()]);
  expect(other).toEqual(one);
});

test("a store that fails while a session is read is asked again, and what was read is not taken for all", async () => {
  const whole = memoryStore();
  await (await storedSession(whole, "s")).close();
  let fails = true;
  const store = {
    ...whole,
    async *read(...asked: Parameters<SessionStore["read"]>) {
      for await (const entry of whole.read(...asked)) {
        yield entry;
        if (fails) throw new Error("The network is gone.");
      }
    },
  };
  const runs = new StoreRuns(store);
  expect((await runs.open("s"))!.row.notice).toBe("Read up to position 0: The network is gone.");
  await expect(findSuspicions(store, "s")).rejects.toThrow("The network is gone.");
  fails = false;
  const { row, log } = (await runs.open("s"))!;
  expect([row.notice, log.last]).toEqual([undefined, (await new StoreRuns(whole).logOf("s"))!.last]);
});

test("the list of 3,000 sessions has pages without duplicates and is filtered by group and name", async () => {
  const home = testHome();
  const store = sqliteStore({ path: join(home, "s.sqlite") });
  onTestFinished(() => store.close());
  const count = 3_000;
  for (let index = 0; index < count; index++) {
    const sessionId = `run-${String(index).padStart(5, "0")}`;
    const lease = (await store.acquire(sessionId, { owner: "t", ttlMs: 60_000 }))!;
    const phase = index % 100 === 7 ? "suspended" : "stopped";
    await store.append(sessionId, {
      expectedSeq: 0,
      fence: lease.fence,
      entries: [{ seq: 1, at: index, type: "session", data: { format: 1 } }],
      position: {
        phase,
        ...(phase === "suspended" && { waitsFor: ["approval"] }),
        meta: { agent: index % 2 ? "odd" : "even" },
      },
    });
  }
  const hub = await testHub({ home, store });
  const all = async (query: string): Promise<{ rows: RunRow[]; total: number; pages: number }> => {
    const rows: RunRow[] = [];
    let cursor: string | undefined = "";
    let total = 0;
    let pages = 0;
    while (cursor !== undefined) {
      const page: List = await get<List>(
        hub,
        `/api/runs?limit=250&${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      expect(page.rows.length).toBeLessThanOrEqual(250);
      rows.push(...page.rows);
      ({ cursor, total } = page);
      pages++;
    }
    return { rows, total, pages };
  };
  const indexed = async () => (await get<List & { unindexed?: number }>(hub, "/api/runs")).unindexed ?? 0;
  await expect.poll(indexed).toBe(0); // meanwhile the list has what is indexed
  const everything = await all("");
  expect([
    everything.total,
    new Set(everything.rows.map(({ runId }) => runId)).size,
    everything.rows.length,
  ]).toEqual([count, count, count]);
  expect(everything.pages).toBeLessThanOrEqual(13);
  const needing = await all("group=needsYou");
  expect([needing.rows.length, needing.total]).toEqual([30, 30]);
  const odd = await all("q=ODD&group=finished");
  expect([odd.rows.length, odd.total]).toEqual([1_470, 1_470]);
  expect(odd.rows.every(({ agent }) => agent === "odd")).toBe(true);
  expect((await all("q=run-00042")).rows.map(({ runId }) => runId)).toEqual(["run-00042"]);
  for (const bad of ["group=other", "limit=0", "limit=501", "limit=x"])
    expect((await ask(hub, `/api/runs?${bad}`)).status, bad).toBe(400);
});

const NOTHING = { tags: [], entry: [], exit: [], invoke: [] };

test("POST /api/layouts lays out an unknown chart for a client with the token", async () => {
  const hub = await testHub({ home: testHome() });
  const place = (body: string, token = hub.token): Promise<Response> =>
    fetch(`${hub.url}/api/layouts`, { method: "POST", body, headers: { authorization: `Bearer ${token}` } });
  const chart = { id: "m", nodes: [{ id: "m", key: "m", type: "atomic", ...NOTHING }], edges: [] };
  const { layouts } = (await (await place(JSON.stringify(chart))).json()) as { layouts: Layouts };
  expect(layouts.landscape.nodes.map(({ id }) => id)).toEqual(["m"]);
  expect(await (await place('{"nodes":[{}],"edges":[{}]}')).json()).toEqual({ layouts: null });
  for (const bad of ["", "null", "[]", "{}", '{"nodes":[],"edges":[]}'])
    expect((await place(bad)).status, bad).toBe(400);
  expect((await place(`"${"x".repeat(1_000_001)}"`)).status).toBe(413);
  expect((await place(JSON.stringify(chart), "wrong")).status).toBe(401);
});

test("a stored session is shown with its slots", async () => {
  const store = memoryStore();
  const plan = defineSlot<readonly string[]>({ name: "plan", initial: [] });
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([]),
    sessionOptions: { slots: [plan] },
    store,
    sessionId: "s-1",
  });
  await agent.slots.set(plan, ["measure"]);
  await agent.close();
  const hub = await testHub({ home: testHome(), store });
  expect(contextOf(await steps(hub, "s-1"))["slots"]).toEqual({
    plan: { value: ["measure"], version: 1, revision: 1 },
  });
});
