/** Draws the agent's chart for the README and the docs: docs/chart.svg and docs/chart-dark.svg. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentMachine, chartJson } from "agentchart/machines";
import { chartSvg } from "../src/layout/chart-svg.ts";
import { layoutChart } from "../src/layout/layout-chart.ts";

const chart = chartJson(agentMachine);
const { landscape } = await layoutChart(chart);
const docs = join(import.meta.dirname, "../docs");
writeFileSync(join(docs, "chart.svg"), chartSvg(chart, landscape, "light"));
writeFileSync(join(docs, "chart-dark.svg"), chartSvg(chart, landscape, "dark"));
