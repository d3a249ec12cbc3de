import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent } from "agentchart";
import type { JournalEntry } from "agentchart/session";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { busyAgent } from "./support/busy.ts";
import { NO_FAULTS, open } from "./support/browser.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { makeHome, startHub } from "./support/hub.ts";
import { HeldModel } from "./support/held-model.ts";
import { InspectorPage } from "./support/inspector-page.ts";
import { longRunner } from "./support/long-run.ts";
import { PageCost } from "./support/page-cost.ts";
import { pageSize } from "./support/page-size.ts";
import { truthOf } from "./support/truth.ts";

const MEGABYTE = 1_000_000;
/** How long a page is left open: a minute, or twenty with SOAK=1. */
const OPEN_FOR_MS = process.env["SOAK"] === "1" ? 20 * 60_000 : 60_000;

let desk: Desk;
beforeAll(async () => {
  desk = await makeDesk();
});
afterAll(() => desk.close());
afterEach(() => desk.closePages());

test("the page without its fonts is at most 150 KB", () => {
  expect(pageSize().code).toBeLessThan(150_000);
});

test("a run of 10,000 steps is there whole, at any step, and the page stays small", async () => {
  const agent = longRunner(999, desk.hub.address);
  const truth = truthOf(agent);
  await agent.call("Look everywhere.");
  expect(truth.length).toBeGreaterThan(9_990);
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

test("while many steps come, only what they change moves; then the newest is shown in every panel", async () => {
  const agent = busyAgent(desk.hub.address);
  const truth = truthOf(agent);
  const { page, ui, faults } = await desk.open();
  const running = agent.call("Go on.");
  await ui.choose(agent.sessionId);
  await expect.poll(() => truth.length).toBeGreaterThan(200);
  const busy = (): Promise<unknown> =>
    page.evaluate(`document.documentElement.hasAttribute("data-busy")
      && { motions: document.getAnimations().filter(({ playState }) => playState === "running").length }`);
  let seen: unknown;
  await expect.poll(async () => (seen = await busy())).not.toBe(false);
  expect(seen).toEqual({ motions: 0 });
  agent.interrupt();
  await running;
  await expect.poll(busy).toBe(false);
  await ui.at(truth.length);
  expect(await ui.step()).toEqual([truth.length, truth.length]);
  expect(await ui.active()).toEqual(truth.at(-1)!.states);
  expect(await page.locator('.timeline [aria-selected="true"]').getAttribute("data-q")).toBe(
    String(truth.length),
  );
  expect(faults).toEqual(NO_FAULTS);
  await agent.close();
});

test("10,000 stored runs are in the list, drawn as far as they are seen, and found by their names", async () => {
  const home = makeHome();
  await storeCopies(join(home.path, "many.sqlite"), 10_000);
  const hub = await startHub(home, ["--store", `sqlite:${join(home.path, "many.sqlite")}`]);
  const { page } = await open(desk.browser, hub.link);
  const ui = new InspectorPage(page);
  await page.locator("[data-run]").first().waitFor();
  const list = page.locator(".run-list");
  await list.evaluate(`(scroller) => (scroller.scrollTop = 0)`);
  await expect.poll(() => page.locator('[data-group="finished"]').innerText()).toMatch(/10k|10,000/);
  for (let turns = 0; turns < 5; turns += 1) {
    await list.evaluate(`(scroller) => (scroller.scrollTop = scroller.scrollHeight)`);
    expect(await page.locator("[data-run]").count()).toBeLessThan(100);
  }
  await page.getByRole("searchbox").fill("many-09876");
  await ui.run("many-09876").waitFor();
  await page.context().close();
  await hub.stop();
  home.remove();
});

/** Fills a store with as many sessions, each with the journal of one that was played. */
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

test("a page that is left open does not grow", { timeout: OPEN_FOR_MS + 120_000 }, async () => {
  const held = new HeldModel();
  const endless = { timeoutMs: Number.POSITIVE_INFINITY, idleTimeoutMs: Number.POSITIVE_INFINITY };
  const agent = createAgent({
    name: "waiting",
    model: held.model,
    modelExecution: endless,
    inspect: desk.hub.address,
  });
  const reply = agent.call("Wait.");
  await held.asked(1);
  const { page, ui } = await desk.open();
  const cost = await PageCost.of(page);
  await ui.choose(agent.sessionId);
  const before = await cost.steadyHeap();
  await sleep(OPEN_FOR_MS);
  expect(await cost.heap()).toBeLessThan(before * 1.1 + MEGABYTE);
  held.give({ type: "text.delta", delta: "Done." }, { type: "finish", reason: "stop" });
  await reply;
  await expect.poll(() => ui.standing()).toMatch(/stopped/);
  await agent.close();
});
