// No text of the page overlaps, is cut off or is too small.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import type { Agent } from "agentchart";
import { forgottenApproval } from "../support/planted/forgotten-approval.ts";
import { hardToDraw } from "../support/planted/hard-to-draw.ts";
import { modelGone } from "../support/planted/model-gone.ts";
import { parallelFailures } from "../support/planted/parallel-failures.ts";
import { tokenBudget } from "../support/planted/token-budget.ts";
import { problemsInBothThemes } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { expectDrawnWellInBothThemes } from "./support/drawn-well.ts";
import { settled } from "./support/settled.ts";
import { chartOverlaps, chartTexts } from "./support/text-geometry.ts";

/** How many lines the tabs of the details need. */
const tabLines = (page: Page): Promise<number> =>
  page.evaluate(
    `new Set([...document.querySelectorAll(".tabs [role=tab]")].map((tab) => tab.getBoundingClientRect().top)).size`,
  );

/** How many lines the parts of each element take. */
const linesOf = (all: unknown): readonly number[] =>
  (all as { readonly children: Iterable<{ getBoundingClientRect(): { readonly bottom: number } }> }[]).map(
    ({ children }) =>
      new Set([...children].map((each) => Math.round(each.getBoundingClientRect().bottom / 8))).size,
  );

let env: Environment;
let agents: readonly Agent[] = [];
beforeAll(async () => {
  env = await makeEnvironment();
  const bugs = [forgottenApproval, hardToDraw, modelGone, parallelFailures, tokenBudget];
  agents = await Promise.all(bugs.map((bug) => bug({ inspect: env.hub.address })));
});
afterEach(() => env.closePages());
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await env.close();
});

test.each([
  [1_440, 900],
  [1_024, 768],
] as const)(
  "no text overlaps, is small or is cut off in a window of %i px, in dark and in light",
  async (width, height) => {
    const { page, ui, faults } = await env.open({ viewport: { width, height } });
    const tabs: number[] = [];
    for (const { sessionId } of agents) {
      await ui.choose(sessionId);
      for (const lower of ["Steps", "Waterfall"]) {
        await page.getByRole("button", { name: lower, exact: true }).click();
        await expectDrawnWellInBothThemes(page, `${sessionId} ${lower}`);
      }
      expect(await problemsInBothThemes(page)).toEqual([]);
      expect(await page.locator(".filters .choose").evaluateAll(linesOf)).toEqual([1, 1]);
      tabs.push(await page.locator(".tabs [role=tab]").count());
      expect(await tabLines(page)).toBe(1);
    }
    expect(Math.max(...tabs)).toBe(8);
    const named = await chartTexts(page);
    expect(named.map(({ text }) => text)).toEqual(expect.arrayContaining(["reasoning", "acting", "stopped"]));
    expect(named.filter(({ px }) => px < 10.99)).toEqual([]); // what has no room is left out until a person zooms in
    await page.getByRole("button", { name: /Show visit counts/ }).click();
    expect((await chartTexts(page)).filter(({ px }) => px < 10.99)).toEqual([]);
    await page.getByRole("button", { name: "Zoom to the active state" }).click();
    await settled(page);
    expect(await chartOverlaps(page)).toEqual([]);
    for (const tab of ["diff", "event", "tokens", "prompt"]) {
      await ui.openTab(tab);
      await expectDrawnWellInBothThemes(page, tab);
    }
    await page.keyboard.press("o");
    await expectDrawnWellInBothThemes(page, "outline");
    expect(faults).toEqual(NO_FAULTS);
  },
);

test("no text overlaps, is small or is cut off on a phone, in dark and in light, and no number or command is missing", async () => {
  const { page, ui, faults } = await env.open({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const show = (panel: string): Promise<void> =>
    page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: panel }).click();
  for (const { sessionId } of agents) {
    await show("Runs");
    await expectDrawnWellInBothThemes(page, "runs");
    await ui.choose(sessionId);
    for (const panel of ["Chart", "Steps", "Details"]) {
      await show(panel);
      await expectDrawnWellInBothThemes(page, `${sessionId} ${panel}`);
    }
    expect(await tabLines(page)).toBe(1);
    expect(await problemsInBothThemes(page)).toEqual([]);
    const shown = page.locator("header.header");
    expect(await shown.locator(".metrics dt:visible").allInnerTexts()).toEqual([
      "in",
      "cached",
      "out",
      "cost",
      "elapsed",
    ]);
    await shown.getByRole("button", { name: "More about the page" }).click();
    for (const name of ["Export this run as a file", /^Hand on/, /^Theme/, "Keyboard shortcuts"])
      await shown.getByRole("menuitem", { name }).waitFor();
    await page.keyboard.press("Escape");
  }
  await show("Steps");
  for (const part of [".line .tok", ".line .note"])
    await expect.poll(() => page.locator(`${part}:visible`).count(), { message: part }).toBeGreaterThan(0);
  expect(faults).toEqual(NO_FAULTS);
});
