// The search of runs, live and stored.
import { createAgent, type SessionStore } from "agentchart";
import { inspector } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { PROTOCOL, type RunRow } from "../../../src/inspect/protocol/protocol.ts";
import { toolOf } from "../../support/agents.ts";
import { ask, testHome, testHub } from "../../support/hub-page.ts";
import { get, type List } from "../../support/stored-runs.ts";

const PRICES = { scripted: { input: 1_000_000, output: 0 } };

/** An agent that looks up an order and answers. */
function clerk(sessionId: string, more: Partial<Parameters<typeof createAgent>[0]> = {}) {
  return createAgent({
    name: "clerk",
    sessionId,
    model: scriptedModel([{ calls: [{ name: "look_up", input: { order: "INV-90017" } }] }, "订单在这里。"]),
    tools: [toolOf("look_up", () => `the ledger ${"x".repeat(9_000)} zebra`)],
    ...more,
    modelOptions: { prices: PRICES, ...more.modelOptions },
  });
}

test.each(["live", "store"] as const)("runs of a %s are found by texts and filters", async (source) => {
  const home = testHome();
  const store: SessionStore = memoryStore();
  const hub = await testHub({ home, ...(source === "store" && { store }) });
  const inspect = inspector({ home, retryMs: [10, 50] });
  onTestFinished(() => inspect.close());
  const where = source === "live" ? { inspect } : { store };
  const first = clerk("first", { ...where, meta: { title: "Ticket seven" } });
  await first.call("Where is it?");
  const second = createAgent({ name: "planner", sessionId: "second", model: scriptedModel([]), ...where });
  await second.call("Plan a journey").catch(() => {});
  const idsOf = async (query: string): Promise<readonly string[]> =>
    (await get<List>(hub, `/api/runs?${query}`)).rows.map(({ runId }) => runId).toSorted();
  await expect.poll(() => idsOf("outcome=failed")).toEqual(["second"]);
  await expect.poll(() => idsOf("outcome=answered")).toEqual(["first"]);
  const queries: readonly (readonly [string, readonly string[]])[] = [
    ["", ["first", "second"]],
    ["q=inv-90017", ["first"]],
    ["q=zebra", ["first"]], // at the end of a result that is a blob in the steps
    ["q=订单", ["first"]],
    ["q=单订", []],
    ["q=ticket%20where", ["first"]], // title and text
    ["q=journ", ["second"]],
    ["q=planner", ["second"]],
    ["q=nowhere", []],
    ["q=%3F", []],
    ["agent=clerk", ["first"]],
    ["agent=cler", []],
    ["tool=look_up", ["first"]],
    ["tool=look", []],
    ["since=1", ["first", "second"]],
    [`since=${Date.now() + 60_000}`, []],
    ["minCost=0.5", ["first"]],
    ["outcome=waiting", []],
    ["outcome=answered&group=finished&q=ledger&tool=look_up&agent=clerk", ["first"]],
    ["outcome=answered&group=running", []],
  ];
  for (const [query, ids] of queries) expect(await idsOf(query), query).toEqual(ids);
  const [row] = (await get<List>(hub, "/api/runs?q=zebra")).rows;
  expect(row).toMatchObject({ title: "Ticket seven", agent: "clerk", reason: "MODEL_STOP", source });
  expect(row!.usage.cost).toBeGreaterThan(0);
  expect(row!.startedAt).toBeLessThanOrEqual(row!.updatedAt);
  for (const bad of ["outcome=good", "since=x", "minCost=-1"])
    expect((await ask(hub, `/api/runs?${bad}`)).status, bad).toBe(400);
  await Promise.all([first.close(), second.close()]);
});

test("a store without a search is searched by an index in memory", async () => {
  const { search: _, ...store } = memoryStore();
  const agent = clerk("s", { store });
  await agent.call("Where is it?");
  await agent.close();
  const hub = await testHub({ home: testHome(), store });
  expect((await get<List>(hub, "/api/runs?q=ledger")).total).toBe(1);
  expect((await get<List>(hub, "/api/runs?q=nothing")).total).toBe(0);
});

const ROW: RunRow = {
  runId: "r",
  agent: "a",
  chart: "c",
  source: "live",
  phase: "stopped",
  waitsFor: [],
  state: "stopped.idle",
  startedAt: 1,
  updatedAt: 2,
  steps: 0,
  usage: {},
  pending: 0,
  can: [],
};
const HOSTILE: readonly object[] = [
  { type: "run", row: null, pending: [] },
  { type: "run", row: { ...ROW, agent: { toLowerCase: 1 } }, pending: [] },
  { type: "run", row: { ...ROW, title: 7 }, pending: [] },
  { type: "run", row: { ...ROW, waitsFor: null }, pending: [] },
  { type: "run", row: { ...ROW, usage: null }, pending: [] },
  { type: "run", row: { ...ROW, usage: { cost: "1" } }, pending: [] },
  { type: "run", row: { ...ROW, phase: "dancing" }, pending: [] },
  { type: "run", row: { ...ROW, updatedAt: "now" }, pending: [] },
  { type: "run", row: { ...ROW, parent: { runId: 1 } }, pending: [] },
  { type: "run", row: ROW, pending: null },
  { type: "steps", runId: "r", states: null, items: [] },
  { type: "steps", runId: "r", states: [], items: [{ q: 1 }] },
  { type: "steps", runId: { toString: 1 }, states: [], items: [] },
  { type: "stream", items: [{ runId: "r" }] },
];

test.each(HOSTILE.map((message) => [JSON.stringify(message).slice(0, 120), message] as const))(
  "a process that sends %s is disconnected, and harms nobody's list",
  async (_, message) => {
    const home = testHome();
    const hub = await testHub({ home });
    const inspect = inspector({ home, retryMs: [10, 50] });
    onTestFinished(() => inspect.close());
    const healthy = clerk("healthy", { inspect });
    await healthy.call("Where is it?");
    const [url, token] = hub.workerUrl.split("#w=");
    const socket = new WebSocket(`${url!.replace("http", "ws")}/worker`);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await new Promise((resolve) => socket.once("open", resolve));
    const hello = { type: "hello", token, proto: PROTOCOL, worker: "w", pid: 1, charts: [] };
    socket.send(JSON.stringify(hello));
    await new Promise((resolve) => socket.once("message", resolve));
    socket.send(JSON.stringify(message));
    expect(await closed).toBe(4400);
    const idsOf = async () => (await get<List>(hub, "/api/runs?q=ledger")).rows.map(({ runId }) => runId);
    await expect.poll(idsOf).toEqual(["healthy"]);
    await healthy.close();
  },
);
