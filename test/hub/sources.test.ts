import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createAgent, exportSession, openSession, type Agent, type SessionStore } from "agentchart";
import { inspector, type StartedHub } from "agentchart/inspect";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { applyPatch } from "../../src/inspect/patch.ts";
import type { PendingItem, RunRow, StepPage } from "../../src/inspect/protocol.ts";
import type { Layouts } from "../../src/layout/layout.ts";
import type { JsonObject } from "../../src/message/types.ts";
import { toolOf } from "../support/agents.ts";
import { ask, HubPage, testHome, testHub } from "../support/hub-page.ts";

type Detail = { readonly row: RunRow; readonly chart: string; readonly pending: readonly PendingItem[] };
type List = { readonly rows: readonly RunRow[]; readonly cursor?: string; readonly total: number };

async function get<T>(hub: StartedHub, path: string): Promise<T> {
  const answer = await ask(hub, path);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as T;
}

const steps = (hub: StartedHub, runId: string): Promise<StepPage> =>
  get(hub, `/api/runs/${encodeURIComponent(runId)}/steps?from=1`);

const contextOf = ({ items, keyframe = {} }: StepPage): JsonObject =>
  items.reduce<JsonObject>((context, { p = [] }) => applyPatch(context, p), keyframe);

/** A session that looked something up, and waits for an approval. */
async function storedSession(store: SessionStore, sessionId: string, more = {}): Promise<Agent> {
  const agent = createAgent({
    name: "clerk",
    store,
    sessionId,
    model: scriptedModel([
      [
        { type: "tool.delta", key: 0, name: "look", args: '{"at":"shelf"}' },
        { type: "finish", reason: "tool_calls" },
      ],
      "It is there.",
      [
        { type: "tool.delta", key: 0, name: "sell", args: "{}" },
        { type: "finish", reason: "tool_calls" },
      ],
    ]),
    tools: [
      toolOf("look", () => `seen ${"x".repeat(9_000)}`),
      toolOf("sell", () => "sold", { permission: "ask" }),
    ],
    ...more,
  });
  await agent.call("Is it there?");
  await agent.call("Then sell it.");
  return agent;
}

describe("a session in a store", () => {
  test("is shown step by step as its journal tells it, with the messages and states it had", async () => {
    const store = memoryStore();
    const agent = await storedSession(store, "s-1");
    const messages = await agent.messages();
    await agent.close();
    const hub = await testHub({ home: testHome(), store });
    const page = await steps(hub, "s-1");
    const { row, pending, chart } = await get<Detail>(hub, "/api/runs/s-1");
    const session = await openSession(store, "s-1");
    const last = await session.at();
    expect(page.items.map(({ q, j }) => [q, j])).toEqual(
      Array.from({ length: last.seq }, (_, index) => [index + 1, index + 1]),
    );
    const texts = JSON.stringify(messages).replaceAll(/seen x{9000}/g, "");
    const shown = contextOf(page)["messages"] as readonly {
      readonly content: readonly { readonly type: string }[];
    }[];
    expect(shown.map(({ content }) => content[0]!.type)).toEqual(
      messages.map(({ content }) => content[0]!.type),
    );
    expect(texts).toContain("It is there.");
    for (const at of [3, Math.floor(last.seq / 2), last.seq]) {
      const { context } = await get<{ context: JsonObject }>(hub, `/api/runs/s-1/keyframe?at=${at}`);
      const then = await session.at(at);
      expect((context["messages"] as unknown[]).length).toBe(then.messages.length);
      const active = page.states[page.items[at - 1]!.s]!;
      expect(active.join(" ")).toContain(`agent.${then.state.split(".")[0]}`);
    }
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

  test("can be forked and not be answered; the original stays as it was", async () => {
    const store = memoryStore();
    const agent = await storedSession(store, "s-1");
    const [call] = agent.status().pending;
    await agent.close();
    const hub = await testHub({ home: testHome(), store });
    const page = await HubPage.open(hub);
    page.follow("s-1");
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
    const forked = fork.data!["sessionId"] as string;
    const { row } = await get<Detail>(hub, `/api/runs/${forked}`);
    expect(row).toMatchObject({ forkOf: { runId: "s-1", seq }, phase: "suspended" });
    expect((await (await openSession(store, "s-1")).at()).seq).toBe(seq);
  });

  test("that another process goes on with is read on", async () => {
    const store = memoryStore();
    const agent = await storedSession(store, "s-1");
    const hub = await testHub({ home: testHome(), store });
    const page = await HubPage.open(hub);
    page.follow("s-1");
    await expect.poll(() => page.steps.get("s-1")?.length ?? 0).toBeGreaterThan(0);
    const before = page.steps.get("s-1")!.length;
    await agent.decide(agent.status().pending[0]!.callId, "deny");
    await agent.close();
    await expect.poll(() => page.steps.get("s-1")!.length).toBeGreaterThan(before);
    expect(page.steps.get("s-1")!.map(({ q }) => q)).toEqual(
      page.steps.get("s-1")!.map((_, index) => index + 1),
    );
  });

  test("with a damaged journal is shown up to the damage, which is named", async () => {
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

test("thousands of sessions are listed page by page, each once, and are found by group and by name", async () => {
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

test("a chart that nobody knows is laid out for who has the token", async () => {
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

const NOTHING = { tags: [], entry: [], exit: [], invoke: [] };

describe("a file", () => {
  const home = (): string => testHome();
  const write = (place: string, text: string): string => {
    const path = join(place, "run.ndjson");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };

  /** A live run, exported, and what the live hub said of it. */
  async function exported(
    place: string,
  ): Promise<{ text: string; page: StepPage; runId: string; detail: Detail }> {
    const hub = await testHub({ home: place });
    const inspect = inspector({ home: place, retryMs: [10, 50] });
    onTestFinished(() => inspect.close());
    const agent = await storedSession(memoryStore(), "s-1", { inspect });
    await expect.poll(async () => (await ask(hub, "/api/runs/s-1")).status).toBe(200);
    await expect.poll(async () => (await get<Detail>(hub, "/api/runs/s-1")).row.phase).toBe("suspended");
    await agent.close();
    await expect.poll(async () => (await steps(hub, "s-1")).items.at(-1)?.e).toBe("xstate.stop");
    const text = await (await ask(hub, "/api/runs/s-1/export")).text();
    return {
      text,
      page: await steps(hub, "s-1"),
      runId: "s-1",
      detail: await get<Detail>(hub, "/api/runs/s-1"),
    };
  }

  test("of an exported run shows the same picture as the live run did", async () => {
    const { text, page, detail } = await exported(home());
    const place = home();
    const hub = await testHub({ home: place, files: [write(place, text)] });
    const opened = await steps(hub, "s-1");
    expect(opened).toEqual(page);
    const again = await get<Detail>(hub, "/api/runs/s-1");
    expect(again.row).toMatchObject({
      source: "file",
      usage: detail.row.usage,
      steps: detail.row.steps,
      phase: "suspended",
      can: [],
    });
    expect(again.row.notice).toBeUndefined();
    const chart = await get<{ chart: { edges: unknown[] } }>(hub, `/api/charts/${again.chart}`);
    expect(chart.chart.edges.length).toBeGreaterThan(100);
    const [, sha] = /"\$blob":"(\w+)"/.exec(JSON.stringify(opened))!;
    expect(await (await ask(hub, `/api/runs/s-1/blob/${sha!}`)).text()).toMatch(/^seen x{9000}$/);
    expect(await (await ask(hub, "/api/runs/s-1/export")).text()).toContain('"q":1');
    expect((await get<List>(hub, "/api/runs")).rows.map(({ runId }) => runId)).toEqual(["s-1"]);
  });

  test("that is cut off or damaged is opened to its last good line, and the first bad one is named", async () => {
    const { text } = await exported(home());
    const lines = text.split("\n");
    const at = lines.findIndex((line) => line.startsWith('{"q":9,'));
    const cut = [...lines.slice(0, at), lines[at]!.slice(0, 30)].join("\n");
    const damaged = lines.with(at, "not json").join("\n");
    const missing = lines.toSpliced(at, 1).join("\n");
    for (const [what, broken, notice] of [
      ["cut", cut, `Opened to line ${at}: line ${at + 1} is cut off.`],
      ["damaged", damaged, `Opened to line ${at}: line ${at + 1} is no JSON object.`],
      ["missing", missing, /^Opened to line \d+: line \d+ cannot be read \(step 9 is missing\)\.$/],
    ] as const) {
      const place = home();
      const hub = await testHub({ home: place, files: [write(place, broken)] });
      const { row } = await get<Detail>(hub, "/api/runs/s-1");
      expect(row.notice, what).toMatch(notice);
      expect(row.steps, what).toBe(8);
      expect((await steps(hub, "s-1")).items).toHaveLength(8);
    }
  });

  test("of an exported run brings its chart in a short line, and without it has the built-in one if that is the same", async () => {
    const { text, page } = await exported(home());
    const [header, chartLine, ...rest] = text.split("\n") as [string, string, ...string[]];
    expect(JSON.parse(chartLine)).toMatchObject({ chart: { id: "agent" }, layouts: null });
    expect(chartLine.length).toBeLessThan(60_000);
    const open = async (lines: readonly string[]) => {
      const place = home();
      const hub = await testHub({ home: place, files: [write(place, lines.join("\n"))] });
      const { row, chart } = await get<Detail>(hub, "/api/runs/s-1");
      expect((await steps(hub, "s-1")).items).toEqual(page.items);
      return { notice: row.notice, status: (await ask(hub, `/api/charts/${chart}`)).status };
    };
    expect(await open([header, ...rest])).toEqual({ notice: undefined, status: 200 });
    const { row, ...more } = JSON.parse(header) as { row: RunRow };
    const other = JSON.stringify({ ...more, row: { ...row, chart: "0123456789abcdef" } });
    expect(await open([other, ...rest])).toEqual({
      notice: "Its chart is not in the file, and this release has another one: it is shown without.",
      status: 404,
    });
    expect(await open([other, chartLine, ...rest])).toEqual({ notice: undefined, status: 200 });
  });

  test("of an exported session is shown as the store would show it, cut off too", async () => {
    const store = memoryStore();
    await (await storedSession(store, "s-1")).close();
    let text = "";
    for await (const line of exportSession(store, "s-1")) text += line;
    const place = home();
    const hub = await testHub({ home: place, store, files: [write(place, text)] });
    const stored = await testHub({ home: home(), store });
    expect(await steps(hub, "s-1")).toEqual(await steps(stored, "s-1"));
    expect((await get<Detail>(hub, "/api/runs/s-1")).row).toMatchObject({
      source: "file",
      phase: "suspended",
      pending: 1,
    });
    expect((await get<List>(hub, "/api/runs")).rows).toHaveLength(1);
    const lines = text.split("\n");
    const other = home();
    const cut = await testHub({ home: other, files: [write(other, lines.slice(0, 6).join("\n"))] });
    const { row } = await get<Detail>(cut, "/api/runs/s-1");
    expect(row.notice).toMatch(/^The file ends after entry 5 of \d+\.$/);
    expect(row.steps).toBe(5);
  });

  test("that is none of ours, of another release or not there is refused in words", async () => {
    const place = home();
    await expect(testHub({ home: place, files: [write(place, "hello\n")] })).rejects.toThrow(
      /is no exported run and no exported session/,
    );
    await expect(
      testHub({ home: place, files: [write(place, '{"agentchartRun":9,"row":{"runId":"x"}}\n')] }),
    ).rejects.toThrow(/another release/);
    await expect(testHub({ home: place, files: [join(place, "absent")] })).rejects.toThrow(/cannot be read/);
  });
});
