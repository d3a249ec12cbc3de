import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { CHARTS } from "../layout/charts.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { HeldModel } from "./support/held-model.ts";
import { longRunner } from "./support/long-run.ts";
import { PageCost } from "./support/page-cost.ts";
import { truthOf } from "./support/truth.ts";
import { WireWorker } from "./support/wire-worker.ts";

const MEGABYTE = 1_000_000;
/** How long a page is left open: a minute, or twenty with SOAK=1. */
const OPEN_FOR_MS = process.env["SOAK"] === "1" ? 20 * 60_000 : 60_000;

let desk: Desk;
beforeAll(async () => {
  desk = await makeDesk();
});
afterAll(() => desk.close());
afterEach(() => desk.closePages());

test("a run of 10,000 steps is there whole, at any step, and the page stays small", async () => {
  const agent = longRunner(1_100, desk.hub.address);
  const truth = truthOf(agent);
  await agent.call("Look everywhere.");
  expect(truth.length).toBeGreaterThan(10_000);
  const { page, ui, faults } = await desk.open();
  const cost = await PageCost.of(page);
  await ui.choose(agent.sessionId);
  await expect.poll(async () => (await ui.step())[1]).toBe(truth.length);
  for (const q of [1, 4_321, 7_777, truth.length, 2, 5_000]) {
    await ui.goTo(q);
    await expect.poll(() => ui.active(), { message: `step ${q}` }).toEqual(truth[q - 1]!.states);
    await expect.poll(async () => (await ui.context(q)) !== undefined).toBe(true);
  }
  expect(await page.locator("[data-q]").count()).toBeLessThan(100);
  expect(await cost.heap()).toBeLessThan(150 * MEGABYTE);
  expect(faults).toEqual(NO_FAULTS);
  await agent.close();
});

test("10,000 runs are in the list, drawn as far as they are seen, and found by their names", async () => {
  const chart = CHARTS["parallel states"]!;
  const worker = await WireWorker.connect(desk.hub, [{ hash: "many", chart }]);
  for (let index = 0; index < 10_000; index += 1) {
    const runId = `many-${String(index).padStart(5, "0")}`;
    worker.show(runId, "many", [chart.id], { phase: "stopped", agent: `agent ${index}` });
  }
  const { page, ui } = await desk.open();
  const list = page.getByRole("list", { name: "Runs" });
  await expect
    .poll(() => page.locator('[data-group="finished"]').innerText(), { timeout: 60_000 })
    .toMatch(/10k|10,0/);
  expect(await page.locator("[data-run]").count()).toBeLessThan(100);
  await list.evaluate((scroller: { scrollTop: number; scrollHeight: number }) => {
    scroller.scrollTop = scroller.scrollHeight;
  });
  expect(await page.locator("[data-run]").count()).toBeLessThan(100);
  await page.getByRole("searchbox").fill("many-09876");
  await ui.run("many-09876").waitFor();
  await worker.close();
});

test("a page that is left open does not grow", { timeout: OPEN_FOR_MS + 120_000 }, async () => {
  const held = new HeldModel();
  const agent = createAgent({ name: "waiting", model: held.model, inspect: desk.hub.address });
  const reply = agent.call("Wait.");
  await held.asked(1);
  const { page, ui } = await desk.open();
  const cost = await PageCost.of(page);
  await ui.choose(agent.sessionId);
  await sleep(5_000);
  const before = await cost.heap();
  await sleep(OPEN_FOR_MS);
  expect(await cost.heap()).toBeLessThan(before * 1.1 + MEGABYTE);
  held.give({ type: "text.delta", delta: "Done." }, { type: "finish", reason: "stop" });
  await reply;
  await expect.poll(() => ui.standing()).toMatch(/stopped/);
  await agent.close();
});
