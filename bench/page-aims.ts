import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { Agent } from "agentchart";
import { stepsOf } from "../src/agent/steps.ts";
import type { RunRow } from "../src/inspect/protocol/protocol.ts";
import { busyAgent } from "../test/e2e/support/busy.ts";
import type { Environment } from "../test/e2e/support/environment.ts";
import { longRunner } from "../test/e2e/support/long-run.ts";
import { PageCost, type Spent } from "../test/e2e/support/page-cost.ts";
import { median } from "./cpu.ts";

const [WARM_UP_MS, LIVE_MS] = [2_000, 10_000];
/** The page loads somewhat more steps before the displayed one by itself. */
const LOADED_AT_ONCE = 15_000;

export type Dragged = Spent & { readonly frameMs: number };

/** Drags the mouse along the scrubber from end to end, with the median time between two frames. */
export async function dragAlong(page: Page, cost: PageCost, moves = 200): Promise<Dragged> {
  const { x, y, width } = (await page.locator(".scrubber").boundingBox())!;
  await page.mouse.move(x + 1, y + 5);
  await page.mouse.down();
  await page.evaluate(
    "globalThis.__times = []; (function note(at) { __times.push(at); requestAnimationFrame(note); })(performance.now())",
  );
  const spent = await cost.during(async () => {
    for (let move = 1; move < moves; move++) await page.mouse.move(x + (width * move) / moves, y + 5);
  });
  const times = (await page.evaluate("__times")) as readonly number[];
  await page.mouse.up();
  return { ...spent, frameMs: median(times.slice(1).map((at, index) => at - times[index]!)) };
}

/** Scrubs a run of so many requests with each tab open, beside the map as a person finds it. */
async function scrubTabs(
  env: Environment,
  requests: number,
): Promise<readonly (readonly [tab: string, spent: Dragged])[]> {
  const agent = longRunner(requests - 1, env.hub.address);
  await agent.call("Look everywhere.");
  const { page, ui } = await env.open({ reducedMotion: "no-preference", picture: "map" });
  await ui.choose(agent.sessionId);
  await ui.waitForRest();
  const cost = await PageCost.of(page);
  const tabs: (readonly [string, Dragged])[] = [];
  for (const tab of await page.locator("[data-tab]").all()) {
    const name = (await tab.getAttribute("data-tab"))!;
    await ui.openTab(name);
    await dragAlong(page, cost, 20); // compiles what the tab runs
    tabs.push([name, await dragAlong(page, cost, 100)]);
  }
  await env.closePages();
  await agent.close();
  return tabs;
}

/** Follows one of some agents that work at once, each of which takes so many steps a second. */
async function watchMany(env: Environment, count: number, stepsPerSecond: number): Promise<Spent> {
  const agents = Array.from({ length: count }, () => busyAgent(env.hub.address, stepsPerSecond));
  const { page, ui } = await env.open({ reducedMotion: "no-preference", picture: "map" });
  const running = agents.map((agent) => agent.call("Go on."));
  await page.goto(`${env.hub.url}/#/run/${agents[0]!.sessionId}`); // the list has room for a part of them
  await ui.waitForChart();
  await sleep(WARM_UP_MS);
  const spent = await (await PageCost.of(page)).during(() => sleep(LIVE_MS));
  for (const agent of agents) agent.interrupt();
  await Promise.all(running);
  await env.closePages();
  await Promise.all(agents.map((agent) => agent.close()));
  return spent;
}

/** Waits until the hub has all steps of an agent that rests: of a process that is faster than it, it gets the newest ones. */
async function received({ hub }: Environment, { sessionId }: Agent, taken: number): Promise<void> {
  const ask = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${hub.token}` };
    const answer = await fetch(`${hub.url}/api/runs/${sessionId}`, { headers }).catch(() => undefined); // a connection that was kept may end
    return answer?.ok ? ((await answer.json()) as { readonly row: RunRow }).row.steps : 0;
  };
  while ((await ask()) < taken) await sleep(50);
}

/** Opens a run with so many turns of rounds of three steps each, and returns its steps and the heap that the page needs with all of them. */
export async function heapOf(
  env: Environment,
  turns: number,
  rounds = ROUNDS_OF_TURN,
): Promise<{ readonly steps: number; readonly heap: number }> {
  const agent = longRunner(rounds, env.hub.address, turns);
  let taken = 0;
  stepsOf(agent).subscribe(() => taken++);
  for (let turn = 0; turn < turns; turn++) {
    await agent.call("Look everywhere.");
    await received(env, agent, taken);
  }
  const { page, ui } = await env.open({ reducedMotion: "no-preference", picture: "map" });
  await ui.choose(agent.sessionId);
  await ui.waitForRest();
  const [, steps] = await ui.steps();
  for (let at = steps; at > 0; at -= LOADED_AT_ONCE) {
    await ui.goTo(at);
    await ui.waitUntilLoaded(Math.max(1, at - LOADED_AT_ONCE));
  }
  await ui.goTo(steps);
  const heap = await (await PageCost.of(page)).steadyHeap();
  await env.closePages();
  await agent.close();
  return { steps, heap };
}

const [REQUESTS, AGENTS, STEPS_PER_SECOND, TURNS, ROUNDS_OF_TURN] = [660, 20, 5.4, 27, 500];

/** Measures what a person does for long: scrubbing with each tab, many agents at once, a long run. Returns a section of Markdown. */
export async function pageAims(env: Environment): Promise<string> {
  const tabs = await scrubTabs(env, REQUESTS);
  const many = await watchMany(env, AGENTS, STEPS_PER_SECOND);
  const long = await heapOf(env, TURNS);
  const row = ([tab, { main, script, style, layout, frames }]: readonly [string, Dragged]): string =>
    `| ${[tab, ...[main, script, style, layout].map((ms) => (ms / frames).toFixed(1))].join(" | ")} |`;
  return `## Every tab, many agents, many steps

Measured beside the map, at a load of ${loadavg()[0]!.toFixed(1)}.

| what | measured | aim |
| --- | --- | --- |
| ${AGENTS} agents at work, each with ${STEPS_PER_SECOND} steps a second, one of them followed: main thread | ${((100 * many.main) / many.wall).toFixed(0)} % of a core | 30 % |
| a run of ${long.steps.toLocaleString("en-US")} steps: heap with all of them | ${(long.heap / 1e6).toFixed(0)} MB | 150 MB |

Dragging along the scrubber of the run of ${REQUESTS} requests with each tab open, CPU of the main thread for each frame in ms. Aim: 16.

| tab | main thread | scripts | styles | layout |
| --- | --- | --- | --- | --- |
${tabs.map(row).join("\n")}
`;
}
