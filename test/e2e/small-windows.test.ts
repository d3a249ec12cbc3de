// The layout of the page in small windows.
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "agentchart";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { parserFixer } from "./support/parser-fixer.ts";
import { settled } from "./support/settled.ts";

let env: Environment;
let agent: Agent;
beforeAll(async () => {
  env = await makeEnvironment();
  agent = parserFixer({ name: "an-agent-with-a-rather-long-name", inspect: env.hub.address });
  await agent.call("Please mend the lexer.");
});
afterAll(async () => {
  await agent.close();
  await env.close();
});
afterEach(() => env.closePages());

/** Returns the selectors of visible parts whose content is wider than they are. */
const cutOff = (page: Page, parts: readonly string[]): Promise<string[]> =>
  page.evaluate(`${JSON.stringify(parts)}.filter((part) =>
    [...document.querySelectorAll(part)].some((each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1))`);

const PARTS = [
  ".foot",
  ".filters",
  ".tabs",
  ".player",
  ".line.is-head",
  ".outline-pane",
  ".tokens",
  ".pending",
];

describe("The layout", () => {
  test("cuts nothing off in a window of 1024 px and places the chart below its toolbar", async () => {
    const { page, ui } = await env.open({ viewport: { width: 1_024, height: 720 } });
    await ui.choose(agent.sessionId);
    await ui.pending("c5").waitFor();
    await expect.poll(() => cutOff(page, PARTS)).toEqual([]);
    await settled(page);
    const chosen = (await page.getByRole("combobox", { name: "Filter runs" }).boundingBox())!;
    expect(chosen.width).toBeGreaterThan(90); // "all runs" can be read
    const edges = await page.evaluate<readonly [tools: number, chart: number]>(
      `[document.querySelector(".tools").getBoundingClientRect().bottom,
        document.querySelector("svg.chart > g").getBoundingClientRect().top]`,
    );
    expect(edges[1]).toBeGreaterThanOrEqual(edges[0]);
    await ui.openTab("tokens");
    await page.keyboard.press("o");
    await page.locator(".outline-pane").waitFor();
    await expect.poll(() => cutOff(page, PARTS)).toEqual([]);
  });

  test("cuts nothing off on a phone in any panel", async () => {
    const { page, ui } = await env.open({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const show = (panel: string): Promise<void> =>
      page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: panel }).click();
    await show("Runs");
    await ui.choose(agent.sessionId);
    await page.getByRole("button", { name: "Outline (o)" }).click();
    for (const panel of ["Runs", "Chart", "Steps", "Details"]) {
      await show(panel);
      await expect.poll(() => cutOff(page, PARTS), { message: panel }).toEqual([]);
    }
    await show("Chart");
    for (const picture of ["Map", "Engine"]) {
      await page.getByRole("button", { name: picture, exact: true }).click();
      const lefts = page.evaluate<readonly number[]>(
        `[...document.querySelectorAll(".tools > *")].map((each) => each.getBoundingClientRect().left)`,
      );
      expect(Math.min(...(await lefts))).toBeGreaterThanOrEqual(0);
    }
    await show("Details");
    await ui.openTab("tokens");
    await expect.poll(() => cutOff(page, PARTS)).toEqual([]);
    await settled(page);
    const [pill, word] = await page.evaluate<readonly [number, number]>(
      `(() => {
        const pill = document.querySelector(".status");
        const range = document.createRange();
        range.selectNodeContents([...pill.childNodes].find((each) => each.nodeType === 3));
        return [pill.getBoundingClientRect().right, range.getBoundingClientRect().right];
      })()`,
    );
    expect(word).toBeLessThanOrEqual(pill);
    expect(await page.locator("kbd").filter({ visible: true }).count()).toBe(0);
  });
});

test("the event tab names the first transition of a step by its event", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await ui.waitForRest();
  const stepOf = (event: string): Promise<number> =>
    page.evaluate(`Array.from({ length: __agentchart.steps }, (_, at) => at + 1)
      .find((n) => __agentchart.stepAt(n).event === ${JSON.stringify(event)})`);
  await ui.goTo(await stepOf("xstate.done.actor.reviewCalls"));
  const event = await ui.openTab("event");
  await expect
    .poll(() => event.locator("[data-guard=taken]").first().innerText())
    .toMatch(/done reviewCalls\s+→ acting.authorizing/);
});
