// An append is one row of entries, however a reader asks for them.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { SessionStore } from "agentchart";
import type { JournalEntry } from "agentchart/session";
import { hashOf } from "../../src/store/checksum.ts";
import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { acquireLease, collectAll } from "../../src/testing/store-contract-kit.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { scratch } from "./scratch.ts";

const server = await startPostgres();
afterAll(() => server?.stop());

type Row = { readonly seq: unknown; readonly entry: string };
type Opened = {
  readonly store: SessionStore;
  readonly query: (sql: string) => Promise<readonly Row[]>;
};

const STORES: readonly (readonly [name: string, isHere: boolean, open: () => Promise<Opened>])[] = [
  [
    "SQLite",
    true,
    async () => {
      const { dir, remove } = scratch();
      const path = join(dir, "s.db");
      const store = sqliteStore({ path });
      await store.list();
      const db = new DatabaseSync(path);
      onTestFinished(async () => {
        db.close();
        await store.close();
        remove();
      });
      return { store, query: async (sql) => db.prepare(sql).all() as unknown as readonly Row[] };
    },
  ],
  [
    "Postgres",
    server !== undefined,
    async () => {
      const pool = new pg.Pool({
        connectionString: server!.connectionString,
        options: "-c search_path=rows",
      });
      const store = postgresStore({ connectionString: server!.connectionString, schema: "rows" });
      await store.list();
      onTestFinished(async () => {
        await store.close();
        await pool.query("DROP SCHEMA rows CASCADE");
        await pool.end();
      });
      return { store, query: async (sql) => (await pool.query<Row>(sql)).rows };
    },
  ],
];

/** Appends: the times of their entries, and the length of the text of each. */
const APPENDS: readonly {
  readonly times: readonly number[];
  readonly length: number;
  readonly rows: number;
}[] = [
  { times: [5], length: 1, rows: 1 },
  { times: [7, 7, 7], length: 1, rows: 1 },
  { times: [8, 9, 9, 8, 8], length: 1, rows: 1 },
  { times: [], length: 0, rows: 0 },
  { times: [10, 10, 10, 11], length: 5_000, rows: 2 },
  { times: [12, 12], length: 20_000, rows: 2 },
];

async function filled(store: SessionStore): Promise<readonly JournalEntry[]> {
  const lease = await acquireLease(store, "s");
  const all: JournalEntry[] = [];
  for (const { times, length } of APPENDS) {
    const entries = times.map((at, index) => ({
      seq: all.length + index + 1,
      at,
      type: index === 0 ? "session" : "fact",
      data: { text: "é".repeat(length), more: [index] },
    }));
    await store.append("s", {
      expectedSeq: all.length,
      fence: lease.fence,
      entries,
      position: { phase: "running" },
    });
    all.push(...entries);
  }
  return all;
}

describe.each(STORES)("on %s", (name, isHere, open) => {
  const why = isHere ? "" : ` (${NO_POSTGRES})`;

  test.skipIf(!isHere)(`every part of a journal is read as it was written${why}`, async () => {
    const { store, query } = await open();
    const all = await filled(store);
    const rows = await query("SELECT seq, entry FROM entries ORDER BY seq");
    expect(rows).toHaveLength(APPENDS.reduce((sum, { rows: count }) => sum + count, 0));
    for (let after = 0; after <= all.length; after++)
      for (const limit of [0, 1, 2, 5, Number.POSITIVE_INFINITY])
        expect([after, limit, await collectAll(store.read("s", { after, limit }))]).toEqual([
          after,
          limit,
          all.slice(after, after + limit),
        ]);
  });

  test.skipIf(!isHere)(
    `rows of earlier releases, with an entry each, are read beside them${why}`,
    async () => {
      const { store, query } = await open();
      const lease = await acquireLease(store, "s");
      const entryOf = (seq: number): JournalEntry => ({ seq, at: 3, type: "fact", data: { seq } });
      const append = (from: number, to: number) => {
        const entries = Array.from({ length: to - from }, (_, index) => entryOf(from + index + 1));
        return store.append("s", {
          expectedSeq: from,
          fence: lease.fence,
          entries,
          position: { phase: "running" },
        });
      };
      await append(0, 1);
      const hash = hashOf(JSON.stringify(entryOf(1)), "entry", "s", 1); // as they have always had it
      expect(await query(`SELECT seq, entry FROM entries WHERE checksum = ${hash}`)).toHaveLength(1);
      await append(1, 4);
      await append(4, 5);
      expect((await collectAll(store.read("s"))).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
      expect(await collectAll(store.read("s", { after: 2, limit: 2 }))).toEqual([entryOf(3), entryOf(4)]);
    },
  );

  test.skipIf(!isHere)(
    `a release that does not know such rows reads the first entry of a row${why}`,
    async () => {
      const { store, query } = await open();
      await filled(store);
      const rows = await query("SELECT seq, entry FROM entries ORDER BY seq");
      let next = 1;
      for (const { seq, entry } of rows) {
        const { seq: first } = (typeof entry === "string" ? JSON.parse(entry) : entry) as JournalEntry;
        expect(first).toBe(next);
        next = Number(seq) + 1;
      }
    },
  );

  test.skipIf(!isHere)(`what is wrong in a row is refused${why}`, async () => {
    const { store, query } = await open();
    await filled(store);
    for (const [from, to] of [
      ['"more":[', '"mure":['],
      ['"more":[', '"more":[{"type":"fact","data":{}},'],
      ['"more":', '"more":null,"others":'],
      ['"more":', '"more":5,"others":'],
    ] as const) {
      const damage = (before: string, after: string) =>
        query(
          `UPDATE entries SET entry = ${name === "Postgres" ? "CAST(replace(CAST(entry AS text)" : "(replace(entry"}, '${before}', '${after}')${name === "Postgres" ? " AS json" : ""}) WHERE seq = 4`,
        );
      await damage(from, to);
      await expect(collectAll(store.read("s"))).rejects.toMatchObject({ code: "session/damaged" });
      expect(await collectAll(store.read("s", { limit: 1 }))).toHaveLength(1);
      await damage(to, from);
    }
    expect(await collectAll(store.read("s", { limit: 5 }))).toHaveLength(5);
  });
});
