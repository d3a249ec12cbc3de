// The map of an agent: its geometry, its clicks, and its zoom.
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "agentchart";
import { fullAgent, largestAgent, smallestAgent } from "../support/map-agents.ts";
import { accessibilityProblems, problemsInBothThemes } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import type { InspectorPage } from "./support/inspector-page.ts";
import { mapProblems } from "./support/map-geometry.ts";
import { settled } from "./support/settled.ts";

let env: Environment;
let small: Agent;
let full: Agent;
let large: Agent;
beforeAll(async () => {
  env = await makeEnvironment();
  const place = { inspect: env.hub.address };
  [small, full, large] = [await smallestAgent(place), await fullAgent(place), await largestAgent(place)];
});
afterEach(() => env.closePages());
afterAll(async () => {
  for (const each of [small, full, large]) await each.close();
  await env.close();
});

const NONE = { small: [], overlaps: [], outside: [] };

const onPhone = (page: Page, panel: string): Promise<void> =>
  page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: panel }).click();

async function choose(ui: InspectorPage, { sessionId, name }: Agent, isPhone = false): Promise<void> {
  if (isPhone) await onPhone(ui.page, "Runs");
  await ui.run(sessionId).click();
  if (isPhone) await onPhone(ui.page, "Chart");
  await ui.page.getByRole("group", { name: `Map of ${name}` }).waitFor();
  await settled(ui.page);
}

const card = (page: Page, id: string) => page.locator(`[data-card="${id}"]`);
const row = (page: Page, id: string) => page.locator(`svg.map [data-row="${id}"]`);
const viewOf = (page: Page): Promise<string> =>
  page.evaluate(
    `document.querySelector("svg.map") ? "map" : document.querySelector("svg.chart") ? "chart" : ""`,
  );

describe("The map at fit", () => {
  test.each([
    [1_440, 900],
    [1_024, 768],
    [390, 844],
  ] as const)(
    "has no text below 11 px, nothing that overlaps or is cut off, and no axe violation in a window of %i × %i px, for the smallest and for the largest agent, in dark and in light",
    async (width, height) => {
      const isPhone = width < 500;
      const phone = isPhone ? { isMobile: true, hasTouch: true } : {};
      const { page, ui, faults } = await env.open({ viewport: { width, height }, picture: "map", ...phone });
      for (const agent of [small, full, large]) {
        await choose(ui, agent, isPhone);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await settled(page);
          expect.soft(await mapProblems(page), `${agent.name} in ${colorScheme}`).toEqual(NONE);
        }
        expect.soft(await problemsInBothThemes(page, ".chart-pane"), agent.name).toEqual([]);
      }
      expect(faults).toEqual(NO_FAULTS);
    },
  );

  test("is the first picture that a new user sees, and names tools, hooks, sub-agents and who is asked", async () => {
    const { page, ui } = await env.open({ picture: "map" });
    await choose(ui, full);
    await expect.poll(() => card(page, "people").getAttribute("data-active")).toBe("true");
    const label = (id: string) => row(page, id).first().locator("title").textContent();
    expect(await label("tool:read_invoice")).toMatch(/1 calls.*failed attempts.*attempts after the first/);
    expect(await label("tool:archive")).toMatch(/never called/);
    expect(await label("tool:pay")).toMatch(/times a person was asked/);
    expect(await label("hook:preReasoning:house-rules")).toMatch(/changed something 3 times/);
    expect(await label("hook:postActing:in-cents")).toMatch(/ran after a tool .* changed something 3 times/);
    expect(await row(page, "tool:call_clerk").textContent()).toContain("clerk");
    expect(await card(page, "answer").getAttribute("data-grey")).toBe("true");
  });

  test("folds long lists, shows them when they are opened, and can then be moved to their end", async () => {
    const { page, ui } = await env.open({ picture: "map", viewport: { width: 1_024, height: 768 } });
    await choose(ui, large);
    await row(page, "fold:tools").click();
    await row(page, "tool:own_tool_18").waitFor();
    expect(await page.locator('[data-card="tools"] .map-row').count()).toBe(61);
    expect((await mapProblems(page)).small).toEqual([]);
    await row(page, "fold:tools").focus();
    await page.keyboard.press("Enter");
    await row(page, "tool:own_tool_18").waitFor({ state: "detached" });
  });
});

describe("A click on the map", () => {
  test("filters the steps and the conversation by a tool, and a second one shows all again", async () => {
    const { page, ui } = await env.open({ picture: "map" });
    await choose(ui, full);
    const messages = page.locator(".conversation .place");
    const all = await messages.count();
    await row(page, "tool:read_ledger").click();
    await page.getByText(/steps of read_ledger/).waitFor();
    await expect.poll(() => messages.count()).toBe(1);
    expect(await messages.first().innerText()).toContain("read_ledger");
    await page.locator(".place-note").getByRole("button", { name: "show all" }).click();
    await expect.poll(() => messages.count()).toBe(all);
    await row(page, "hook:postActing:in-cents").first().click();
    await page.getByText(/3 steps of in-cents/).waitFor();
  });

  test("on an edge filters by what went along it", async () => {
    const { page, ui } = await env.open({ picture: "map" });
    await choose(ui, full);
    await page.getByRole("button", { name: "questions to people: 1" }).click();
    await page.getByText(/1 step of questions to people/).waitFor();
  });
});

describe("Zooming into a card", () => {
  /** Where a state is on the screen. */
  const boxOf = (page: Page, state: string): Promise<{ x: number; y: number; width: number }> =>
    page.evaluate(`(() => {
      const { x, y, width } = document.querySelector('.chart [data-state="${state}"] .box').getBoundingClientRect();
      return { x, y, width };
    })()`);

  test("with the wheel leads to its states without a break, and out again to the map", async () => {
    const { page, ui, faults } = await env.open({ picture: "map", viewport: { width: 1_440, height: 900 } });
    await choose(ui, full);
    const box = (await card(page, "tools").boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel(0, -600);
    await page.locator(".chart-layer [data-state]").first().waitFor();
    let last: { x: number; y: number; width: number } | undefined;
    for (let turn = 0; turn < 60 && (await viewOf(page)) === "map"; turn++) {
      last = await boxOf(page, "agent.acting");
      await page.mouse.wheel(0, -60);
      await settled(page);
    }
    expect(await viewOf(page)).toBe("chart");
    const now = await boxOf(page, "agent.acting");
    const grown = now.width / last!.width;
    expect(grown).toBeGreaterThan(0.99);
    expect(grown).toBeLessThan(1.2); // one turn of the wheel, no jump
    const names = await page.locator('svg.chart [data-state="agent.acting.reviewing"] .title').count();
    expect(names).toBe(1);
    for (let turn = 0; turn < 80 && (await viewOf(page)) === "chart"; turn++) {
      await page.mouse.wheel(0, 80);
      await settled(page);
    }
    for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, 120);
    await settled(page);
    expect(await viewOf(page)).toBe("map");
    expect(await mapProblems(page)).toEqual(NONE);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("works with the keyboard alone, shows what the card stands for, and the map is one key away", async () => {
    const { page, ui } = await env.open({ picture: "map", viewport: { width: 1_440, height: 900 } });
    await choose(ui, full);
    await page.locator('[data-card="model"] .map-head').focus();
    await page.keyboard.press("Shift+Enter");
    await page.locator('svg.chart [data-state="agent.reasoning.calling"]').waitFor();
    const view = (await page.locator(".canvas").boundingBox())!;
    const states = await boxOf(page, "agent.reasoning.calling");
    expect(states.x).toBeGreaterThan(view.x);
    expect(states.x + states.width).toBeLessThan(view.x + view.width);
    await page.keyboard.press("m");
    await page.locator("svg.map").waitFor();
    await page.keyboard.press("m");
    await page.locator("svg.chart [data-overview], svg.chart[data-overview]").first().waitFor();
    expect(await accessibilityProblems(page, ".chart-pane")).toEqual([]);
  });
});
