// Specifies the process that runs SQL: it only reads, one statement at a time, within bounds, and can be stopped.
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { runQuery, SQL_LIMITS } from "../sql/ask-child.ts";
import { sqlFixture, type Fixture } from "./fixture.ts";

/** Reads on a machine however busy. */
const read = (path: string, sql: string, limits: Partial<typeof SQL_LIMITS> = {}) =>
  runQuery(path, sql, { limits: { ...SQL_LIMITS, timeoutMs: 600_000, ...limits } });
const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";

function people(): Fixture {
  return sqlFixture((database: DatabaseSync) =>
    database.exec(
      "CREATE TABLE people (name TEXT, age INTEGER); INSERT INTO people VALUES ('Ann', 40), ('Bo', 30)",
    ),
  );
}

describe("a statement that does not end", () => {
  test("is stopped at the limit while timers of this process go on", async () => {
    const { path } = people();
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 10);
    const limits = { ...SQL_LIMITS, timeoutMs: 400 };
    await expect(runQuery(path, ENDLESS, { limits })).rejects.toThrow("The query was stopped after 0.4 s");
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(1);
  });

  test("is stopped when the call is aborted", async () => {
    const { path } = people();
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 150);
    await expect(runQuery(path, ENDLESS, { signal: controller.signal })).rejects.toThrow("interrupted");
    await expect(runQuery(path, "SELECT 1", { signal: controller.signal })).rejects.toThrow("aborted");
  });
});

describe("a result", () => {
  test("of too many rows is an error that says so", async () => {
    const { path } = people();
    const rows = (count: number) =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n`;
    expect((await read(path, rows(50_000))).rows).toHaveLength(50_000);
    await expect(read(path, rows(50_001))).rejects.toThrow("more than 50000 rows");
  });

  test("of too many bytes is an error that says so", async () => {
    const { path } = people();
    const large = read(path, "SELECT hex(zeroblob(900)) FROM people", { maxBytes: 1_000 });
    await expect(large).rejects.toThrow("larger than 1000 bytes");
    await expect(read(path, "SELECT zeroblob(900000000)")).rejects.toThrow("too big");
  });

  test("keeps large integers exact, names blobs by size and gives every column its own name", async () => {
    const { path } = people();
    const sql = "SELECT 9007199254740993 AS n, x'00ff' AS b, 9e999 AS i, NULL AS e, 1 AS n";
    expect(await read(path, sql)).toEqual({
      columns: ["n", "b", "i", "e", "n_2"],
      rows: [["9007199254740993", "[blob of 2 bytes]", "Infinity", null, 1]],
    });
  });
});

const READS_ONLY = /Only SELECT and WITH … SELECT are allowed/;

describe("what does more than read is refused", () => {
  test.each([
    ["SELECT 1; DROP TABLE people", /Only one statement/],
    ["SELECT ';' ; --\n DELETE FROM people", /Only one statement/],
    ["DELETE FROM people", READS_ONLY],
    ["ATTACH 'x' AS y", READS_ONLY],
    ["PRAGMA query_only = OFF", READS_ONLY],
    ["VACUUM INTO 'x'", READS_ONLY],
    ["WITH a AS (SELECT 1) INSERT INTO people SELECT 1, 2", READS_ONLY],
    ["/* SELECT */ DROP TABLE people", READS_ONLY],
    ["", /empty/],
    ["-- nothing", /empty/],
    ["SELECT 1\0; DROP TABLE people", /NUL/],
    ["SELECT load_extension('x')", /Only SELECT|no such function/],
    ["SELECT * FROM pragma_table_info('people')", /Only SELECT|prohibited/],
    ["SELECT writefile('x', 'y')", /no such function/],
    ["SELECT readfile('/etc/passwd')", /no such function/],
  ])("%j", async (sql, problem) => {
    const { path, all } = people();
    await expect(read(path, sql)).rejects.toThrow(problem);
    expect(all("SELECT COUNT(*) AS n FROM people")).toEqual([{ n: 2 }]);
  });

  test("comments, quotes and a last semicolon are not a second statement", async () => {
    const sql = ` select ';--' as "a;b", 'it''s; fine' AS c FROM people /* ; */ ; -- ; DROP\n;`;
    expect((await read(people().path, sql)).columns).toEqual(["a;b", "c"]);
  });
});
