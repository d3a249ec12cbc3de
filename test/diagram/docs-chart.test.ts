// The stored pictures of the chart are those of the machine.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentMachine, chartJson } from "agentchart/machines";
import { chartSvg } from "../../src/core/diagram/chart-svg.ts";
import { layoutChart } from "../../src/core/diagram/layout-chart.ts";
import { layoutKey } from "../../src/core/diagram/layout-in-worker.ts";
import { ROOT } from "../project/source-files.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

test("docs/chart.svg, docs/chart-dark.svg and agent-layouts.json match the machine (npm run docs:chart)", async () => {
  const chart = chartJson(agentMachine);
  const layouts = await layoutChart(chart);
  const { landscape } = layouts;
  expect(read("docs/chart.svg") === chartSvg(chart, landscape, "light")).toBe(true);
  expect(JSON.parse(read("src/core/diagram/agent-layouts.json"))).toEqual({ key: layoutKey(chart), layouts });
  expect(read("docs/chart-dark.svg") === chartSvg(chart, landscape, "dark")).toBe(true);
});

test("the guide to the chart links docs/chart.svg", () => {
  expect(read("docs/guide/chart.md")).toContain("(../chart.svg)");
});
