// A journal is read in runs through all that stands before a store, and each run holds what `read` yields, in its order.
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { AgentError, type SessionStore } from "agentchart";
import { withDeadlines } from "../../src/store/deadlines.ts";
import { EntryRuns, runsOf } from "../../src/store/entry-runs.ts";
import { partitionedStore } from "../../src/store/partitioned.ts";
import { retryingStore } from "../../src/store/retrying.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { acquireLease, collectAll } from "../../src/testing/store-contract-kit.ts";
import { scratch } from "./scratch.ts";

/** More than two pages of rows. */
const [BATCHES, EACH] = [230, 3];
const COUNT = BATCHES * EACH;

/** A store with one long session, and its file. */
async function long(): Promise<{ readonly store: SessionStore; readonly path: string }> {
  const { dir, remove } = scratch();
  const path = join(dir, "s.db");
  const store = sqliteStore({ path });
  onTestFinished(async () => {
    await store.close();
    remove();
  });
  const { fence } = await acquireLease(store, "s");
  for (let batch = 0; batch < BATCHES; batch++) {
    const expectedSeq = batch * EACH;
    const entries = Array.from({ length: EACH }, (_, n) => ({
      seq: expectedSeq + n + 1,
      at: batch,
      type: "note",
      data: { n },
    }));
    await store.append("s", { expectedSeq, fence, entries, position: {} });
  }
  return { store, path };
}

async function runs(store: SessionStore, range?: Parameters<SessionStore["read"]>[1]): Promise<number[][]> {
  const found: number[][] = [];
  for await (const run of runsOf(store.read("s", range))) found.push(run.map(({ seq }) => seq));
  return found;
}

const passing = () => new AgentError("store/failed", "The connection was lost.", { isRetryable: true });

/** Fails behind each run that holds more than the entry with which a reader begins again. */
const losing = (store: SessionStore): SessionStore => ({
  ...store,
  read: (...args) =>
    new EntryRuns(
      (async function* () {
        for await (const run of runsOf(store.read(...args))) {
          yield run;
          if (run.length > 1) throw passing();
        }
      })(),
    ),
});

const WAYS: readonly (readonly [name: string, of: (store: SessionStore) => SessionStore])[] = [
  ["the store itself", (store) => store],
  ["its deadlines", (store) => withDeadlines(store, { maxMs: 60_000 })],
  ["repetitions", (store) => retryingStore(store, { timeoutMs: 60_000 })],
  ["repetitions, one behind each run", (store) => retryingStore(losing(store), { timeoutMs: 60_000 })],
  ["partitions", (store) => partitionedStore([{ store, upTo: 0xff_ff_ff_ff }])],
  [
    "all of them",
    (store) =>
      withDeadlines(
        partitionedStore([
          { store: retryingStore(losing(store), { timeoutMs: 60_000 }), upTo: 0xff_ff_ff_ff },
        ]),
        { maxMs: 60_000 },
      ),
  ],
];

describe.each(WAYS)("%s", (_, of) => {
  test("reads the journal in few runs, which hold what is read one by one", async () => {
    const store = of((await long()).store);
    const all = Array.from({ length: COUNT }, (_, at) => at + 1);
    for (const [after, limit] of [
      [0, undefined],
      [1, undefined],
      [COUNT - 1, undefined],
      [COUNT, undefined],
      [0, 0],
      [0, 1],
      [298, 5],
      [299, 302],
      [300, 300],
    ] as const) {
      const range = { after, ...(limit !== undefined && { limit }) };
      const expected = all.slice(after, after + (limit ?? COUNT));
      const found = await runs(store, range);
      expect(found.flat()).toEqual(expected);
      expect(found.every((run) => run.length > 0)).toBe(true);
      expect(found.length).toBeLessThanOrEqual(Math.ceil(expected.length / 100) + 1);
      expect((await collectAll(store.read("s", range))).map(({ seq }) => seq)).toEqual(expected);
    }
  });
});

test("what stands before a damaged entry is read before the damage is told", async () => {
  const { store, path } = await long();
  const db = new DatabaseSync(path);
  db.exec("UPDATE entries SET entry = replace(entry, '\"note\"', '\"nope\"') WHERE seq = 450");
  db.close();
  for (const [, of] of WAYS) {
    const found: number[] = [];
    const reading = (async () => {
      for await (const run of runsOf(of(store).read("s"))) found.push(...run.map(({ seq }) => seq));
    })();
    await expect(reading).rejects.toMatchObject({ code: "session/damaged" });
    expect(found).toEqual(Array.from({ length: 447 }, (_, at) => at + 1));
  }
});

test("a store that is made of another one is read by its own `read`", async () => {
  const { store } = await long();
  const own: SessionStore = {
    ...store,
    async *read(...args) {
      for await (const entry of store.read(...args)) if (entry.seq % 100 === 0) yield entry;
    },
  };
  expect(await runs(withDeadlines(own))).toEqual([[100], [200], [300], [400], [500], [600]]);
});
