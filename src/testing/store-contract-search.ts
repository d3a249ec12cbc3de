import assert from "node:assert/strict";
import type { JsonObject } from "../core/base/json.ts";
import type { JournalEntry, SearchPage, SessionSearch, SessionStore } from "../store/port.ts";
import { acquireLease, type StoreContractTests } from "./store-contract-kit.ts";

const say = (text: string, more: JsonObject = {}): JsonObject => ({
  role: "user",
  content: [{ type: "text", text }],
  ...more,
});
const messages = (seq: number, from: number, added: readonly JsonObject[]): JournalEntry => ({
  seq,
  at: 1_000 * seq,
  type: "messages",
  data: { from, messages: added },
});

/** Writes a session whose journal has these entries. */
async function write(
  store: SessionStore,
  sessionId: string,
  entries: readonly JournalEntry[],
  position: JsonObject = {},
  expectedSeq = 0,
): Promise<void> {
  const lease = await acquireLease(store, sessionId);
  const { fence } = lease;
  await store.append(sessionId, { expectedSeq, fence, entries, position: { phase: "stopped", ...position } });
  await store.release(lease);
}

async function idsOf(store: SessionStore, query: SessionSearch): Promise<readonly string[]> {
  return (await store.search!(query)).sessions.map(({ sessionId }) => sessionId);
}

async function sessionsToFind(store: SessionStore, clock: { now: number }): Promise<void> {
  const call = {
    type: "tool_use",
    id: "1",
    name: "refund_order",
    input: { order: "INV-90017", apiKey: "hunter2" },
  };
  const answer = {
    role: "assistant",
    content: [call],
    usage: { inputTokens: 5, outputTokens: 2, cost: 0.5 },
  };
  const result = {
    type: "tool_result",
    id: "1",
    name: "refund_order",
    state: "error",
    output: [{ type: "text", text: "The ledger is closed." }],
  };
  clock.now = 10_000;
  await write(
    store,
    "refund",
    [
      messages(1, 0, [say("Where is my Café receipt?"), answer]),
      { seq: 2, at: 2_000, type: "call", data: { id: "1", set: { result } } },
    ],
    { agent: "clerk", reason: "ERROR", title: "Where is my Café receipt?", meta: { tenant: "x" } },
  );
  clock.now = 20_000;
  const usage = { inputTokens: 1, outputTokens: 1, cost: 2 };
  await write(store, "chinese", [messages(1, 0, [say("请帮我退款。"), say("退了", { usage })])], {
    agent: "planner",
    reason: "MODEL_STOP",
  });
  clock.now = 30_000;
  await write(store, "waits", [messages(1, 0, [say("Send the letter to Zürich")])], {
    agent: "clerk",
    phase: "suspended",
    waitsFor: ["approval"],
  });
}

const tests: StoreContractTests = {
  "search finds what sessions say by the beginnings of words, whatever their case and accents": async ({
    store,
    clock,
  }) => {
    await sessionsToFind(store, clock);
    for (const text of [
      "cafe",
      "CAFÉ rec",
      "receipt where",
      "inv-90017",
      "ledger",
      "refund_order",
      "clerk receipt",
    ])
      assert.deepEqual(await idsOf(store, { text }), ["refund"], text);
    for (const text of ["eceipt", "refund letter", "hunter2", "?"])
      assert.deepEqual(await idsOf(store, { text }), [], text);
    assert.deepEqual(await idsOf(store, { text: "zuri" }), ["waits"]);
    assert.deepEqual(await idsOf(store, { text: " " }), ["waits", "chinese", "refund"]);
  },
  "search finds Chinese by neighbours, and by one character": async ({ store, clock }) => {
    await sessionsToFind(store, clock);
    for (const text of ["退款", "帮我退", "退", "请帮我退款"])
      assert.deepEqual(await idsOf(store, { text }), ["chinese"], text);
    for (const text of ["款退", "我款"]) assert.deepEqual(await idsOf(store, { text }), [], text);
  },
  "search filters, and says what it knows of a session": async ({ store, clock }) => {
    await sessionsToFind(store, clock);
    const filters: readonly (readonly [SessionSearch, readonly string[]])[] = [
      [{ agent: "clerk" }, ["waits", "refund"]],
      [{ agent: "cler" }, []],
      [{ phases: ["suspended", "running"] }, ["waits"]],
      [{ phases: [] }, []],
      [{ reasons: ["ERROR", "MODEL_STOP"] }, ["chinese", "refund"]],
      [{ isWaiting: true }, ["waits"]],
      [{ isWaiting: false, agent: "clerk" }, ["refund"]],
      [{ tool: "refund_order" }, ["refund"]],
      [{ tool: "refund" }, []],
      [{ meta: { tenant: "x" } }, ["refund"]],
      [{ meta: { tenant: "y" } }, []],
      [{ since: 20_000 }, ["waits", "chinese"]],
      [{ until: 20_000 }, ["refund"]],
      [{ minCost: 0.5 }, ["chinese", "refund"]],
      [{ minCost: 0.6, maxCost: 3 }, ["chinese"]],
      [{ maxCost: 0.1 }, []],
      [{ prefix: "ch" }, ["chinese"]],
      [{ except: ["refund", "other"] }, ["waits", "chinese"]],
      [{ except: [] }, ["waits", "chinese", "refund"]],
      [
        { text: "receipt", tool: "refund_order", agent: "clerk", reasons: ["ERROR"], minCost: 0.1 },
        ["refund"],
      ],
      [{ text: "receipt", agent: "planner" }, []],
    ];
    for (const [query, ids] of filters)
      assert.deepEqual(await idsOf(store, query), ids, JSON.stringify(query));
    const [found] = (await store.search!({ tool: "refund_order" })).sessions;
    const [listed] = (await store.list({ prefix: "refund" })).sessions;
    assert.deepEqual(found, {
      ...listed,
      startedAt: 1_000,
      tools: ["refund_order"],
      usage: { inputTokens: 5, outputTokens: 2, cost: 0.5 },
    });
  },
  "search returns pages, the last changed first, and the total": async ({ store, clock }) => {
    for (let n = 0; n < 7; n++) {
      clock.now = 1_000 + Math.floor(n / 2); // two have changed at the same time
      await write(store, `s${n}`, [messages(1, 0, [say(n === 3 ? "odd" : "even")])]);
    }
    const seen: string[] = [];
    let page: SearchPage | undefined;
    do {
      page = await store.search!({
        text: "even",
        limit: 4,
        ...(page?.cursor !== undefined && { cursor: page.cursor }),
      });
      assert.equal(page.total, 6);
      seen.push(...page.sessions.map(({ sessionId }) => sessionId));
    } while (page.cursor !== undefined);
    assert.deepEqual(seen, ["s6", "s5", "s4", "s2", "s1", "s0"]);
    assert.deepEqual(await store.search!({ text: "nothing" }), { sessions: [], total: 0 });
    await assert.rejects(store.search!({ cursor: "no cursor" }), { code: "config/invalid" });
  },
  "search finds what was appended before it, by any process, and sums up a transcript that was rewritten":
    async ({ store, open, clock }) => {
      const usage = { inputTokens: 3, outputTokens: 1 };
      await write(store, "s", [messages(1, 0, [say("first", { usage })])]);
      assert.deepEqual(await idsOf(store, { text: "second" }), []);
      const other = await open();
      clock.now += 1;
      await write(other, "s", [messages(2, 1, [say("second", { usage })])], { title: "Fresh" }, 1);
      for (const text of ["second first", "fresh"])
        assert.deepEqual(await idsOf(store, { text }), ["s"], text);
      clock.now += 1;
      await write(store, "s", [messages(3, 1, [say("third", { usage })])], {}, 2);
      const [found] = (await other.search!({ text: "third" })).sessions;
      assert.deepEqual(found!.usage, { inputTokens: 6, outputTokens: 2 });
    },
  "search counts what is being indexed, and says what is not indexed in time": async ({ store }) => {
    for (let n = 0; n < 3; n++) await write(store, `s${n}`, [messages(1, 0, [say("hello")])]);
    const calls: string[] = [];
    const onProgress = (indexed: number, total: number): void => void calls.push(`${indexed}/${total}`);
    const { total } = await store.search!({ onProgress });
    assert.equal(total, 3);
    assert.deepEqual(calls, ["1/3", "2/3", "3/3"]);
    assert.equal((await store.search!({ waitMs: 60_000 })).unindexed, undefined);
  },
  "a deleted session is not found, and one with its id begins empty": async ({ store }) => {
    const usage = { inputTokens: 9, outputTokens: 9 };
    await write(store, "s", [messages(1, 0, [say("secret plan", { usage })])]);
    await write(store, "t", [messages(1, 0, [say("open plan")])]);
    assert.deepEqual([...(await idsOf(store, { text: "plan" }))].toSorted(), ["s", "t"]);
    await store.delete("s");
    assert.deepEqual(await idsOf(store, { text: "plan" }), ["t"]);
    await write(store, "s", [messages(1, 0, [say("another")])]);
    assert.deepEqual(await idsOf(store, { text: "secret" }), []);
    assert.deepEqual((await store.search!({ text: "another" })).sessions[0]!.usage, {});
  },
  "entries of other shapes, hostile ids and long texts do no harm to search": async ({ store }) => {
    const odd: readonly JournalEntry[] = [
      { seq: 1, at: 1, type: "messages", data: {} },
      { seq: 2, at: 1, type: "messages", data: { from: "x", messages: [7] } },
      {
        seq: 3,
        at: 1,
        type: "messages",
        data: { from: -4, messages: [null, { content: [null, { type: 1 }] }] },
      },
      { seq: 4, at: 1, type: "call", data: { set: { result: 5 } } },
      messages(5, 0, [say(`${"x".repeat(5_000)} 'quoted" \u0000 end* AND NOT`), say("word ".repeat(20_000))]),
    ];
    await write(store, "'; --\u0000\u{10ffff}", odd, { agent: "a\u0000b", meta: { "k'": "\u0000" } });
    for (const text of ["quoted", "end AND", '"end', "x".repeat(4_000), "'; --"])
      assert.equal((await store.search!({ text })).total, text === "'; --" ? 0 : 1, text.slice(0, 20));
    assert.equal((await store.search!({ agent: "a\u0000b", meta: { "k'": "\u0000" } })).total, 1);
  },
};

/** Tests of `search`. They ask nothing of a store that has none. */
export const searchTests: StoreContractTests = Object.fromEntries(
  Object.entries(tests).map(([title, body]): [string, StoreContractTests[string]] => [
    title,
    async (context) => {
      if (context.store.search) await body(context);
    },
  ]),
);
