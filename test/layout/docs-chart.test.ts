import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentMachine, chartJson } from "agentchart/machines";
import { chartSvg } from "../../src/layout/chart-svg.ts";
import { layoutChart } from "../../src/layout/layout-chart.ts";
import { ROOT } from "../project/source-files.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

test("the pictures in docs are those of the machine: npm run docs:chart draws them again", async () => {
  const chart = chartJson(agentMachine);
  const { landscape } = await layoutChart(chart);
  expect(read("docs/chart.svg") === chartSvg(chart, landscape, "light")).toBe(true);
  expect(read("docs/chart-dark.svg") === chartSvg(chart, landscape, "dark")).toBe(true);
});

test("the README leads to them", () => {
  expect(read("README.md")).toContain("docs/chart.svg");
});
