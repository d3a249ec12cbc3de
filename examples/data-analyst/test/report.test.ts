import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DEFAULT_QUESTIONS } from "../demo/options.ts";
import { converse, type Talk } from "./converse.ts";
import { csvFixture, type Fixture } from "./fixture.ts";

function reportOf({ exchanges }: Talk): string {
  const made = exchanges.find(({ tool }) => tool === "create_report")!;
  return readFileSync((JSON.parse(made.text) as { path: string }).path, "utf8");
}

/** The tables of a page, row by row, with their numbers as a reader sees them. */
function tablesOf(html: string): string[][][] {
  return [...html.matchAll(/<table>.*?<\/table>/gs)].map(([table]) =>
    [...table.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell!.replaceAll(",", "")),
    ),
  );
}

/** What the question asks for, computed in another way than the planner does: with BETWEEN and without grouping. */
function expectedFigures({ all }: Fixture) {
  const figures = (from: string, to: string) => {
    const amounts = all(`SELECT amount FROM orders WHERE order_date BETWEEN '${from}' AND '${to}'`).map(
      ({ amount }) => Math.round(Number(amount) * 100),
    );
    const cents = amounts.reduce((sum, amount) => sum + amount, 0);
    return { orders: amounts.length, total: cents / 100, average: Math.round(cents / amounts.length) / 100 };
  };
  return {
    quarter: figures("2024-01-01", "2024-03-31"),
    months: [
      { month: "2024-01", ...figures("2024-01-01", "2024-01-31") },
      { month: "2024-02", ...figures("2024-02-01", "2024-02-29") },
      { month: "2024-03", ...figures("2024-03-01", "2024-03-31") },
    ],
  };
}

describe.each(["en", "zh"] as const)("the production task in %s", (language) => {
  test("reports totals, averages and monthly values that independent SQL confirms", async () => {
    const fixture = csvFixture();
    const talk = await converse(DEFAULT_QUESTIONS[language], fixture.tools);
    const { quarter, months } = expectedFigures(fixture);
    const html = reportOf(talk);
    const tables = tablesOf(html);
    expect(tables.at(-1)![1]!.map(Number)).toEqual([quarter.orders, quarter.total, quarter.average]);
    expect(
      tables[0]!
        .slice(1)
        .map(([month, total, average]) => ({ month, total: Number(total), average: Number(average) })),
    ).toEqual(months.map(({ month, total, average }) => ({ month, total, average })));
    for (const text of [html, talk.answer]) {
      expect(text).toContain(String(quarter.total));
      expect(text).toContain(String(quarter.average));
      for (const { total } of months) expect(text.replaceAll(",", "")).toContain(String(total));
    }
  });

  test("goes from the schema over queries, statistics and charts to a report", async () => {
    const { exchanges } = await converse(DEFAULT_QUESTIONS[language], csvFixture().tools);
    expect(exchanges.map(({ tool }) => tool)).toEqual([
      "describe_database",
      "query_database",
      "query_database",
      "query_database",
      "calculate_statistics",
      "generate_chart",
      "generate_chart",
      "create_report",
    ]);
    expect(exchanges[5]!.input).toMatchObject({ type: "bar" });
  });

  test("says no number that is not in a tool result, the question or the SQL it ran", async () => {
    const question = DEFAULT_QUESTIONS[language];
    const { said, exchanges } = await converse(question, csvFixture().tools);
    const sources = [
      question,
      ...exchanges.flatMap(({ input, text }) => [text, JSON.stringify(input["sql"] ?? "")]),
    ].join("\n");
    const known = new Set(sources.match(/\d+(?:\.\d+)?/g));
    const report = JSON.stringify(exchanges.find(({ tool }) => tool === "create_report")!.input["sections"]);
    const numbers = [...said, report].join("\n").match(/\d+(?:\.\d+)?/g) ?? [];
    expect(numbers.filter((number) => !known.has(number))).toEqual([]);
    expect(numbers.length).toBeGreaterThan(20);
  });

  test("the report is one closed page with each figure's SQL, and says that the data are synthetic", async () => {
    const talk = await converse(DEFAULT_QUESTIONS[language], csvFixture().tools);
    const html = reportOf(talk);
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain("Content-Security-Policy\" content=\"default-src 'none'");
    expect(html).not.toMatch(/<script|<link|<img|<iframe|\ssrc=|\shref=|url\(|@import|\son[a-z]+=/i);
    const sql = [...html.matchAll(/<pre>(.*?)<\/pre>/gs)];
    expect(sql.length).toBe((html.match(/<svg/g) ?? []).length + (html.match(/<table>/g) ?? []).length);
    expect(html.slice(html.indexOf("<footer>"))).toContain("synthetic");
  });
});
