import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makeOrders } from "../make-orders.ts";
import { csvFixture, ORDERS_CSV } from "./fixture.ts";

test("orders.csv is what its script makes", () => {
  expect(readFileSync(ORDERS_CSV, "utf8")).toBe(makeOrders());
});

test("another seed makes other orders", () => {
  expect(makeOrders(1)).not.toBe(makeOrders());
});

test("there are at least 856 orders, in each month of 2024-01 to 2024-06", () => {
  const { all } = csvFixture();
  const months = all(
    "SELECT substr(order_date, 1, 7) AS month, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 1",
  );
  expect(months.map(({ month }) => month)).toEqual([
    "2024-01",
    "2024-02",
    "2024-03",
    "2024-04",
    "2024-05",
    "2024-06",
  ]);
  expect(months.reduce((sum, { n }) => sum + Number(n), 0)).toBeGreaterThanOrEqual(856);
});

test("every amount is quantity times unit price, and every id is there once", () => {
  const { all } = csvFixture();
  expect(all("SELECT * FROM orders WHERE ABS(amount - quantity * unit_price) > 0.005")).toEqual([]);
  expect(all("SELECT order_id FROM orders GROUP BY order_id HAVING COUNT(*) > 1")).toEqual([]);
});

test("dates are kept as ISO text and numbers as numbers", () => {
  const { all } = csvFixture();
  expect(
    all("SELECT DISTINCT typeof(order_date) AS d, typeof(quantity) AS q, typeof(amount) AS a FROM orders"),
  ).toEqual([{ d: "text", q: "integer", a: "real" }]);
});
