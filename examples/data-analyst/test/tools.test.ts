// Specifies the tools of the analyst: ids instead of copies, errors that say what to do, reports that nothing can break out of.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createToolkit, type JsonObject } from "agentchart";
import { describe, expect, test } from "vitest";
import { drawChart } from "../tools/draw-chart.ts";
import { sqlFixture, type Fixture } from "./fixture.ts";

const EVIL = `</style><script>alert(1)</script><img src=x onerror=alert(1)>"'&`;

function shop(): Fixture {
  return sqlFixture((database: DatabaseSync) => {
    database.exec("CREATE TABLE sales (item TEXT, paid REAL)");
    const insert = database.prepare("INSERT INTO sales VALUES (?, ?)");
    for (const row of [
      [EVIL, 1.1],
      ["pen", 2.2],
      ["pen", 3.3],
      ["cup", null],
    ] as const)
      insert.run(...row);
  });
}

function caller({ tools }: Fixture) {
  const toolkit = createToolkit({ tools: [...tools] });
  return async (
    name: string,
    input: JsonObject,
  ): Promise<{ state: string; text: string; json: JsonObject }> => {
    const { state, output } = await toolkit.invoke(name, input);
    const text = output.map((block) => (block.type === "text" ? block.text : "")).join("");
    return { state, text, json: state === "success" ? (JSON.parse(text) as JsonObject) : {} };
  };
}

const BY_ITEM = "SELECT item, SUM(paid) AS paid FROM sales GROUP BY item ORDER BY item";

test("query_database keeps all rows under an id and shows the first ones", async () => {
  const call = caller(shop());
  const { json } = await call("query_database", { sql: "SELECT item FROM sales ORDER BY rowid", show: 1 });
  expect(json).toEqual({ resultId: "r1", columns: ["item"], rowCount: 4, rows: [[EVIL]] });
});

test("wrong ids, columns and types are errors that name what there is", async () => {
  const call = caller(shop());
  await call("query_database", { sql: BY_ITEM });
  const texts = await Promise.all(
    (
      [
        ["generate_chart", { resultId: "r9", type: "bar", x: "item", y: "paid", title: "t" }],
        ["generate_chart", { resultId: "r1", type: "bar", x: "item", y: "price", title: "t" }],
        ["generate_chart", { resultId: "r1", type: "bar", x: "paid", y: "item", title: "t" }],
        ["create_report", { title: "t", sections: [{ heading: "h", chartId: "c9" }] }],
        ["query_database", { sql: "SELECT nope FROM sales" }],
      ] as [string, JsonObject][]
    ).map(async ([name, input]) => (await call(name, input)).text),
  );
  expect(texts.map((text) => text.replace("Error: Tool execution failed: ", ""))).toEqual([
    'There is no result "r9" (known: r1). Make one with query_database.',
    'Result r1 has no column "price". Its columns: item, paid.',
    expect.stringMatching(/^Column "item" holds text/),
    'There is no chart "c9" (known: none yet). Make one with generate_chart.',
    "no such column: nope",
  ]);
});

test.each(["bar", "line"] as const)("a %s chart shows its labels and holds nothing active", async (type) => {
  const points = [
    { label: EVIL, value: 3 },
    { label: "杯子", value: 2 },
  ];
  const svg = await drawChart({ type, title: EVIL, xName: EVIL, yName: EVIL, points });
  expect(svg).toContain("杯子");
  expect(svg).not.toMatch(/<(script|img|style|a|image|foreignObject)\b/i);
});

test("a chart of too many points is refused with what to do", async () => {
  const call = caller(shop());
  await call("query_database", {
    sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 61) SELECT i, -i AS minus FROM n",
  });
  expect(
    (await call("generate_chart", { resultId: "r1", type: "bar", x: "i", y: "i", title: "t" })).text,
  ).toContain("has 61 rows, more than a bar chart can show (60)");
});

describe("create_report", () => {
  test("escapes everything that data and model put into it", async () => {
    const fixture = shop();
    const call = caller(fixture);
    await call("query_database", { sql: `${BY_ITEM} -- </pre><script>alert(2)</script>` });
    await call("generate_chart", { resultId: "r1", type: "bar", x: "item", y: "paid", title: EVIL });
    const { json } = await call("create_report", {
      title: EVIL,
      sections: [{ heading: EVIL, text: `${EVIL}\n- ${EVIL}\n- second`, chartId: "c2", resultId: "r1" }],
    });
    const html = readFileSync(json["path"] as string, "utf8");
    expect(html).not.toMatch(/<script|<img|onerror=alert\(1\)>(?!&)/);
    expect(html.match(/<style>/g)).toHaveLength(1);
    expect(html).toContain("<li>second</li></ul>");
    expect(html).toContain("&#60;/pre&#62;&#60;script&#62;");
    expect(html.slice(html.indexOf("<footer>"))).not.toContain("synthetic");
  });

  test("writes into its folder whatever the title is, and never over a file", async () => {
    const fixture = shop();
    const call = caller(fixture);
    const titles = ["../../etc/passwd", "..\\x", "con", "a\0b", "销售 报告", "Same", "Same", "..."];
    for (const title of titles) {
      const { json } = await call("create_report", { title, sections: [{ heading: "h" }] });
      expect(resolve(json["path"] as string, "..")).toBe(resolve(fixture.outDir));
    }
    const names = ["a-b", "etc-passwd", "report", "report-con", "same", "same-2", "x", "销售-报告"];
    expect(readdirSync(fixture.outDir).toSorted()).toEqual(names.map((name) => `${name}.html`).toSorted());
    expect(existsSync(join(fixture.outDir, "..", "etc"))).toBe(false);
  });
});
