/** Sees to it that the built command draws the agent's chart byte for byte as the sources do, and that the built worker, which
 *  lays charts out for the page, places everything where they do. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { agentMachine, chartJson } from "agentchart/machines";
import { chartSvg } from "../src/diagram/chart-svg.ts";
import { layoutChart } from "../src/diagram/layout-chart.ts";

const root = join(import.meta.dirname, "..");
const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const command = join(root, bin.agentchart);
assert(existsSync(command), `There is no ${bin.agentchart}: run "npm run build" first.`);

const chart = chartJson(agentMachine);
const layouts = await layoutChart(chart);

const { status, stdout, stderr } = spawnSync(process.execPath, [command, "chart", "--format", "svg"]);
assert.equal(status, 0, `"agentchart chart" of the build fails: ${String(stderr)}`);
const drawn = chartSvg(chart, layouts.landscape, "light");
assert(stdout.equals(Buffer.from(drawn)), "The build draws another chart than the sources: build again.");

const worker = new Worker(join(root, "dist/diagram/layout-worker.mjs"), { workerData: chart });
const [placed] = await once(worker, "message");
await worker.terminate();
assert.deepEqual(placed, layouts, "The worker of the build lays the chart out in another way.");
console.log(`The build draws the chart as the sources do, ${stdout.length} bytes, and lays it out alike.`);
