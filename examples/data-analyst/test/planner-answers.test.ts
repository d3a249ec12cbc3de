import { describe, expect, test, vi } from "vitest";
import { converse, type Talk } from "./converse.ts";
import { csvFixture } from "./fixture.ts";

vi.mock("../sql/ask-child.ts", () => import("./sql-in-process.ts"));

/** The first rows of the last query that a question led to, without the columns that it adds. */
function rowsOf({ exchanges }: Talk, query: number): unknown[][] {
  const queries = exchanges.filter(({ tool }) => tool === "query_database");
  return (JSON.parse(queries[query]!.text) as { rows: unknown[][] }).rows;
}

const month = "substr(order_date, 1, 7)";

/** A question, and SQL by hand for its one row of figures without the number of rows. */
const FIGURES: [question: string, sql: string][] = [
  ["total amount", "SELECT ROUND(SUM(amount), 2) FROM orders"],
  ["What is the total amount?", "SELECT ROUND(SUM(amount), 2) FROM orders"],
  ["total sales in March 2024", `SELECT ROUND(SUM(amount), 2) FROM orders WHERE ${month} = '2024-03'`],
  ["average unit price", "SELECT ROUND(AVG(unit_price), 2) FROM orders"],
  ["total amount in Berlin", "SELECT ROUND(SUM(amount), 2) FROM orders WHERE city = 'Berlin'"],
  ["total amount where city = Berlin", "SELECT ROUND(SUM(amount), 2) FROM orders WHERE city = 'Berlin'"],
  [
    "total amount where customer is C-001",
    "SELECT ROUND(SUM(amount), 2) FROM orders WHERE customer = 'C-001'",
  ],
  ["sales in Berlin and Paris", "SELECT ROUND(SUM(amount), 2) FROM orders WHERE city IN ('Berlin', 'Paris')"],
  [
    "average amount excluding cancelled orders",
    "SELECT ROUND(AVG(amount), 2) FROM orders WHERE status <> 'cancelled'",
  ],
  [
    "average amount where amount > 1000 and quantity <= 3",
    "SELECT ROUND(AVG(amount), 2) FROM orders WHERE amount > 1000 AND quantity <= 3",
  ],
  ["maximum unit price for category Home", "SELECT MAX(unit_price) FROM orders WHERE category = 'Home'"],
  ["the lowest amount since May 2024", "SELECT MIN(amount) FROM orders WHERE order_date >= '2024-05-01'"],
  ["how many customers", "SELECT COUNT(DISTINCT customer) FROM orders"],
  [
    "how many units were sold in Q2 2024?",
    "SELECT SUM(quantity) FROM orders WHERE order_date >= '2024-04-01'",
  ],
  [
    "total amount from January to March 2024",
    "SELECT ROUND(SUM(amount), 2) FROM orders WHERE order_date < '2024-04-01'",
  ],
  [
    "total amount between 2024-02-10 and 2024-02-20",
    "SELECT ROUND(SUM(amount), 2) FROM orders WHERE order_date BETWEEN '2024-02-10' AND '2024-02-20'",
  ],
  ["总金额", "SELECT ROUND(SUM(amount), 2) FROM orders"],
  [
    "2024年3月上海的销售额",
    `SELECT ROUND(SUM(amount), 2) FROM orders WHERE ${month} = '2024-03' AND city = 'Shanghai'`,
  ],
  ["城市为Berlin的总金额", "SELECT ROUND(SUM(amount), 2) FROM orders WHERE city = 'Berlin'"],
  ["3月的平均金额", `SELECT ROUND(AVG(amount), 2) FROM orders WHERE ${month} = '2024-03'`],
  ["2024年上半年的销量", "SELECT SUM(quantity) FROM orders"],
  ["除取消外的订单平均金额", "SELECT ROUND(AVG(amount), 2) FROM orders WHERE status <> 'cancelled'"],
];

/** A question, and SQL by hand for its rows. */
const ROWS: [question: string, sql: string][] = [
  ["total amount by city", "SELECT city, ROUND(SUM(amount), 2) FROM orders GROUP BY city ORDER BY 2 DESC"],
  [
    "average unit price by category in March 2024",
    `SELECT category, ROUND(AVG(unit_price), 2) FROM orders WHERE ${month} = '2024-03' GROUP BY 1 ORDER BY 2 DESC`,
  ],
  ["number of orders per month", `SELECT ${month}, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1`],
  ["count by status", "SELECT status, COUNT(*) FROM orders GROUP BY 1 ORDER BY 2 DESC"],
  [
    "top 5 products by amount",
    "SELECT product, ROUND(SUM(amount), 2) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 5",
  ],
  [
    "bottom three cities by quantity",
    "SELECT city, SUM(quantity) FROM orders GROUP BY 1 ORDER BY 2, 1 LIMIT 3",
  ],
  [
    "which city has the most customers?",
    "SELECT city, COUNT(DISTINCT customer) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
  ],
  [
    "which month had the highest sales?",
    `SELECT ${month}, ROUND(SUM(amount), 2) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 1`,
  ],
  ["highest amount by city", "SELECT city, MAX(amount) FROM orders GROUP BY 1 ORDER BY 2 DESC"],
  [
    "total amount by region and category",
    "SELECT region, category, ROUND(SUM(amount), 2) FROM orders GROUP BY 1, 2 ORDER BY 3 DESC",
  ],
  [
    "quarterly sales",
    "SELECT '2024-Q' || ((substr(order_date, 6, 2) + 2) / 3), ROUND(SUM(amount), 2) FROM orders GROUP BY 1 ORDER BY 1",
  ],
  ["各城市的销售总额", "SELECT city, ROUND(SUM(amount), 2) FROM orders GROUP BY city ORDER BY 2 DESC"],
  ["按类别统计平均单价", "SELECT category, ROUND(AVG(unit_price), 2) FROM orders GROUP BY 1 ORDER BY 2 DESC"],
  [
    "销售额最高的5个产品",
    "SELECT product, ROUND(SUM(amount), 2) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 5",
  ],
  [
    "前3名客户按金额",
    "SELECT customer, ROUND(SUM(amount), 2) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 3",
  ],
  ["每月订单数", `SELECT ${month}, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1`],
  ["哪个城市销售额最高", "SELECT city, ROUND(SUM(amount), 2) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 1"],
];

function byHand(all: (sql: string) => Record<string, unknown>[], sql: string): unknown[][] {
  return all(sql).map((row) => Object.values(row));
}

describe("answers with what SQL by hand gives", () => {
  test.each(FIGURES)("%s", async (question, sql) => {
    const { tools, all } = csvFixture();
    const talk = await converse(question, tools);
    expect(rowsOf(talk, 0)[0]!.at(-1)).toEqual(byHand(all, sql)[0]![0]);
  });

  test.each(ROWS)("%s", async (question, sql) => {
    const { tools, all } = csvFixture();
    const talk = await converse(question, tools);
    const expected = byHand(all, sql);
    expect(rowsOf(talk, 1).map((row) => row.slice(0, expected[0]!.length))).toEqual(expected);
    for (const row of expected.slice(0, 20)) expect(talk.answer).toContain(String(row.at(-1)));
  });

  test("top 3 products by quantity per month ranks within each month", async () => {
    const { tools, all } = csvFixture();
    const talk = await converse("top 3 products by quantity per month", tools);
    const expected = ["01", "02", "03", "04", "05", "06"].flatMap((number) =>
      byHand(
        all,
        `SELECT '2024-${number}', product, SUM(quantity) FROM orders WHERE ${month} = '2024-${number}' GROUP BY product ORDER BY 3 DESC, 2 LIMIT 3`,
      ),
    );
    expect(rowsOf(talk, 1).map((row) => row.slice(0, 3))).toEqual(expected);
  });
});
