// The function `experiment`: changes of behaviour are found, and nothing acts.
import { expect, test } from "vitest";
import { createAgent, textOf, type AgentConfig, type ModelRequest, type SessionStore } from "agentchart";
import { experiment, tryRelease, type ExperimentOptions, type ReplayAgentConfig } from "agentchart/evals";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { before } from "agentchart/rules";
import { toolOf } from "../../support/agents.ts";

/** All of them with SOAK=1; one in five is planted with a change. */
const SESSIONS = process.env["SOAK"] === "1" ? 200 : 40;
const input = { type: "object", properties: { order: { type: "integer" } } };

type Plan = "same" | "text" | "call" | "arguments" | "path";

/** The kinds of planted changes, by the number of an order: one in five, in turns. */
const planOf = (order: number): Plan =>
  order % 5 === 0 ? (["text", "call", "arguments", "path"] as const)[(order / 5) % 4]! : "same";

/** A model that looks an order up, refunds it if it is odd, and answers. Changed, it does something else for some orders. */
function deskModel(isChanged: boolean): ReturnType<typeof scriptedModel> {
  const turn: ScriptedTurn = async function* ({ messages }: ModelRequest) {
    const said = messages.findLast(({ role }) => role === "user")!;
    const order = Number(/\d+/.exec(textOf(said))![0]);
    const plan = isChanged ? planOf(order) : "same";
    const results = messages.filter(({ role }) => role === "tool").length;
    const call = (name: string, arguments_: object): object => ({
      type: "tool.delta",
      key: 0,
      id: `call-${results}`,
      name,
      args: JSON.stringify(arguments_),
    });
    const usage = { type: "usage", usage: { inputTokens: 10, outputTokens: 5 } } as const;
    if (results === 0 && plan !== "path") {
      const name = plan === "call" ? "cancel" : "look_up";
      yield call(name, { order: plan === "arguments" ? order + 1 : order }) as never;
      yield usage;
      yield { type: "finish", reason: "tool_calls" };
    } else if (results === 1 && order % 2 === 1) {
      yield call("refund", { order }) as never;
      yield usage;
      yield { type: "finish", reason: "tool_calls" };
    } else {
      yield { type: "text.delta", delta: plan === "text" ? "It was lost." : "Done." };
      yield usage;
      yield { type: "finish", reason: "stop" };
    }
  };
  return scriptedModel(Array<ScriptedTurn>(4_000).fill(turn), { name: "desk" });
}

function deskOf(acts: string[], isChanged = false, more: object = {}): ReplayAgentConfig {
  const act = (name: string, options: object = {}) =>
    toolOf(name, ({ order }: { order?: number }) => (acts.push(`${name} ${order}`), "done"), {
      input,
      ...options,
    });
  return {
    name: "desk",
    sysPrompt: "Help.",
    model: deskModel(isChanged),
    tools: [act("look_up"), act("refund", { permission: "ask" }), act("cancel")],
    ...more,
  } as unknown as ReplayAgentConfig;
}

async function recorded(count: number, more: object = {}): Promise<SessionStore> {
  const store = memoryStore();
  const config = deskOf([], false, more);
  for (let order = 1; order <= count; order++) {
    const sessionId = `desk/${String(order).padStart(3, "0")}`;
    const agent = createAgent({ ...config, store, sessionId } as unknown as AgentConfig);
    const reply = await agent.call(`Refund ${order}. ${"Please. ".repeat(80)}With regards ${order}`);
    for (const { callId } of reply.pending) await agent.decide(callId, "approve");
    if (reply.pending.length > 0) await agent.call();
    await agent.close();
  }
  return store;
}

const run = async (
  store: SessionStore,
  options: Partial<ExperimentOptions> & { isChanged?: boolean } = {},
) => {
  const { isChanged = false, ...rest } = options;
  const acts: string[] = [];
  const report = await experiment(store, { agent: deskOf(acts, isChanged), model: "live", ...rest });
  return { report, acts };
};

test("one planted change in five sessions is found, none without a change, and nothing acts", async () => {
  const store = await recorded(SESSIONS);
  const unchanged = await run(store);
  expect(unchanged.report).toMatchObject({
    counts: { same: SESSIONS, different: 0, error: 0, unmet: 0, moved: 0, skipped: 0 },
    changed: { outcome: 0, calls: 0, edges: 0, text: 0, rules: 0 },
    different: { rate: 0, low: 0 },
    clusters: [],
    agent: [],
  });
  const { report, acts } = await run(store, { isChanged: true });
  const planted = Array.from({ length: SESSIONS }, (_, at) => at + 1).filter(
    (order) => planOf(order) !== "same",
  );
  expect(planted).toHaveLength(SESSIONS / 5);
  expect(
    report.rows
      .filter(({ state }) => state === "different")
      .map(({ sessionId }) => Number(sessionId.slice(5))),
  ).toEqual(planted);
  expect(report.counts).toMatchObject({ same: SESSIONS - planted.length, different: planted.length });
  for (const { sessionId, divergence, edges, changed } of report.rows) {
    const kinds = { same: undefined, text: "message", call: "call", arguments: "arguments", path: "call" };
    expect(divergence?.kind, sessionId).toBe(kinds[planOf(Number(sessionId.slice(5)))]);
    if (!divergence) continue;
    expect(edges).toBeDefined();
    expect(changed.length).toBeGreaterThan(0);
  }
  expect(report.clusters.flatMap(({ sessions }) => sessions)).toHaveLength(planted.length);
  expect(report.clusters.map(({ kind, tool }) => [kind, tool])).toContainEqual(["call", "cancel"]);
  expect([...unchanged.acts, ...acts]).toEqual([]);
});

test("each session is read once, and each replay", async () => {
  const read: string[] = [];
  const counting = (store: SessionStore): SessionStore => ({
    ...store,
    read: (sessionId, options) => (read.push(sessionId), store.read(sessionId, options)),
  });
  const { report } = await run(counting(await recorded(3)), { into: counting(memoryStore()) });
  const replays = report.rows.map(({ replayId }) => replayId!);
  expect(read.toSorted()).toEqual(["desk/001", "desk/002", "desk/003", ...replays].toSorted());
});

test("no model is asked unless that is said, and changes that only a model notices need it said", async () => {
  const store = await recorded(2);
  const model = scriptedModel([]);
  const { report } = await run(store, { model: undefined, agent: deskOf([], true, { model }) });
  expect(report.counts).toMatchObject({ same: 2, error: 0 });
  expect(model.requests).toEqual([]);
  const unsaid = run(store, { model: undefined, changes: { system: "Cancel." } });
  await expect(unsaid).rejects.toMatchObject({
    code: "config/invalid",
    message: expect.stringContaining('expected `model: "live"`'),
  });
});

test("runs are repeated, with an interval by session, bounded by a budget, and told as they end", async () => {
  const store = await recorded(5);
  const told: string[] = [];
  const { report } = await run(store, {
    isChanged: true,
    times: 3,
    sessions: ["desk/004", "desk/005"],
    onProgress: ({ done, of, row }) => told.push(`${done}/${of} ${row.state}`),
  });
  expect(report.bySession).toMatchObject([
    { sessionId: "desk/004", different: { rate: 0 } },
    { sessionId: "desk/005", different: { rate: 1, low: expect.closeTo(0.438, 2) } },
  ]);
  expect(told).toHaveLength(6);
  const bounded = await run(store, { budget: { tokens: 40 }, concurrency: 1 });
  expect(bounded.report.counts).toMatchObject({ same: 1, skipped: 4 });
  expect((await run(store, { sessions: { prefix: "desk/00" }, limit: 2 })).report.rows).toHaveLength(2);
});

test.each<[string, NonNullable<ExperimentOptions["at"]>, object]>([
  ["a step", 3, { same: 4, different: 0 }],
  ["a call", { asked: "refund" }, { same: 2, unmet: 2 }],
  ["a call with arguments", { asked: "look_up", input: { order: 3 } }, { same: 1, unmet: 3 }],
  ["a state", { state: "suspended.waiting" }, { same: 2, unmet: 2 }],
  ["what the user says", { said: "refund 4" }, { same: 1, unmet: 3 }],
  ["what the user says at the end of a long text", { said: "with regards 2" }, { same: 1, unmet: 3 }],
  ["a suspicion that no session has", { suspicion: "loop" }, { unmet: 4 }],
])("runs begin at %s", async (_, at, counts) => {
  const { report, acts } = await run(await recorded(4), { at });
  expect(report.counts).toMatchObject(counts);
  expect(acts).toEqual([]);
});

test("changes, rules and other agents are told, and a session that changes meanwhile is not a result", async () => {
  const store = await recorded(3);
  const rules = [before("look_up", "cancel")];
  const model = (order: number): ScriptedTurn => ({ calls: [{ name: "cancel", input: { order } }] });
  const { report } = await run(store, {
    agent: () => deskOf([], false, { model: scriptedModel([model(1), "Done."]) }),
    changes: { system: "Cancel." },
    sessions: ["desk/001"],
    onDivergence: "live",
    live: ["cancel"],
    rules,
  });
  expect(report.rows[0]).toMatchObject({
    state: "different",
    changed: expect.arrayContaining(["calls", "rules"]),
    ran: ["cancel"],
    rules: [{ before: 0, after: 1 }],
  });
  expect(report.agent).toMatchObject([
    { what: "prompt", sessions: 1 },
    { what: "model", sessions: 1 },
  ]);
  const moving = await run(store, {
    sessions: ["desk/002"],
    agent: async () => {
      const config = deskOf([]) as unknown as AgentConfig;
      const agent = createAgent({ ...config, store, sessionId: "desk/002" });
      await agent.observe({ id: "x", role: "user", name: "user", content: [], metadata: {}, timestamp: 0 });
      await agent.close();
      return deskOf([]);
    },
  });
  expect(moving.report.counts).toMatchObject({ moved: 1, same: 0 });
  const gone = await run(store, { sessions: ["nobody"] });
  expect(gone.report.rows).toMatchObject([{ state: "error", error: { code: "session/not-found" } }]);
});

test("wrong options are refused before anything runs", async () => {
  const store = await recorded(1);
  const rejects = (options: object, message: string) =>
    expect(run(store, options)).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringContaining(message),
    });
  await rejects({ at: { asks: "refund" } }, "at");
  await rejects({ at: 0 }, "at");
  await rejects({ at: { state: "nowhere" } }, "no state 'nowhere'");
  await rejects({ at: { edge: "agent.nowhere" } }, "no edge whose id begins with 'agent.nowhere'");
  await rejects({ at: { suspicion: "lop" } }, "no suspicion 'lop'");
  await rejects({ tools: "live" }, "needs the names of the tools");
  await rejects({ onDivergence: "live" }, "needs the names of the tools");
  await rejects({ onDivergence: "ask" }, "needs `ask`");
  await rejects({ times: 0 }, "times");
  for (const sessions of [null, "desk/001", [""], 5, { prefx: "desk/" }])
    await rejects({ sessions }, "sessions");
  await rejects({ sessions: ["desk/001", "desk/001"] }, "has 'desk/001' twice");
  await rejects({ agent: () => undefined }, "returned no configuration for the session 'desk/001'");
});

test("sessions in flight are tried with another release, which is told before it is deployed", async () => {
  const store = memoryStore();
  for (const order of [1, 2, 3]) {
    const config = deskOf([]) as unknown as AgentConfig;
    const agent = createAgent({ ...config, store, sessionId: `s${order}` });
    await agent.call(`Refund ${order}.`); // the odd ones wait for an approval
    await agent.close();
  }
  const tryOn = async (more: object) => {
    const acts: string[] = [];
    const { rows, counts } = await tryRelease(store, { agent: deskOf(acts, true, more) });
    expect(acts).toEqual([]);
    return [rows.map(({ sessionId }) => sessionId), counts, rows[0]!.calls] as const;
  };
  const none = { same: 0, changed: 0, "asks-again": 0, lost: 0, "cannot-open": 0, moved: 0 };
  const { tools } = deskOf([]);
  const other = tools!.map((tool) => (tool.name === "refund" ? { ...tool, description: "Pays." } : tool));
  const ids = ["s1", "s3"];
  await expect(tryRelease(store, { agent: deskOf([]), sessions: { prefx: "s" } as never })).rejects.toThrow(
    "did you mean `prefix`",
  );
  expect(await tryOn({})).toEqual([ids, { ...none, same: 2 }, []]);
  expect(await tryOn({ sysPrompt: "Other." })).toEqual([ids, { ...none, changed: 2 }, []]);
  expect(await tryOn({ tools: other })).toEqual([ids, { ...none, "asks-again": 2 }, ["refund (call-1)"]]);
  expect(await tryOn({ tools: tools!.filter(({ name }) => name !== "refund") })).toEqual([
    ids,
    { ...none, lost: 2 },
    ["refund (call-1)"],
  ]);
  expect(await tryOn({ sysPrompt: "Other.", sessionOptions: { onChangedAgent: "hold" } })).toEqual([
    ids,
    { ...none, "cannot-open": 2 },
    [],
  ]);
});

const NEVER = (): Promise<ReplayAgentConfig> => new Promise(() => {});

test("an agent that is never made is an error of its run after the limit, and an abort ends it", async () => {
  const store = await recorded(1);
  const { rows } = await experiment(store, { agent: NEVER, runLimitMs: 20 });
  expect(rows).toMatchObject([
    { state: "error", error: { code: "run/timeout", message: expect.stringContaining("20 ms") } },
  ]);
  const stop = new AbortController();
  const agent = (): Promise<ReplayAgentConfig> => (stop.abort(), NEVER());
  await expect(experiment(store, { agent, signal: stop.signal })).rejects.toMatchObject({
    code: "run/aborted",
  });
});

test("a release whose agent is never made cannot open a session in flight", async () => {
  const store = memoryStore();
  const agent = createAgent({ ...deskOf([]), store, sessionId: "waits" } as unknown as AgentConfig);
  await agent.call("Refund 1.");
  await agent.close();
  const { rows } = await tryRelease(store, { agent: NEVER, runLimitMs: 20 });
  expect(rows).toMatchObject([{ sessionId: "waits", state: "cannot-open", error: { code: "run/timeout" } }]);
});

test("a second experiment into the store of the sessions leaves the replays of the first out", async () => {
  const store = await recorded(2);
  const first = await run(store, { into: store });
  const second = await run(store, { into: store });
  const ids = ["desk/001", "desk/002"];
  for (const { report } of [first, second])
    expect(report.rows.map(({ sessionId }) => sessionId)).toEqual(ids);
  const later = await run(store, { into: store, at: 1 });
  expect(later.report.rows.map(({ sessionId }) => sessionId)).toEqual(ids);
  const again = await run(store, { into: store });
  expect(again.report.rows.map(({ sessionId }) => sessionId)).toEqual(ids);
  const replays = await run(store, { sessions: { meta: { replayOf: "desk/001" } } });
  expect(replays.report.rows).toHaveLength(4);
});

test.each([
  ["drained", 10_000, false],
  ["parked, and gone on with", 0, false],
  ["parked in a tool, and gone on with", 0, true],
] as const)("a turn that a deploy has %s is the same", async (_, deadlineMs, inTool) => {
  const store = memoryStore();
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const waits = async (isHere: boolean) => {
    if (isHere) begun.resolve();
    if (isHere) await go.promise;
  };
  const answers = (isFirst: boolean): ScriptedTurn[] => [
    async function* () {
      await waits(isFirst && !inTool);
      yield { type: "tool.delta", key: 0, id: "c", name: "look", args: "{}" };
      yield { type: "finish", reason: "tool_calls" };
    },
    "Found.",
  ];
  const config = (isFirst: boolean, turns = answers(isFirst)) => ({
    name: "desk",
    model: scriptedModel(turns),
    tools: [toolOf("look", async () => (await waits(isFirst && inTool), "found"), { idempotent: true })],
  });
  const first = createAgent({ ...config(true), store, sessionId: "s" } as AgentConfig);
  const turn = first.call("Look.").catch(() => undefined);
  await begun.promise;
  const end = first.shutdown({ deadlineMs });
  if (deadlineMs > 0) go.resolve();
  await Promise.all([turn, end]);
  go.resolve();
  const turns = inTool || deadlineMs > 0 ? answers(false).slice(1) : answers(false);
  const next = createAgent({ ...config(false, turns), store, sessionId: "s" } as AgentConfig);
  await next.call();
  await next.close();
  const agent = config(false) as unknown as ReplayAgentConfig;
  expect((await experiment(store, { agent })).rows).toMatchObject([{ state: "same", changed: [] }]);
});
