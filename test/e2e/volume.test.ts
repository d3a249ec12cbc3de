// Large runs: memory, nodes and time of the page.
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent } from "agentchart";
import type { JournalEntry } from "agentchart/session";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { busyAgent } from "./support/busy.ts";
import { NO_FAULTS, open } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { makeHome, startHub } from "./support/hub.ts";
import { InspectorPage } from "./support/inspector-page.ts";
import { longRunner } from "./support/long-run.ts";
import { PageCost } from "./support/page-cost.ts";
import { recordMicrosteps } from "./support/record-microsteps.ts";

const MEGABYTE = 1_000_000;

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env.close());
afterEach(() => env.closePages());

test("a run of 10,000 steps can be shown at any step with a small DOM and heap", async () => {
  const agent = longRunner(3_332, env.hub.address);
  const microsteps = recordMicrosteps(agent);
  await agent.call("Look everywhere.");
  expect(microsteps.length).toBeGreaterThan(9_990);
  const { page, ui, faults } = await env.open({ reducedMotion: "no-preference" });
  const cost = await PageCost.of(page);
  await ui.choose(agent.sessionId);
  await expect.poll(async () => (await ui.steps())[1]).toBe(microsteps.length);
  for (const stepNumber of [1, 4_321, 7_777, microsteps.length, 2, 5_000]) {
    await ui.goTo(stepNumber);
    await expect
      .poll(() => ui.activeStates(), { message: `step ${stepNumber}` })
      .toEqual(microsteps[stepNumber - 1]!.states);
    await expect.poll(async () => (await ui.context(stepNumber)) !== undefined).toBe(true);
  }
  expect(await page.locator("[data-step]").count()).toBeLessThan(100);
  expect(await cost.heap()).toBeLessThan(150 * MEGABYTE);
  expect(faults).toEqual(NO_FAULTS);
  await agent.close();
});

test("a run of 100 steps a second is followed without animations, and every panel shows the newest step afterwards", async () => {
  const agent = busyAgent(env.hub.address, 100);
  const microsteps = recordMicrosteps(agent);
  const { page, ui, faults } = await env.open({ reducedMotion: "no-preference" });
  const running = agent.call("Go on.");
  await ui.choose(agent.sessionId);
  const shown = page.locator('.timeline [aria-selected="true"]');
  const shownStep = async (): Promise<number> => Number(await shown.getAttribute("data-step"));
  for (const steps of [500, 1_000, 1_500]) {
    await expect.poll(() => microsteps.length).toBeGreaterThan(steps);
    await expect.poll(shownStep).toBeGreaterThan(steps);
  }
  const busy = (): Promise<unknown> =>
    page.evaluate(`document.documentElement.hasAttribute("data-busy")
      && { motions: document.getAnimations().filter(({ playState }) => playState === "running").length }`);
  let observed: unknown;
  await expect.poll(async () => (observed = await busy())).not.toBe(false);
  expect(observed).toEqual({ motions: 0 });
  expect(await page.locator(".conversation article").count()).toBeLessThan(40);
  expect(await page.locator("[data-step]").count()).toBeLessThan(100);
  agent.interrupt();
  await running;
  await expect.poll(busy).toBe(false);
  const count = microsteps.length;
  await ui.waitForStep(count);
  expect(await ui.steps()).toEqual([count, count]);
  expect(
    await page.evaluate(
      `Array.from({ length: ${count} }, (_, at) => at + 1).filter((step) => !__agentchart.stepAt(step))`,
    ),
  ).toEqual([]);
  expect(await ui.activeStates()).toEqual(microsteps.at(-1)!.states);
  expect(await shownStep()).toBe(count);
  expect(faults).toEqual(NO_FAULTS);
  await agent.close();
});

test("a run at rest moves nothing on its map, and few messages are drawn while a person drags along its steps", async () => {
  const agent = longRunner(100, env.hub.address);
  await agent.call("Look everywhere.");
  const { page, ui, faults } = await env.open({ reducedMotion: "no-preference", picture: "map" });
  await ui.run(agent.sessionId).click();
  await ui.waitForRest();
  await expect
    .poll(() =>
      page.evaluate(`document.getAnimations().filter(({ playState }) => playState === "running").length`),
    )
    .toBe(0);
  const messages = page.locator(".conversation article");
  await expect.poll(() => messages.count()).toBeGreaterThan(10);
  const atRest = await messages.count();
  const { x, y, width } = (await page.locator(".scrubber").boundingBox())!;
  await page.mouse.move(x + 1, y + 5);
  await page.mouse.down();
  await expect
    .poll(async () => {
      for (let move = 0; move < 30; move++)
        await page.mouse.move(x + width * (0.5 + 0.4 * Math.sin(move)), y + 5);
      return messages.count();
    })
    .toBeLessThan(atRest * 0.7);
  await page.mouse.up();
  await expect.poll(() => messages.count()).toBeGreaterThan(atRest * 0.7); // all that fill the view, once it rests
  expect(faults).toEqual(NO_FAULTS);
  await agent.close();
});

test("a list of 10,000 stored runs renders only its visible part and can be searched", async () => {
  const home = makeHome();
  await storeCopies(join(home.path, "many.sqlite"), 10_000);
  const hub = await startHub(home, ["--store", `sqlite:${join(home.path, "many.sqlite")}`]);
  const { page } = await open(env.browser, hub.link, { reducedMotion: "no-preference" });
  const ui = new InspectorPage(page);
  await page.locator("[data-run]").first().waitFor();
  const list = page.locator(".run-list");
  await list.evaluate(`(scroller) => (scroller.scrollTop = 0)`);
  await expect.poll(() => page.locator('[data-group="finished"]').innerText()).toMatch(/10k|10,000/);
  for (let turns = 0; turns < 5; turns += 1) {
    await list.evaluate(`(scroller) => (scroller.scrollTop = scroller.scrollHeight)`);
    expect(await page.locator("[data-run]").count()).toBeLessThan(100);
  }
  await page.getByRole("searchbox", { name: "Find a run" }).fill("many-09876");
  await ui.run("many-09876").waitFor();
  await page.context().close();
  await hub.stop();
  home.remove();
});

/** Fills a store with this number of sessions, each with a copy of one session's journal. */
async function storeCopies(path: string, count: number): Promise<void> {
  const store = sqliteStore({ path });
  const agent = createAgent({ name: "many", model: scriptedModel(["Hi."]), store, sessionId: "many-00000" });
  await agent.call("Hello.");
  await agent.close();
  const entries: JournalEntry[] = [];
  for await (const entry of store.read("many-00000")) entries.push(entry);
  const { position } = (await store.load("many-00000"))!;
  for (let index = 1; index < count; index += 1) {
    const sessionId = `many-${String(index).padStart(5, "0")}`;
    const { fence } = (await store.acquire(sessionId, { owner: "copies", ttlMs: 1_000 }))!;
    await store.append(sessionId, { expectedSeq: 0, fence, entries, position });
  }
  await store.close();
}
