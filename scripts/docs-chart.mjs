/** Draws the agent's chart for the README and the docs, docs/chart.svg and docs/chart-dark.svg, and keeps its layouts for
 *  the inspector. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentMachine, chartJson } from "agentchart/machines";
import { chartSvg } from "../src/diagram/chart-svg.ts";
import { layoutChart } from "../src/diagram/layout-chart.ts";
import { layoutKey } from "../src/diagram/layout-in-worker.ts";

const chart = chartJson(agentMachine);
const layouts = await layoutChart(chart);
const { landscape } = layouts;
const docs = join(import.meta.dirname, "../docs");
writeFileSync(join(docs, "chart.svg"), chartSvg(chart, landscape, "light"));
writeFileSync(join(docs, "chart-dark.svg"), chartSvg(chart, landscape, "dark"));
const shipped = join(import.meta.dirname, "../src/diagram/agent-layouts.json");
writeFileSync(shipped, `${JSON.stringify({ key: layoutKey(chart), layouts })}\n`);
