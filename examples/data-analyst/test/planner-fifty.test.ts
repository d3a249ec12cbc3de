import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { buildDatabase } from "../dataset/build-database.ts";
import { SQL_LIMITS } from "../sql/ask-child.ts";
import { analystTools } from "../tools/analyst-tools.ts";
import { converse } from "./converse.ts";
import { temporaryFolder } from "./fixture.ts";
import * as tables from "./foreign-tables.ts";
import type { ForeignTable, Row } from "./foreign-tables.ts";

vi.mock("../sql/ask-child.ts", () => import("./sql-in-process.ts"));

type Figure = number | { readonly [group: string]: number } | { readonly first: string };
/** A question, and its answer computed from the rows of the file. */
type Asked = readonly [question: string, answer: (rows: readonly Row[]) => Figure];

const number = (text: string): number => Number(text.replace(",", "."));
const sum =
  (column: string) =>
  (rows: readonly Row[]): number =>
    rows.reduce((total, row) => total + number(row[column]!), 0);
const mean =
  (column: string) =>
  (rows: readonly Row[]): number =>
    sum(column)(rows) / rows.length;
const most =
  (column: string) =>
  (rows: readonly Row[]): number =>
    Math.max(...rows.map((row) => number(row[column]!)));
const count = (rows: readonly Row[]): number => rows.length;
const distinct =
  (column: string) =>
  (rows: readonly Row[]): number =>
    new Set(rows.map((row) => row[column])).size;

type Measure = (rows: readonly Row[]) => number;
type Test = (row: Row) => boolean;
const where =
  (measure: Measure, ...tests: readonly Test[]) =>
  (rows: readonly Row[]): number =>
    measure(rows.filter((row) => tests.every((isMet) => isMet(row))));
const is =
  (column: string, value: string): Test =>
  (row) =>
    row[column] === value;
const starts =
  (column: string, prefix: string): Test =>
  (row) =>
    row[column]!.startsWith(prefix);
const ends =
  (column: string, suffix: string): Test =>
  (row) =>
    row[column]!.endsWith(suffix);
const above =
  (column: string, bound: number): Test =>
  (row) =>
    number(row[column]!) > bound;
const below =
  (column: string, bound: number): Test =>
  (row) =>
    number(row[column]!) < bound;

const by = (key: string | ((row: Row) => string), measure: Measure) => (rows: readonly Row[]) => {
  const keyOf = typeof key === "string" ? (row: Row): string => row[key]! : key;
  const groups = Map.groupBy(rows, keyOf);
  return Object.fromEntries([...groups].map(([name, members]) => [name, measure(members)]));
};
const best =
  (key: string | ((row: Row) => string), measure: Measure, sign = 1) =>
  (rows: readonly Row[]) => ({
    first: Object.entries(by(key, measure)(rows)).toSorted(([, a], [, b]) => sign * (b - a))[0]![0],
  });
/** The month of a date such as 5.3.2024 or 05.03.2024, as 2024-03. */
const dottedMonth =
  (column: string) =>
  (row: Row): string => {
    const [, month, year] = row[column]!.split(".") as [string, string, string];
    return `${year}-${month.padStart(2, "0")}`;
  };
const hanMonth = (row: Row): string => {
  const [, year, month] = /(\d+)年(\d+)月/.exec(row["下单日期"]!)!;
  return `${year}-${month!.padStart(2, "0")}`;
};

const FIFTY: readonly (readonly [ForeignTable, readonly Asked[]])[] = [
  [
    tables.COFFEE,
    [
      [
        "How many cups were sold to members in Oslo?",
        where(sum("cups"), is("member", "yes"), is("city", "Oslo")),
      ],
      [
        "Which drink brought in the most revenue in March 2025?",
        (rows) => best("drink", sum("revenue"))(rows.filter(starts("date", "2025-03"))),
      ],
      [
        "How many cups of tea were sold in April 2025?",
        where(sum("cups"), is("drink", "tea"), starts("date", "2025-04")),
      ],
      [
        "What is the total revenue of non-members in Bergen?",
        where(sum("revenue"), is("member", "no"), is("city", "Bergen")),
      ],
      ["Top 3 days by revenue", best("date", sum("revenue"))],
      ["每个城市的平均收入是多少？", by("city", mean("revenue"))],
      [
        "三月份会员买了多少杯茶？",
        where(sum("cups"), is("member", "yes"), is("drink", "tea"), starts("date", "2025-03")),
      ],
    ],
  ],
  [
    tables.BESTELLUNGEN,
    [
      ["Total of Menge by Produkt", by("Produkt", sum("Menge"))],
      ['average "Preis €" where Status = paid', where(mean("Preis €"), is("Status", "paid"))],
      ["total Menge per month", by(dottedMonth("Datum"), sum("Menge"))],
      ["How many orders were cancelled?", where(count, is("Status", "cancelled"))],
      [
        "total Menge of Stuhl between 01.02.2024 and 29.02.2024",
        where(sum("Menge"), is("Produkt", "Stuhl"), ends("Datum", ".02.2024")),
      ],
    ],
  ],
  [
    tables.ORDERS,
    [
      ["How many orders were cancelled?", where(count, is("status", "cancelled"))],
      ["number of orders per month", by(dottedMonth("placed"), count)],
      [
        "What is the total of all orders from Norway in 2024?",
        where(sum("total"), is("country", "Norway"), ends("placed", ".2024")),
      ],
      ["How many items were ordered from Sweden?", where(sum("items"), is("country", "Sweden"))],
      ["Which customer spent the most?", best("customer", sum("total"))],
    ],
  ],
  [
    tables.EMPLOYEES,
    [
      ["average salary by department", by("department", mean("salary"))],
      ["How many employees were hired since 2020?", where(count, (row) => row["hired"]! >= "2020")],
      ["How many employees are remote?", where(count, is("remote", "true"))],
      ["What is the average age in Sales?", where(mean("age"), is("department", "Sales"))],
      ["Who has the highest salary?", best("name", most("salary"))],
    ],
  ],
  [
    tables.FLIGHTS,
    [
      ["total passengers by airline", by("airline", sum("passengers"))],
      [
        "How many flights left Oslo in May 2025?",
        where(count, is("origin", "Oslo"), starts("departure", "2025-05")),
      ],
      ["average delay minutes of Polar", where(mean("delay_minutes"), is("airline", "Polar"))],
      ["Which airline has the most passengers?", best("airline", sum("passengers"))],
      ["How many flights have more than 100 passengers?", where(count, above("passengers", 100))],
    ],
  ],
  [
    tables.SHOPS,
    [
      ["每个城市的平均金额是多少？", by("城市", mean("金额"))],
      ["哪个商品的数量最多？", best("商品", sum("数量"))],
      ["2025年3月的总金额是多少？", where(sum("金额"), starts("日期", "2025-03"))],
      ["非会员的总金额是多少？", where(sum("金额"), is("会员", "否"))],
      ["北京会员的销售额总计", where(sum("金额"), is("城市", "北京"), is("会员", "是"))],
    ],
  ],
  [
    tables.MARKS,
    [
      ["每个班级的平均分数", by("班级", mean("分数"))],
      ["数学的最高分数是多少？", where(most("分数"), is("科目", "数学"))],
      ["分数超过80的有多少条？", where(count, above("分数", 80))],
      ["哪个科目的平均分数最低？", best("科目", mean("分数"), -1)],
      ["三班有多少学生？", where(distinct("姓名"), is("班级", "三班"))],
    ],
  ],
  [
    tables.STAFF,
    [
      ["各部门的平均工资", by("部门", mean("工资"))],
      ["技术部有多少员工？", where(count, is("部门", "技术部"))],
      ["所有员工的工资总和", sum("工资")],
      ["2021年入职的员工有多少人？", where(count, ends("入职日期", ".2021"))],
    ],
  ],
  [
    tables.STOCK,
    [
      ["各类别的库存总量", by("类别", sum("库存"))],
      ["一号仓的库存总和是多少？", where(sum("库存"), is("仓库", "一号仓"))],
      ["每个仓库有多少种商品？", by("仓库", distinct("商品名称"))],
      ["单价最高的商品是哪个？", best("商品名称", most("单价"))],
      ["库存少于20的商品有多少个？", where(count, below("库存", 20))],
    ],
  ],
  [
    tables.ORDERS_ZH,
    [
      ["一共有多少订单？", count],
      ["每个月的订单数", by(hanMonth, count)],
      ["取消的订单有多少？", where(count, is("状态", "已取消"))],
      ["线上渠道的订单金额总计", where(sum("订单金额"), is("渠道", "线上"))],
    ],
  ],
];

function isClose(text: string | undefined, expected: number): boolean {
  const said = /-?\d+(?:\.\d+)?/.exec(text ?? "")?.[0];
  return said !== undefined && Math.abs(Number(said) - expected) <= 0.00501;
}

/** The value of a line such as "- Oslo: total cups 12, 3 % of the whole". */
function lineOf(answer: string, name: string): string | undefined {
  const line = answer
    .split("\n")
    .find((each) => [":", "："].some((colon) => each.startsWith(`- ${name}${colon}`)));
  return line?.replace(/^.*?[:：]/, "").split(/, |、/)[0];
}

function isRight(answer: string, expected: Figure): boolean {
  const [, figures = ""] = answer.split("\n\n");
  if (typeof expected === "number")
    return isClose(figures.split("\n")[0]?.replace(/^.*?[:：]\s*/, ""), expected);
  if ("first" in expected && typeof expected.first === "string")
    return (
      answer
        .split("\n")
        .find((line) => line.startsWith("- "))
        ?.startsWith(`- ${expected.first}`) ?? false
    );
  return Object.entries(expected as { readonly [group: string]: number }).every(([name, value]) =>
    isClose(lineOf(answer, name), value),
  );
}

/** A refusal says what tables there are. */
const isRefusal = (answer: string): boolean => /^(These are the tables I see:|我看到的表有：)$/m.test(answer);

test("of fifty questions about ten foreign tables none is answered wrongly, and at most a quarter is refused", async () => {
  const wrong: string[] = [];
  const refused: string[] = [];
  const asked = FIFTY.flatMap(([, questions]) => questions.map(([question]) => question));
  expect(asked).toHaveLength(50);
  expect(asked.filter((question) => /\p{Script=Han}/u.test(question))).toHaveLength(25);
  for (const [{ file, csv, rows }, questions] of FIFTY) {
    const folder = temporaryFolder();
    const [source, path] = [join(folder, `${file}.csv`), join(folder, "data.sqlite")];
    writeFileSync(source, csv);
    buildDatabase(source, path);
    const database = { path, name: file, synthetic: false };
    const limits = { ...SQL_LIMITS, timeoutMs: 60_000 };
    const tools = analystTools({ database, outDir: join(folder, "out"), limits });
    for (const [question, answerOf] of questions) {
      const { answer } = await converse(question, tools);
      if (isRefusal(answer)) refused.push(`${file}: ${question}: ${answer.split("\n")[0]}`);
      else if (!isRight(answer, answerOf(rows)))
        wrong.push(`${file}: ${question}: ${JSON.stringify(answerOf(rows))}, not\n${answer}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(refused.length, refused.join("\n")).toBeLessThanOrEqual(12);
});
