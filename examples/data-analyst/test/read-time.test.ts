import { describe, expect, test } from "vitest";
import { readTime } from "../planner/read-time.ts";

const span = (from?: string, to?: string) => ({ kind: "span", ...(from && { from }), ...(to && { to }) });
const months = (...numbers: number[]) => ({ kind: "months", months: numbers });

describe("reads a time", () => {
  test.each([
    ["2024 Q1", span("2024-01", "2024-03")],
    ["2024-Q2", span("2024-04", "2024-06")],
    ["Q3 2023", span("2023-07", "2023-09")],
    ["q4 of 2023", span("2023-10", "2023-12")],
    ["Q2", months(4, 5, 6)],
    ["first quarter of 2024", span("2024-01", "2024-03")],
    ["H2 2024", span("2024-07", "2024-12")],
    ["March 2024", span("2024-03", "2024-03")],
    ["mar. 2024", span("2024-03", "2024-03")],
    ["2024 March", span("2024-03", "2024-03")],
    ["May", months(5)],
    ["March 5, 2024", span("2024-03-05", "2024-03-05")],
    ["5th March 2024", span("2024-03-05", "2024-03-05")],
    ["2024", span("2024", "2024")],
    ["2024-03", span("2024-03", "2024-03")],
    ["2024-03-05", span("2024-03-05", "2024-03-05")],
    ["5.3.2024", span("2024-03-05", "2024-03-05")],
    ["01.02.2024 to 29.02.2024", span("2024-02-01", "2024-02-29")],
    ["January to March 2024", span("2024-01", "2024-03")],
    ["from Jan to Mar", months(1, 2, 3)],
    ["between 2024-01-15 and 2024-02-20", span("2024-01-15", "2024-02-20")],
    ["2023-2024", span("2023", "2024")],
    ["since May 2024", span("2024-05")],
    ["after December 2023", span("2024-01")],
    ["before 2024-03-01", span(undefined, "2024-02-29")],
    ["until 2023", span(undefined, "2023")],
    ["2024年第一季度", span("2024-01", "2024-03")],
    ["2024年Q2", span("2024-04", "2024-06")],
    ["第二季度", months(4, 5, 6)],
    ["3月", months(3)],
    ["十二月份", months(12)],
    ["2024年3月", span("2024-03", "2024-03")],
    ["2024年3月5日", span("2024-03-05", "2024-03-05")],
    ["2024年1月到3月", span("2024-01", "2024-03")],
    ["1月至3月", months(1, 2, 3)],
    ["2024年", span("2024", "2024")],
    ["2024年上半年", span("2024-01", "2024-06")],
    ["2024年5月以来", span("2024-05")],
    ["2024年以前", span(undefined, "2023")],
  ])("%s", (text, time) => {
    expect(readTime(text)).toEqual({ time, length: text.length });
    expect(readTime(`${text}的 sales`)).toMatchObject({ time });
  });
});

test.each([
  "may I ask",
  "march on",
  "marching",
  "last month",
  "month",
  "月度",
  "20245",
  "1000",
  "12 cities",
  "from Berlin",
  "between us",
])("finds no time at the start of %s", (text) => {
  expect(readTime(text)).toBeUndefined();
});
