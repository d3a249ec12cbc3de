import type { DatabaseSync } from "node:sqlite";
import fc from "../../../test/support/fast-check.ts";
import { expect, test, vi } from "vitest";
import { converse } from "./converse.ts";
import { sqlFixture } from "./fixture.ts";

vi.mock("../sql/ask-child.ts", () => import("./sql-in-process.ts"));

type Row = { readonly number: number | null; readonly group: string | null; readonly date: string };
type Metric = "total" | "average" | "count" | "minimum" | "maximum";

const NUMBER_NAMES = [
  "altitude",
  "Wing Span",
  "höhe",
  "重量",
  "total by",
  "select",
  "top",
  "it's",
  "price;--",
  "amount",
  "Group",
];
const GROUP_NAMES = [
  "planet",
  "Launch Site",
  "straße",
  "类型",
  "order",
  "where",
  "by",
  "a.b",
  "per month",
  "状态",
];
const TABLE_NAMES = ["flights", "Raw Data", "数据", "select", "drop table x"];
const VALUES = ["alpha", "Beta Two", "O'Brien", "x; DROP TABLE t--", "上海", "100%", "and", "<b>ü</b>"];
const ZH: Record<Metric, string> = {
  total: "总计",
  average: "平均",
  count: "个数",
  minimum: "最小值",
  maximum: "最大值",
};

const quoted = (name: string): string => `"${name}"`;

const scenario = fc.record({
  table: fc.constantFrom(...TABLE_NAMES),
  number: fc.constantFrom(...NUMBER_NAMES),
  group: fc.constantFrom(...GROUP_NAMES),
  cents: fc.boolean(),
  rows: fc.array(
    fc.record({
      number: fc.option(fc.integer({ min: -99_999, max: 99_999 }), { freq: 8 }),
      group: fc.option(fc.constantFrom(...VALUES), { freq: 8 }),
      date: fc
        .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 28 }))
        .map(([m, d]) => `2023-0${m}-${String(d).padStart(2, "0")}`),
    }),
    { minLength: 1, maxLength: 40 },
  ),
  metric: fc.constantFrom<Metric>("total", "average", "count", "minimum", "maximum"),
  split: fc.constantFrom("none", "group", "month"),
  filter: fc.option(fc.constantFrom(...VALUES)),
  month: fc.boolean(),
  language: fc.constantFrom("en", "zh"),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function questionOf({ number, group, metric, split, filter, month, language }: Scenario): string {
  const [what, by] = [quoted(number), quoted(group)];
  if (language === "zh") {
    const time = month ? "2023年2月" : "";
    const condition = filter === null ? "" : `，其中${by}=${quoted(filter)}`;
    const how = split === "group" ? `按${by}` : split === "month" ? "每月" : "";
    return `${time}${how}统计${what}的${ZH[metric]}${condition}`;
  }
  const time = month ? " in February 2023" : "";
  const condition = filter === null ? "" : ` where ${by} = ${quoted(filter)}`;
  const how = split === "group" ? ` by ${by}` : split === "month" ? " per month" : "";
  return `${metric} ${what}${how}${time}${condition}`;
}

/** Sums integers, so that nothing is lost to floating point. */
function compute(metric: Metric, rows: readonly Row[], divisor: number): number | null {
  const numbers = rows.flatMap(({ number }) => (number === null ? [] : [number]));
  if (metric === "count") return numbers.length;
  if (numbers.length === 0) return null;
  const sum = numbers.reduce((total, number) => total + number, 0);
  if (metric === "total") return sum / divisor;
  if (metric === "average") return sum / numbers.length / divisor;
  return (metric === "minimum" ? Math.min(...numbers) : Math.max(...numbers)) / divisor;
}

/** What is wrong with a figure of the answer; nothing if it is the expected one. */
function misfit(text: string | undefined, expected: number | null): string[] {
  const said = text === undefined || /none|无/.test(text) ? null : Number(/-?\d+(?:\.\d+)?/.exec(text)?.[0]);
  const isClose = said !== null && expected !== null && Math.abs(said - expected) <= 0.00501;
  return text !== undefined && (isClose || said === expected) ? [] : [`${text} is not ${expected}`];
}

/** What is wrong with the answer, compared with what the rows give when they are counted here. */
function misfits(answer: string, given: Scenario, all: readonly Row[]): string[] {
  const { metric, split, filter, month, language } = given;
  const divisor = given.cents ? 100 : 1;
  const [colon, none] = language === "zh" ? ["：", "（无）"] : [": ", "(none)"];
  const isChosen = (row: Row): boolean =>
    (!month || row.date.startsWith("2023-02")) && (filter === null || row.group === filter);
  const chosen = all.filter(isChosen);
  if (chosen.length === 0) {
    return /^(No rows match|没有符合条件的数据行)/.test(answer) ? [] : [`rows were found: ${answer}`];
  }
  const [, figures = "", lines = ""] = answer.split("\n\n");
  const keyOf = (row: Row): string => (split === "month" ? row.date.slice(0, 7) : (row.group ?? none));
  const keys = split === "none" ? [] : [...new Set(chosen.map(keyOf))];
  return [
    ...misfit(figures.split("\n")[0]?.replace(/^.*?[:：]\s*/, ""), compute(metric, chosen, divisor)),
    ...keys.flatMap((key) => {
      const start = `- ${key}${colon}`;
      const line = lines.split("\n").find((candidate) => candidate.startsWith(start));
      const members = chosen.filter((row) => keyOf(row) === key);
      return misfit(line?.slice(start.length).split(/, |、/)[0], compute(metric, members, divisor));
    }),
  ];
}

function fill(database: DatabaseSync, { table, number, group, cents }: Scenario, rows: readonly Row[]): void {
  const name = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const columns = `${name(number)} ${cents ? "REAL" : "INTEGER"}, ${name(group)} TEXT, made_on TEXT`;
  database.exec(`CREATE TABLE ${name(table)} (${columns})`);
  const insert = database.prepare(`INSERT INTO ${name(table)} VALUES (?, ?, ?)`);
  const value = (whole: number | null): number | null => (whole === null ? null : whole / (cents ? 100 : 1));
  for (const row of rows) insert.run(value(row.number), row.group, row.date);
}

const MINUTES = { timeout: 120_000 };

test("on random schemas and data the answer equals an independent computation", MINUTES, async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      // Values decide what a column is, so it needs one.
      const rows: Row[] = [{ number: 100, group: "alpha", date: "2023-01-01" }, ...given.rows];
      const { tools } = sqlFixture((database) => fill(database, given, rows));
      const { answer } = await converse(questionOf(given), tools);
      expect(misfits(answer, given, rows)).toEqual([]);
    }),
    { numRuns: 30, seed: 20240101 },
  );
});

test("over foreign keys the answer equals an independent computation", { timeout: 120_000 }, async () => {
  const shops = fc.array(
    fc.record({
      name: fc.constantFrom("North", "South", "Mill Lane"),
      country: fc.constantFrom("Chile", "Peru", "Fiji"),
    }),
    { minLength: 2, maxLength: 6 },
  );
  const sales = fc.array(fc.tuple(fc.nat({ max: 5 }), fc.integer({ min: 1, max: 10_000 })), {
    minLength: 3,
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(shops, sales, async (places, sold) => {
      const { tools } = sqlFixture((database: DatabaseSync) => {
        database.exec(`CREATE TABLE shops (shop_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
          CREATE TABLE receipts (receipt_id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shops, paid INTEGER)`);
        const addShop = database.prepare("INSERT INTO shops (name, country) VALUES (?, ?)");
        const addSale = database.prepare("INSERT INTO receipts (shop_id, paid) VALUES (?, ?)");
        for (const place of places) addShop.run(place.name, place.country);
        for (const [shop, paid] of sold) addSale.run((shop % places.length) + 1, paid);
      });
      const { answer } = await converse("total paid by country", tools);
      const totals = new Map<string, number>();
      for (const [shop, paid] of sold) {
        const { country } = places[shop % places.length]!;
        totals.set(country, (totals.get(country) ?? 0) + paid);
      }
      for (const [country, total] of totals) expect(answer).toContain(`- ${country}: total paid ${total},`);
      expect(answer.match(/^- /gm)).toHaveLength(totals.size);
    }),
    { numRuns: 8, seed: 7 },
  );
});
