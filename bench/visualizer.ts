import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { median } from "./cpu.ts";
import { busyAgent } from "../test/e2e/support/busy.ts";
import type { Page } from "playwright-core";
import { makeEnvironment } from "../test/e2e/support/environment.ts";
import { longRunner } from "../test/e2e/support/long-run.ts";
import { PageCost } from "../test/e2e/support/page-cost.ts";
import { pageSize } from "../test/e2e/support/page-size.ts";
import { storedRuns } from "./stored-runs.ts";

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const ROOT = join(import.meta.dirname, "..");
const LIVE_MS = 10_000;
const STORED_RUNS = 10_000;

const env = await makeEnvironment();

/** Drags the mouse along the strip from end to end: the median time between two frames, and CPU for each. */
async function dragAlong(
  page: Page,
  cost: PageCost,
): Promise<{ readonly scrubMs: number; readonly scrubCpu: number }> {
  const { x, y, width } = (await page.locator(".strip").boundingBox())!;
  await page.mouse.move(x + 1, y + 5);
  await page.mouse.down();
  await page.evaluate(
    "globalThis.__times = []; (function note(at) { __times.push(at); requestAnimationFrame(note); })(performance.now())",
  );
  const before = await cost.cpuMs();
  for (let move = 1; move < 200; move++) await page.mouse.move(x + (width * move) / 200, y + 5);
  const times = (await page.evaluate("__times")) as readonly number[];
  const scrubCpu = ((await cost.cpuMs()) - before) / times.length;
  await page.mouse.up();
  const between = times.slice(1).map((at, index) => at - times[index]!);
  return { scrubMs: median(between), scrubCpu };
}

/** How long from the opening of a link until the chart of a run with so many rounds is drawn, and what heap it needs. */
async function longRun(rounds: number): Promise<{
  readonly firstMs: number;
  readonly paintMs: number;
  readonly heap: number;
  readonly scrubMs: number;
  readonly scrubCpu: number;
}> {
  const agent = longRunner(rounds, env.hub.address);
  await agent.call("Look everywhere.");
  const address = `${env.hub.url}/#/run/${agent.sessionId}`;
  const warm = await env.open();
  await warm.ui.choose(agent.sessionId);
  await warm.page.goto(address);
  await warm.page.reload();
  const begun = performance.now();
  await warm.page.reload({ waitUntil: "commit" });
  await warm.page.locator("svg.chart [data-state][data-active]").first().waitFor();
  const paintMs = performance.now() - begun;
  const firstMs = Number(
    await warm.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
  );
  while (!(await warm.page.evaluate("__agentchart.stepAt(1) !== undefined"))) await sleep(50);
  const cost = await PageCost.of(warm.page);
  const { scrubMs, scrubCpu } = await dragAlong(warm.page, cost);
  const heap = await cost.heap();
  await env.closePages();
  await agent.close();
  return { firstMs, paintMs, heap, scrubMs, scrubCpu };
}

/** CPU of the page for each frame while it looks on at one of some agents. */
async function liveRuns(
  count: number,
  pauseMs: number,
): Promise<{ readonly cpu: number; readonly frames: number; readonly steps: number }> {
  const agents = Array.from({ length: count }, () => busyAgent(env.hub.address, pauseMs));
  const { page, ui } = await env.open();
  const running = agents.map((agent) => agent.call("Go on."));
  await ui.choose(agents[0]!.sessionId);
  await sleep(2_000);
  const cost = await PageCost.of(page);
  await page.evaluate(
    "globalThis.__frames = 0; (function count() { __frames++; requestAnimationFrame(count); })()",
  );
  const [before, [, from]] = [await cost.cpuMs(), await ui.steps()];
  await sleep(LIVE_MS);
  const frames = Number(await page.evaluate("__frames"));
  const cpu = ((await cost.cpuMs()) - before) / frames;
  const [, to] = await ui.steps();
  for (const agent of agents) agent.interrupt();
  await Promise.all(running);
  await env.closePages();
  await Promise.all(agents.map((agent) => agent.close()));
  const seconds = LIVE_MS / 1_000;
  return { cpu, frames: frames / seconds, steps: (to - from) / seconds };
}

const size = pageSize();
const short = await longRun(666);
const long = await longRun(3_332);
const live = await liveRuns(1, 40);
const ten = await liveRuns(10, 110);
await env.close();
const stores = Object.entries(await storedRuns(STORED_RUNS));
const asked = Object.keys(stores[0]![1]);

const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(0);
const text = `# The visualizer's page, measured

Written by \`npm run bench:visualizer -- --write\` in a headless Chromium, load ${loadavg()[0]!.toFixed(1)} while measuring, Node ${process.versions.node}.
CPU is time of the page's own thread; on a shared machine both it and times of the clock grow with what the neighbours do.

| what | measured | aim |
| --- | --- | --- |
| page without fonts, gzip | ${kilobytes(size.code)} KB | 200 KB |
| fonts for Latin text | ${kilobytes(size.fonts)} KB | |
| a run of 2,000 steps: from reload to the chart with its active state | ${short.paintMs.toFixed(0)} ms | 1,000 ms |
| a run of 10,000 steps: from reload to the first paint with content | ${long.firstMs.toFixed(0)} ms | 500 ms |
| the same: to the chart with its active state | ${long.paintMs.toFixed(0)} ms | |
| the same: heap with all steps | ${(long.heap / 1e6).toFixed(1)} MB | 150 MB |
| the same: dragging along the strip from end to end, median frame | ${long.scrubMs.toFixed(1)} ms | 16.7 ms: 60 a second |
| the same: CPU for each frame | ${long.scrubCpu.toFixed(1)} ms | 16 ms |
| live, a run of ${live.steps.toFixed(0)} steps a second, which streams words: CPU for each frame | ${live.cpu.toFixed(1)} ms | 12 ms |
| the same: frames a second | ${live.frames.toFixed(0)} | |
| the same beside nine more agents, each with ${ten.steps.toFixed(0)} steps a second | ${ten.cpu.toFixed(1)} ms | 12 ms |

## ${STORED_RUNS.toLocaleString("en-US")} stored runs

How long the hub takes to answer, median of 15 requests. Aim: 300 ms.

| asked for | ${stores.map(([store]) => store).join(" | ")} |
| --- | ${stores.map(() => "---").join(" | ")} |
${asked.map((each) => `| ${each} | ${stores.map(([, ms]) => `${ms[each]!.toFixed(0)} ms`).join(" | ")} |`).join("\n")}

Not measured: ten agents with 60 steps a second each, which is what the 12 ms are for, other browsers, slow networks.
`;
console.log(text);
if (values.write) writeFileSync(join(ROOT, "docs/bench-visualizer.md"), text);
