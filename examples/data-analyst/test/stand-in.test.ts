// Specifies what is answered without a model: a closed list of questions, with the figures that SQL by hand gives, and a refusal for everything else.
import { readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { converse, type Talk } from "./converse.ts";
import { csvFixture, sqlFixture } from "./fixture.ts";

const MONTH = "substr(order_date, 1, 7)";

/** The rows of the last query of a conversation. */
function rowsOf({ exchanges }: Talk): unknown[][] {
  const last = exchanges.findLast(({ tool }) => tool === "query_database")!;
  return (JSON.parse(last.text) as { rows: unknown[][] }).rows;
}

describe("a question of the list is answered with what SQL by hand gives", () => {
  test.each([
    ["count rows", "SELECT COUNT(*) FROM orders"],
    ["count rows of orders", "SELECT COUNT(*) FROM orders"],
    ["Count  Rows by city", "SELECT city, COUNT(*) FROM orders GROUP BY 1 ORDER BY 2 DESC, 1"],
    ["count rows by month of order_date", `SELECT ${MONTH}, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1`],
    ["count distinct customer", "SELECT COUNT(DISTINCT customer) FROM orders"],
    ["min of order_date", "SELECT MIN(order_date) FROM orders"],
    ["max of orders.amount", "SELECT MAX(amount) FROM orders"],
    ['sum of "quantity"', "SELECT SUM(quantity) FROM orders"],
    [
      "avg of unit_price by category",
      "SELECT category, ROUND(AVG(unit_price), 6) FROM orders GROUP BY 1 ORDER BY 2 DESC",
    ],
    [
      "sum of amount by month of order_date",
      `SELECT ${MONTH}, ROUND(SUM(amount), 6) FROM orders GROUP BY 1 ORDER BY 1`,
    ],
  ])("%s", async (question, sql) => {
    const { tools, all } = csvFixture();
    const talk = await converse(question, tools);
    expect(rowsOf(talk)).toEqual(all(sql).map((row) => Object.values(row)));
    for (const row of rowsOf(talk)) expect(talk.answer).toContain(String(row.at(-1)));
  });
});

describe("what is not on the list is refused in words, and no query is made", () => {
  test.each([
    ["What were the sales in Berlin?", /needs a model, and there is none: set OPENAI_API_KEY/],
    ["Who are you?", /- count rows \[of TABLE\]/],
    ["总金额", /needs a model/],
    ["sum of price", /There is no column price\. Columns: orders\.order_id, /],
    ["sum of city", /sum needs numbers; city is a column of kind text/],
    ["count rows of customers", /There is no table customers\. Tables: orders\./],
    ["count rows by month of city", /city is a column of kind text, not date/],
  ])("%s", async (question, answer) => {
    const talk = await converse(question, csvFixture().tools);
    expect(talk.answer).toMatch(answer);
    expect(talk.exchanges.map(({ tool }) => tool)).toEqual(["describe_database"]);
  });
});

describe("tables with keys", () => {
  const keyed = () =>
    sqlFixture((database: DatabaseSync) =>
      database.exec(`PRAGMA foreign_keys = OFF;
        CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE sale (id INTEGER PRIMARY KEY, town INTEGER REFERENCES town, paid REAL, "a ""b""" TEXT);
        INSERT INTO town VALUES (1, 'Oslo'), (2, 'Rome');
        INSERT INTO sale VALUES (1, 1, 1.5, 'x'), (2, 9, 2, 'y'), (3, NULL, NULL, 'y')`),
    );

  test("a name that two columns have, and a table that is not named, are refused with the choices", async () => {
    const { tools } = keyed();
    expect((await converse("max of id", tools)).answer).toBe(
      "More than one column has the name id: sale.id, town.id. Name one of these.",
    );
    expect((await converse("count rows", tools)).answer).toBe("There are 2 tables; name one: sale, town.");
    expect((await converse("max of town.id", tools)).answer).toContain("max of id: 2");
    expect((await converse("list columns of sale", tools)).answer).toBe(
      [
        "Columns of sale",
        "Table sale: 3 rows, key id",
        "- id: integer, 3 distinct, 0 missing, 1 to 3",
        "- town: integer, 2 distinct, 1 missing, 1 to 9",
        "- paid: real, 2 distinct, 1 missing, 1.5 to 2",
        '- a "b": text, 2 distinct, 0 missing, x to y',
      ].join("\n"),
    );
  });

  test("the profile counts what a declared key finds in the other table", async () => {
    const { answer } = await converse("profile", keyed().tools);
    expect(answer).toContain("joins of sale.town with town.id: rows 3, with a key 2, found in town 1");
  });
});

test("the profile is a closed page with every figure's SQL, and says no number that no tool said", async () => {
  const talk = await converse("profile", csvFixture().tools);
  expect([...new Set(talk.exchanges.map(({ tool }) => tool))]).toEqual([
    "describe_database",
    "query_database",
    "generate_chart",
    "create_report",
  ]);
  const html = readFileSync((JSON.parse(talk.exchanges.at(-1)!.text) as { path: string }).path, "utf8");
  expect(html).toContain("Content-Security-Policy\" content=\"default-src 'none'");
  expect(html).not.toMatch(/<script|<link|<img|<iframe|\ssrc=|\shref=|url\(|@import|\son[a-z]+=/i);
  const [charts, tables] = [html.match(/<svg/g) ?? [], html.match(/<table>/g) ?? []];
  expect(charts.length).toBeGreaterThanOrEqual(3);
  expect(html.match(/<pre>/g)).toHaveLength(charts.length + tables.length);
  expect(html.slice(html.indexOf("<footer>"))).toContain("synthetic");
  const known = new Set(
    talk.exchanges
      .map(({ text }) => text)
      .join("\n")
      .match(/\d+(?:\.\d+)?/g),
  );
  const numbers = talk.answer.match(/\d+(?:\.\d+)?/g) ?? [];
  expect(numbers.filter((number) => !known.has(number))).toEqual([]);
  expect(numbers.length).toBeGreaterThan(20);
});

test("a figure that failed is named in the answer, and is not asked for again", async () => {
  const fixture = csvFixture("town,paid\nOslo,1\nRome,2\n");
  const tools = fixture.tools.map((tool) =>
    tool.name === "query_database"
      ? { ...tool, execute: () => Promise.reject(new Error("the disk is gone")) }
      : tool,
  );
  const { answer, exchanges } = await converse("count rows by town", tools);
  expect(answer).toContain("rows of data by town: not found.");
  expect(answer).toContain("the disk is gone");
  expect(exchanges.filter(({ tool }) => tool === "query_database")).toHaveLength(1);
});
