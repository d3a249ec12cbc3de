// The processes of a hub, and the runs of each.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import type { Page } from "playwright-core";
import { CHARTS } from "../diagram/charts.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { settled } from "./support/settled.ts";
import { WireWorker } from "./support/wire-worker.ts";

let env: Environment;
let agent: Agent;
let other: WireWorker;
beforeAll(async () => {
  env = await makeEnvironment();
  agent = createAgent({ name: "here", model: scriptedModel(["Hello."]), inspect: env.hub.address });
  await agent.call("Hi.");
  other = await WireWorker.connect(env.hub, [{ hash: "odd", chart: CHARTS["the agent"]! }]);
  other.show("over-there", "odd", ["agent", "agent.reasoning"]);
});
afterEach(() => env.closePages());
afterAll(async () => {
  await agent.close();
  await env.close();
});

const processes = (page: Page) => page.getByRole("list", { name: "Processes" }).getByRole("button");
const runs = (page: Page): Promise<string[]> =>
  page
    .locator("[data-run]")
    .evaluateAll((lines) => lines.map((line) => line.getAttribute("data-run")!).toSorted());

test("selecting a process with the keyboard lists only its runs until it is deselected", async () => {
  const { page } = await env.open();
  await expect.poll(() => processes(page).allInnerTexts()).toHaveLength(2);
  const line = page.locator('[data-worker="by-hand"]');
  await expect.poll(() => line.innerText()).toMatch(/pid \d+\s+by-hand\s+up .* · 1 run$/);
  await expect.poll(() => runs(page)).toEqual([agent.sessionId, "over-there"].toSorted());
  await page.locator(".workers summary").focus();
  await page.keyboard.press("Tab");
  await processes(page).first().and(page.locator(":focus")).waitFor();
  await line.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => runs(page)).toEqual(["over-there"]);
  await expect.poll(() => line.getAttribute("aria-pressed")).toBe("true");
  await page.keyboard.press("Enter");
  await expect.poll(() => runs(page)).toHaveLength(2);
  await expect.poll(() => line.getAttribute("aria-pressed")).toBe("false");
});

test.each(["dark", "light"] as const)("the processes fit a phone's screen in the %s theme", async (theme) => {
  const { page } = await env.open({ colorScheme: theme, viewport: { width: 390, height: 844 } });
  await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Runs" }).click();
  await expect.poll(() => processes(page).count()).toBe(2);
  await processes(page).first().click();
  await expect.poll(() => processes(page).first().getAttribute("aria-pressed")).toBe("true");
  await settled(page);
  for (const line of await processes(page).all()) {
    const { x, width, height } = (await line.boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(390);
    expect(height).toBeGreaterThanOrEqual(24);
  }
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("a lost process is marked and its runs can still be listed", async () => {
  const { page } = await env.open();
  const line = page.locator('[data-worker="by-hand"]');
  await line.click();
  await expect.poll(() => runs(page)).toEqual(["over-there"]);
  await other.close();
  await expect.poll(() => line.innerText()).toMatch(/lost .* · 1 run$/);
  expect(await runs(page)).toEqual(["over-there"]);
  await expect.poll(() => page.locator("footer.foot").innerText()).toMatch(/^\s*1 process connected/);
});
