import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "./cpu.ts";
import { benchOptions, WRITE } from "./options.ts";
import { dragAlong, pageAims, type Dragged } from "./page-aims.ts";
import { busyAgent } from "../test/e2e/support/busy.ts";
import { stepsOf } from "../src/agent/steps.ts";
import { makeEnvironment } from "../test/e2e/support/environment.ts";
import { longRunner } from "../test/e2e/support/long-run.ts";
import { PageCost, type Spent } from "../test/e2e/support/page-cost.ts";
import { pageSize } from "../scripts/page-size.ts";
import { storedRuns } from "./stored-runs.ts";

const { values } = benchOptions(
  `Measures the inspector's page in Chromium: live runs, long runs, stored runs, and what each tab costs.

Usage: npm run bench:visualizer -- [options]

  --aims   measures the tabs only
  --write  writes docs/bench-visualizer.md, or the part that was measured
  --help   prints this`,
  { ...WRITE, aims: { type: "boolean", default: false } },
);
const PAGE = join(import.meta.dirname, "../docs/bench-visualizer.md");
const AIMS = /## Every tab[^]*?(?=\n## )/;
const WARM_UP_MS = 2_000;
const LIVE_MS = 10_000;
const RELOADS = 7;
const PAUSE_MS = 1_000;
const STORED_RUNS = 10_000;

const env = await makeEnvironment();
if (values.aims) {
  const section = await pageAims(env);
  await env.close();
  console.log(section);
  if (values.write) writeFileSync(PAGE, readFileSync(PAGE, "utf8").replace(AIMS, section));
  process.exit();
}

/** How long from the opening of a link until the chart of a run with so many rounds is drawn, and what heap it needs. */
async function longRun(rounds: number): Promise<{
  readonly firstMs: number;
  readonly paintMs: number;
  readonly heap: number;
  readonly dragged: Dragged;
}> {
  const agent = longRunner(rounds, env.hub.address);
  await agent.call("Look everywhere.");
  const address = `${env.hub.url}/#/run/${agent.sessionId}`;
  const warm = await env.open({ reducedMotion: "no-preference" });
  await warm.ui.choose(agent.sessionId);
  await warm.page.goto(address);
  await warm.page.reload();
  const reloads: number[] = [];
  for (let reload = 0; reload < RELOADS; reload++) {
    const begun = performance.now();
    await warm.page.reload({ waitUntil: "commit" });
    await warm.page.locator("svg.chart [data-state][data-active]").first().waitFor();
    reloads.push(performance.now() - begun);
    await sleep(PAUSE_MS);
  }
  const paintMs = median(reloads);
  const firstMs = Number(
    await warm.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
  );
  while (!(await warm.page.evaluate("__agentchart.stepAt(1) !== undefined"))) await sleep(50);
  const cost = await PageCost.of(warm.page);
  const dragged = await dragAlong(warm.page, cost);
  const heap = await cost.heap();
  await env.closePages();
  await agent.close();
  return { firstMs, paintMs, heap, dragged };
}

type Followed = Spent & {
  /** Steps that each agent took, and that the page got of the one that it follows, a second. */
  readonly taken: number;
  readonly received: number;
};

/** Follows one of some agents, each of which takes so many steps a second. */
async function follow(count: number, stepsPerSecond: number): Promise<Followed> {
  const agents = Array.from({ length: count }, () => busyAgent(env.hub.address, stepsPerSecond));
  let taken = 0;
  for (const agent of agents) stepsOf(agent).subscribe(() => taken++);
  const { page, ui } = await env.open({ reducedMotion: "no-preference" });
  const running = agents.map((agent) => agent.call("Go on."));
  await ui.choose(agents[0]!.sessionId);
  await sleep(WARM_UP_MS);
  const cost = await PageCost.of(page);
  const [takenBefore, [, first]] = [taken, await ui.steps()];
  const spent = await cost.during(() => sleep(LIVE_MS));
  const [takenSince, [, last]] = [taken - takenBefore, await ui.steps()];
  for (const agent of agents) agent.interrupt();
  await Promise.all(running);
  await env.closePages();
  await Promise.all(agents.map((agent) => agent.close()));
  const seconds = spent.wall / 1_000;
  return { ...spent, taken: takenSince / count / seconds, received: (last - first) / seconds };
}

const size = pageSize();
const short = await longRun(666);
const long = await longRun(3_332);
const ten = await follow(10, 60);
const one = await follow(1, 100);
const aims = await pageAims(env);
await env.close();
const stores = Object.entries(await storedRuns(STORED_RUNS));
const asked = Object.keys(stores[0]![1]);

const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(0);
const perFrame = (ms: number, { frames }: Spent): string => (ms / frames).toFixed(1);
const aSecond = (value: number, { wall }: Spent): string => ((value * 1_000) / wall).toFixed(0);
const frameRow = (what: string, spent: Spent, aim: number): string =>
  `| ${[
    what,
    `**${perFrame(spent.main, spent)} ms**, aim ${aim}`,
    ...[spent.script, spent.style, spent.layout].map((ms) => perFrame(ms, spent)),
    perFrame(spent.main - spent.script - spent.style - spent.layout, spent),
    aSecond(spent.frames, spent),
    aSecond(spent.main, spent),
    aSecond(spent.raster, spent),
  ].join(" | ")} |`;
const lazy = Object.entries(size.lazy).map(([part, bytes]) => `${part} ${kilobytes(bytes)} KB`);
const text = `# The visualizer's page, measured

Written by \`npm run bench:visualizer -- --write\` in a headless Chromium without a GPU, load ${loadavg()[0]!.toFixed(1)} while measuring on ${availableParallelism()} processors, Node ${process.versions.node}.

| what | measured | aim |
| --- | --- | --- |
| first visit without fonts, gzip | ${kilobytes(size.first)} KB | 200 KB |
| loaded when it is asked for, gzip | ${lazy.join(", ")} | |
| fonts for Latin text | ${kilobytes(size.fonts)} KB | |
| a run of 2,000 steps: from reload to the chart with its active state, median of ${RELOADS} | ${short.paintMs.toFixed(0)} ms | 1,000 ms |
| a run of 10,000 steps: from reload to the first paint with content | ${long.firstMs.toFixed(0)} ms | 500 ms |
| the same: to the chart with its active state | ${long.paintMs.toFixed(0)} ms | |
| the same: heap with all steps | ${(long.heap / 1e6).toFixed(1)} MB | 150 MB |
| the same: dragging along the scrubber from end to end, median frame | ${long.dragged.frameMs.toFixed(1)} ms | 16.7 ms: 60 a second |

## Frames

CPU of the page's main thread for each frame, and what it is for, in ms. The last columns are frames a second, and ms of CPU a
second: of the main thread, and of all other threads of the browser, which is mostly rasterisation that a GPU would do. On a machine
that others use too, there are fewer frames, and each costs more.

| what | main thread | scripts | styles | layout | paint and rest | frames/s | main/s | others/s |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${frameRow(`following one of 10 agents, each with ${ten.taken.toFixed(0)} steps a second and as many words`, ten, 12)}
${frameRow(`following one agent with ${one.taken.toFixed(0)} steps a second`, one, 12)}
${frameRow("dragging along the scrubber of a run of 10,000 steps", long.dragged, 16)}

The page got ${ten.received.toFixed(0)} and ${one.received.toFixed(0)} steps a second of the agent that it followed: ${(ten.main / ((ten.received * ten.wall) / 1_000)).toFixed(1)} and ${(one.main / ((one.received * one.wall) / 1_000)).toFixed(1)} ms of main thread a step.

${aims}
## ${STORED_RUNS.toLocaleString("en-US")} stored runs

How long the hub takes to answer, median of 15 requests. Aim: 300 ms.

| asked for | ${stores.map(([store]) => store).join(" | ")} |
| --- | ${stores.map(() => "---").join(" | ")} |
${asked.map((each) => `| ${each} | ${stores.map(([, ms]) => `${ms[each]!.toFixed(0)} ms`).join(" | ")} |`).join("\n")}

Not measured: other browsers, slow networks, a browser with a GPU.
`;
console.log(text);
if (values.write) writeFileSync(PAGE, text);
