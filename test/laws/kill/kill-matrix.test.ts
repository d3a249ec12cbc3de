// A process that is killed at each append, on each store.
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createAgent, toolResultsOf, type SessionStore, type ToolResultBlock } from "agentchart";
import { openSession, type JournalEntry } from "agentchart/session";
import { scriptedModel } from "agentchart/testing";
import { historyProblem } from "../../support/history.ts";
import { openStore, type StoreSpec } from "../../support/open-store.ts";
import { ROUNDS } from "../../support/planned.ts";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { deathsAt, each, isSoak, live, type Life, type Orders } from "./live.ts";

const folder = mkdtempSync(join(tmpdir(), "agentchart-kill-"));
const WORKER = join(import.meta.dirname, "worker.ts");

type Kept = {
  readonly calls: readonly { readonly result?: ToolResultBlock }[];
  readonly slots: { readonly finished?: { readonly value: readonly string[]; readonly revision: number } };
};

/** A result of `quick` and its note in the slot are stored together, at every position of the journal. */
async function checkSlot(store: SessionStore, sessionId: string): Promise<void> {
  const { seq = 0 } = (await store.load(sessionId)) ?? {};
  if (seq === 0) return; // it died before it wrote anything
  const { messages, context } = await (await openSession(store, sessionId)).at();
  const { calls, slots } = context as unknown as Kept;
  const results = [
    ...messages.flatMap(toolResultsOf),
    ...calls.flatMap(({ result }) => (result ? [result] : [])),
  ].filter(({ name, state }) => name === "quick" && state === "success");
  const noted = slots.finished?.value ?? [];
  expect(noted).toEqual(results.map(({ id }) => id));
  expect(slots.finished?.revision ?? 0).toBe(noted.length);
}

/** What must hold at the end, whatever died on the way. */
async function check(orders: Orders, answer: string): Promise<void> {
  const store = await openStore(orders.store);
  const agent = createAgent({ name: "bot", model: scriptedModel([]), store, sessionId: orders.sessionId });
  await expect
    .poll(() =>
      agent.open().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  const messages = await agent.messages();
  expect(historyProblem(messages)).toBeUndefined();
  await checkSlot(store, orders.sessionId);
  expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
  expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(ROUNDS + 1);
  expect(answer.match(/success/g)).toHaveLength(2 * ROUNDS + 2);

  const recorded = new Map<string, number>();
  const entries: JournalEntry[] = [];
  for await (const entry of (await openSession(store, orders.sessionId)).entries()) entries.push(entry);
  for (const { type, data, at } of entries) {
    const { id, set } = data as { id?: string; set?: { result?: unknown } };
    if (type === "call" && id && set?.result && !recorded.has(id)) recorded.set(id, at);
    const { messages: added = [] } = data as { messages?: { content?: { type: string; id?: string }[] }[] };
    for (const block of added.flatMap(({ content = [] }) => content)) {
      if (block.type === "tool_result" && !recorded.has(block.id!)) recorded.set(block.id!, at);
    }
  }
  const runs = existsSync(orders.ledger) ? readFileSync(orders.ledger, "utf8").trim().split("\n") : [];
  for (const line of runs) {
    const { callId, at } = JSON.parse(line) as { callId: string; at: number };
    expect(at, `${callId} ran again after its result was recorded`).toBeLessThanOrEqual(
      recorded.get(callId) ?? Infinity,
    );
  }
  await agent.close();
  await store.close();
}

let sessions = 0;
function ordersFor(store: StoreSpec): Orders {
  const sessionId = `s${++sessions}`;
  return { store, sessionId, ledger: join(folder, `${sessionId}.ledger`) };
}

async function finishWith(orders: Orders, first: Life): Promise<void> {
  let life = first;
  const store = await openStore(orders.store);
  for (let lives = 0; life.done === undefined; lives++) {
    await checkSlot(store, orders.sessionId);
    if (!life.wasKilled) throw new Error(`a life ended without an answer: ${life.errors}`);
    expect(lives).toBeLessThan(20);
    life = await live(WORKER, orders);
  }
  await store.close();
  await check(orders, life.done);
}

const server = await startPostgres();
afterAll(() => server?.stop());
const stores: { readonly name: string; readonly spec: StoreSpec; readonly random: number }[] = [
  { name: "files", spec: { kind: "file", dir: join(folder, "files") }, random: isSoak ? 1_000 : 10 },
  {
    name: "SQLite",
    spec: { kind: "sqlite", path: join(folder, "sessions.sqlite") },
    random: isSoak ? 300 : 6,
  },
];
if (server) {
  const { connectionString } = server;
  stores.push({ name: "Postgres", spec: { kind: "postgres", connectionString }, random: isSoak ? 200 : 6 });
} else test.skip(`kill -9 on Postgres (${NO_POSTGRES})`, () => {});

describe.each(stores)("kill -9 on $name", ({ spec, random }) => {
  test("at commit points loses nothing and repeats no recorded result", { timeout: 900_000 }, async () => {
    const whole = ordersFor(spec);
    const life = await live(WORKER, whole);
    expect(life.done, life.errors).toBeDefined();
    await check(whole, life.done!);
    await each(deathsAt(life.appends, 10), async (dieAt) => {
      const orders = ordersFor(spec);
      await finishWith(orders, await live(WORKER, { ...orders, dieAt }));
    });
  });

  test("at random instants loses nothing and repeats no recorded result", { timeout: 900_000 }, async () => {
    await each(
      Array.from({ length: Number(process.env["KILLS"] ?? random) }, (_, index) => index),
      async () => {
        const orders = ordersFor(spec);
        await finishWith(orders, await live(WORKER, orders, 150 + Math.random() * 250));
      },
    );
  });
});
