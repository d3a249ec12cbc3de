/** Draws the charts for the docs: the agent's as docs/chart.svg, a session's life as docs/session-chart.svg, each in a light
 *  and a dark form. Keeps the layouts of the agent's chart for the inspector. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentMachine, chartJson, sessionMachine } from "agentchart/machines";
import { chartSvg } from "../src/core/diagram/chart-svg.ts";
import { layoutChart } from "../src/core/diagram/layout-chart.ts";
import { layoutKey } from "../src/core/diagram/layout-in-worker.ts";

const docs = join(import.meta.dirname, "../docs");

async function draw(chart, name) {
  const layouts = await layoutChart(chart);
  writeFileSync(join(docs, `${name}.svg`), chartSvg(chart, layouts.landscape, "light"));
  writeFileSync(join(docs, `${name}-dark.svg`), chartSvg(chart, layouts.landscape, "dark"));
  return layouts;
}

await draw(chartJson(sessionMachine), "session-chart");
const chart = chartJson(agentMachine);
const layouts = await draw(chart, "chart");
const shipped = join(import.meta.dirname, "../src/core/diagram/agent-layouts.json");
writeFileSync(shipped, `${JSON.stringify({ key: layoutKey(chart), layouts })}\n`);
