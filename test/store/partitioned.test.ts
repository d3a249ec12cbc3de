// The contract of stores, on stores over several ones, and what they do while one is away.
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { Lease, SessionStore } from "../../src/store/port.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { partitionedStore, partitionHash } from "../../src/store/partitioned.ts";
import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { storeContract } from "../../src/testing/store-contract.ts";
import { rulesOfStore, withRules } from "../../src/core/tool/rules/store-rules.ts";
import { keepLease } from "../../src/store/leases.ts";
import { never } from "../../src/kit/rules/index.ts";
import { AgentError } from "../../src/core/base/error.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { scratch } from "./scratch.ts";

const [HALF, ALL] = [0x7f_ff_ff_ff, 0xff_ff_ff_ff];
type Clock = { readonly now: () => number };

storeContract(
  "partitions in memory",
  () => {
    let shared: SessionStore | undefined;
    const open = (options: Clock) => {
      const [a, b, c] = [memoryStore(options), memoryStore(options), memoryStore(options)];
      return partitionedStore(
        [
          { store: a, upTo: 0x55_55_55_55 },
          { store: b, upTo: 0xaa_aa_aa_aa },
          { store: c, upTo: ALL },
        ],
        options,
      );
    };
    return { open: (options) => (shared ??= open(options)) };
  },
  { describe, test, outlivesClose: false },
);

/** Says in the former store that a move has begun. */
async function begin(former: SessionStore): Promise<void> {
  const recordId = "agentchart/partitions/80000000-ffffffff";
  const lease = await former.acquire(recordId, { owner: "a mover", ttlMs: 1_000 });
  const position = { phase: "stopped", state: "moving", begunAt: 0, copies: [] };
  await former.append(recordId, { expectedSeq: 0, fence: lease!.fence, entries: [], position });
}

const moving = () => {
  const { dir, remove } = scratch();
  return {
    async open(options: Clock) {
      const [a, b] = ["a", "b"].map((name) =>
        sqliteStore({ ...options, path: join(dir, `${name}.db`), watchEveryMs: 5 }),
      );
      await begin(a!);
      const both = partitionedStore(
        [
          { store: a!, upTo: HALF },
          { store: b!, upTo: ALL, movesFrom: a! },
        ],
        options,
      );
      // Without the search: its progress counts marks, too.
      const { search: _, ...others } = both;
      return others;
    },
    dispose: remove,
  };
};

storeContract("partitions in SQLite that move", moving, { describe, test });

const server = await startPostgres();
afterAll(() => server?.stop());
if (!server) test.skip(`partitions in Postgres (${NO_POSTGRES})`, () => {});
else {
  let count = 0;
  storeContract(
    "partitions in Postgres",
    () => {
      const name = `p${++count}_`;
      const open = (options: Clock) => {
        const [a, b] = ["a", "b"].map((each) =>
          postgresStore({ ...options, connectionString: server.connectionString, schema: `${name}${each}` }),
        );
        return partitionedStore(
          [
            { store: a!, upTo: HALF },
            { store: b!, upTo: ALL },
          ],
          options,
        );
      };
      return { open };
    },
    { describe, test },
  );
}

test("a session belongs to the first 32 bits of the SHA-256 of its id", () => {
  expect(partitionHash("customer-42")).toBe(0xa0_45_eb_33);
  expect(partitionHash("çé")).toBe(0xaa_4e_ca_b9);
});

const store = memoryStore();
test.each([
  ["no partition", [], "one partition at least"],
  ["a gap at the end", [{ store, upTo: 7 }], "0xffffffff"],
  [
    "ranges that do not ascend",
    [
      { store, upTo: 9 },
      { store: memoryStore(), upTo: 9 },
    ],
    "above",
  ],
  [
    "a store with two ranges",
    [
      { store, upTo: 9 },
      { store, upTo: ALL },
    ],
    "a store of its own",
  ],
  ["a move from itself", [{ store, upTo: ALL, movesFrom: store }], "another store"],
  ["a misspelt option", [{ store, upto: ALL }], "upTo"],
])("%s is refused", (_, partitions, expected) => {
  expect(() => partitionedStore(partitions as never)).toThrow(
    expect.objectContaining({ code: "config/invalid", message: expect.stringContaining(expected) }),
  );
});

test("the rules of all partitions hold", () => {
  const [a, b] = [never("send_mail").after("read_secret"), never("pay").after("read_mail")];
  const partitioned = partitionedStore([
    { store: withRules(memoryStore(), [a]), upTo: HALF },
    { store: withRules(memoryStore(), [b]), upTo: ALL },
  ]);
  expect(rulesOfStore(partitioned)).toMatchObject([a, b].map((rule) => ({ ...rule, optional: true })));
});

test("what is not an id is refused by a rejection, whatever is asked", async () => {
  const half = (): SessionStore => ({
    ...sqliteStore({ path: ":memory:" }),
    offerInput: async () => undefined,
  });
  const both = partitionedStore([
    { store: half(), upTo: HALF },
    { store: half(), upTo: ALL },
  ]);
  const lease = { sessionId: "", owner: "w", fence: 1, expiresAt: 0, takeovers: 0 };
  const input = { id: "1", data: {} };
  const asked: readonly (() => Promise<unknown>)[] = [
    () => both.acquire("", { owner: "w", ttlMs: 1 }),
    () => both.renew(lease, 1),
    () => both.renewAll!([lease], 1),
    () => both.release(lease),
    () => both.holder!(""),
    () => both.append("", { expectedSeq: 0, fence: 1, entries: [], position: {} }),
    () => both.load(""),
    () => both.putInput("", input),
    () => both.offerInput!("", input, { isKnown: false }),
    () => both.takeInputs("", 1),
    () => both.peek!("", 1),
    () => both.delete(""),
  ];
  for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: "config/invalid" });
  await both.close();
});

test("a damaged session that somebody has is not acquired, as in one store", async () => {
  const damaged = new AgentError("session/damaged", "Its state is not what was written.");
  const half = (): SessionStore => ({ ...memoryStore(), load: () => Promise.reject(damaged) });
  const both = partitionedStore([
    { store: half(), upTo: HALF },
    { store: half(), upTo: ALL },
  ]);
  expect(await both.acquire("s", { owner: "a", ttlMs: 60_000 })).toBeDefined();
  expect(await both.acquire("s", { owner: "b", ttlMs: 60_000 })).toBeUndefined();
});

describe("while a store is away", () => {
  const failure = new AgentError("store/failed", "Nobody answers.", { isRetryable: true });

  /** Two partitions with a session each, of which this process has the lease; the second one can be taken away. */
  async function twoStores() {
    const [a, b] = [sqliteStore({ path: ":memory:" }), sqliteStore({ path: ":memory:" })];
    let isAway = false;
    const fragile = new Proxy(b, {
      get: (target, name: keyof SessionStore) =>
        isAway && typeof target[name] === "function" ? () => Promise.reject(failure) : target[name],
    });
    const ids = Array.from({ length: 20 }, (_, n) => `s${n}`);
    const [here, gone] = [
      ids.find((id) => partitionHash(id) <= HALF)!,
      ids.find((id) => partitionHash(id) > HALF)!,
    ];
    const missing: number[] = [];
    const both = partitionedStore(
      [
        { store: a, upTo: HALF },
        { store: fragile, upTo: ALL },
      ],
      {
        onAway: (index) => {
          missing.push(index);
          throw new Error("The log is full."); // no reason not to list
        },
      },
    );
    const leases: Lease[] = [];
    for (const id of [here, gone]) {
      const lease = (await both.acquire(id, { owner: "w", ttlMs: 60_000 }))!;
      leases.push(lease);
      await both.append(id, {
        expectedSeq: 0,
        fence: lease.fence,
        entries: [],
        position: { phase: "running" },
      });
    }
    onTestFinished(() => Promise.all([a.close(), b.close()]).then(() => {}));
    return { both, here, gone, leases, missing, takeAway: () => void (isAway = true) };
  }

  test("sessions of the others are loaded and due, and lists name what is missing", async () => {
    const { both, here, gone, leases, missing, takeAway } = await twoStores();
    takeAway();
    await expect(both.load(gone)).rejects.toThrow("Nobody answers.");
    expect(await both.load(here)).toMatchObject({ seq: 0 });
    const expected = { code: "store/failed", isRetryable: true, data: { partitions: [1] } };
    await expect(both.list()).rejects.toMatchObject(expected);
    await expect(both.search!()).rejects.toMatchObject(expected);
    await both.release(leases[0]!);
    expect(await both.listDue({ before: Date.now() })).toEqual({ sessionIds: [here] });
    expect(missing).toEqual([1]);
  });

  test("the leases of the others are renewed", async () => {
    const { both, leases, takeAway } = await twoStores();
    expect(await both.renewAll!(leases, 60_000)).toHaveLength(2);
    takeAway();
    await expect(both.renewAll!(leases, 60_000)).rejects.toMatchObject({ data: { partitions: [1] } });
    const outcomes = leases.map(() => Promise.withResolvers<string>());
    const kept = leases.map((lease, index) => ({
      lease,
      renewedBy: (renewal: Promise<Lease>) =>
        renewal.then(
          ({ sessionId }) => outcomes[index]!.resolve(sessionId),
          (error: AgentError) => outcomes[index]!.resolve(error.code),
        ),
    }));
    const keepers = kept.map((each) => keepLease(both, 90, each));
    const [first, second] = await Promise.all(outcomes.map(({ promise }) => promise));
    for (const [index, keeper] of keepers.entries()) keeper.remove(kept[index]!);
    expect([first, second]).toEqual([leases[0]!.sessionId, "store/failed"]);
  });
});
