import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { runQuery, SQL_LIMITS } from "../sql/ask-child.ts";
import { checkStatement } from "../sql/check-statement.ts";
import { converse } from "./converse.ts";
import { sqlFixture, type Fixture } from "./fixture.ts";

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

  test("is stopped after five seconds by default", () => {
    expect(SQL_LIMITS).toMatchObject({ timeoutMs: 5_000, maxRows: 50_000 });
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
    expect((await runQuery(path, rows(50_000))).rows).toHaveLength(50_000);
    await expect(runQuery(path, rows(50_001))).rejects.toThrow("more than 50000 rows");
  });

  test("of too many bytes is an error that says so", async () => {
    const { path } = people();
    const limits = { ...SQL_LIMITS, maxBytes: 1_000 };
    await expect(runQuery(path, "SELECT hex(zeroblob(900)) FROM people", { limits })).rejects.toThrow(
      "larger than 1000 bytes",
    );
    await expect(runQuery(path, "SELECT zeroblob(900000000)")).rejects.toThrow("too big");
  });

  test("keeps large integers exact, names blobs by size and gives every column its own name", async () => {
    const { path } = people();
    const result = await runQuery(
      path,
      "SELECT 9007199254740993 AS n, x'00ff' AS b, 9e999 AS i, NULL AS e, 1 AS n",
    );
    expect(result).toEqual({
      columns: ["n", "b", "i", "e", "n_2"],
      rows: [["9007199254740993", "[blob of 2 bytes]", "Infinity", null, 1]],
    });
  });
});

describe("what is refused before SQLite sees it", () => {
  test.each([
    ["SELECT 1; DROP TABLE people", /Only one statement/],
    ["SELECT 1;;SELECT 2", /Only one statement/],
    ["SELECT ';' ; --\n DELETE FROM people", /Only one statement/],
    ["DELETE FROM people", /DELETE is neither/],
    ["ATTACH 'x' AS y", /ATTACH is neither/],
    ["PRAGMA query_only = OFF", /PRAGMA is neither/],
    ["VACUUM INTO 'x'", /VACUUM is neither/],
    ["EXPLAIN DELETE FROM people", /EXPLAIN is neither/],
    ["WITH a AS (SELECT 1) DELETE FROM people", /leads to DELETE/],
    ["WITH a AS (SELECT 1) INSERT INTO people SELECT 1, 2", /leads to INSERT/],
    ["/* SELECT */ DROP TABLE people", /DROP is neither/],
    ["", /empty/],
    ["-- nothing", /empty/],
    ["SELECT 1\0; DROP TABLE people", /NUL/],
  ])("%j", (sql, problem) => {
    expect(checkStatement(sql)).toMatch(problem);
  });

  test.each([
    "SELECT 1",
    " select ';--' as \"a;b\" -- ; DROP\n;",
    "SELECT [a;b], `c;d`, 'it''s; fine' FROM t /* ; */ ; ",
    'WITH deleted AS (SELECT 1 AS "delete") SELECT "delete" FROM deleted',
    "WITH a AS (SELECT replace('x', 'y', 'z')) SELECT * FROM a",
    "/* why */ -- how\nWITH RECURSIVE a AS (SELECT 1) SELECT * FROM a",
  ])("not %j", (sql) => {
    expect(checkStatement(sql)).toBeNull();
  });
});

describe("what gets past the check is refused by the connection", () => {
  test.each([
    ["SELECT load_extension('x')", /not authorized|no such function/],
    ["SELECT * FROM pragma_table_info('people')", /not authorized|prohibited/],
    ["SELECT writefile('x', 'y')", /no such function/],
    ["SELECT readfile('/etc/passwd')", /no such function/],
    ["WITH a AS (SELECT 1) SELECT fts3_tokenizer('x')", /not authorized|no such function/],
  ])("%s", async (sql, problem) => {
    await expect(runQuery(people().path, sql)).rejects.toThrow(problem);
  });

  test("leaves the file as it is", async () => {
    const { path, tools, all } = people();
    for (const question of [
      'total age where name = "x\'; DROP TABLE people; --"',
      'total age by "name; DROP TABLE people"',
      "total age in x'); DELETE FROM people; --",
    ]) {
      await converse(question, tools);
    }
    expect(all("SELECT COUNT(*) AS n FROM people")).toEqual([{ n: 2 }]);
    const { rows } = await runQuery(
      path,
      "SELECT name FROM people WHERE name = 'x''; DROP TABLE people; --'",
    );
    expect(rows).toEqual([]);
  });

  test("is also refused within a view", async () => {
    const { path } = sqlFixture((database: DatabaseSync) =>
      database.exec(
        "CREATE TABLE t (a); CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT SUM(i) AS s FROM n",
      ),
    );
    const limits = { ...SQL_LIMITS, timeoutMs: 400 };
    await expect(runQuery(path, "SELECT s FROM endless", { limits })).rejects.toThrow("stopped after 0.4 s");
  });
});
