import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { accessibilityProblems } from "./support/axe.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { parserFixer } from "./support/scene.ts";
import { smallTargets } from "./support/targets.ts";
import { asksClerk, outOfBudget } from "./support/waiting.ts";

let desk: Desk;
let agent: Agent;
let others: Agent[];
beforeAll(async () => {
  desk = await makeDesk();
  agent = parserFixer({ inspect: desk.hub.address, store: memoryStore() });
  await agent.call("Please mend the lexer.");
  others = await Promise.all([outOfBudget(desk.hub.address), asksClerk(desk.hub.address)]);
});
afterAll(async () => {
  for (const each of [agent, ...others]) await each.close();
  await desk.close();
});
afterEach(() => desk.closePages());

describe("No target is smaller than 24 px without room around it", () => {
  test.each(["dark", "light"] as const)("in any tab, dialog or card, in %s", async (colorScheme) => {
    const { page, ui } = await desk.open({ colorScheme });
    for (const each of others) {
      await ui.choose(each.sessionId);
      await page.locator("[data-pending]").waitFor();
      expect(await smallTargets(page), each.name).toEqual([]);
    }
    await ui.choose(agent.sessionId);
    const card = ui.pending("c5");
    for (const name of [/^Edit/, /^Deny/, /^Answer/]) {
      await card.getByRole("button", { name }).click();
      expect(await smallTargets(page), String(name)).toEqual([]);
      await card.getByRole("button", { name: "Back" }).click();
    }
    await ui.goTo(9);
    for (const tab of ["conversation", "context", "diff", "event", "tokens", "raw"]) {
      await ui.openTab(tab);
      expect(await smallTargets(page), tab).toEqual([]);
    }
    await page.locator('svg.chart [data-state="agent.acting"] .title').first().click({ force: true });
    await page.locator(".timeline .found").waitFor();
    expect(await smallTargets(page), "narrowed").toEqual([]);
    await page.keyboard.press("o");
    await page.locator(".outline-pane").waitFor();
    expect(await smallTargets(page), "outline").toEqual([]);
    for (const key of ["?", "g", "f"]) {
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      expect(await smallTargets(page), key).toEqual([]);
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
    }
  });

  test("on a phone", async () => {
    const { page } = await desk.open({ viewport: { width: 390, height: 844 } });
    await page.locator(".phone-nav").waitFor();
    const panels = page.getByRole("navigation", { name: "Panels" });
    for (const panel of ["Runs", "Chart", "Steps", "Details"]) {
      await panels.getByRole("button", { name: panel }).click();
      expect(await smallTargets(page), panel).toEqual([]);
    }
    await panels.getByRole("button", { name: "Runs" }).click();
    await page.locator(`[data-run="${agent.sessionId}"]`).click();
    await panels.getByRole("button", { name: "Details" }).click();
    await page.locator('[data-pending="c5"]').waitFor();
    expect(await smallTargets(page), "card").toEqual([]);
  });

  test("without a token", async () => {
    const { page } = await desk.open({ at: `${desk.hub.url}/` });
    await page.getByTestId("welcome").waitFor();
    expect(await smallTargets(page)).toEqual([]);
  });
});

describe.each(["dark", "light"] as const)("Who wants more contrast, in %s,", (colorScheme) => {
  test("gets stronger lines and words", async () => {
    const { page, ui } = await desk.open({ colorScheme });
    await ui.choose(agent.sessionId);
    const looks = (): Promise<string[]> =>
      page.evaluate(`[[".foot", "color"], [".run-line .words .mono", "color"], [".left", "borderRightColor"]]
        .map(([place, what]) => getComputedStyle(document.querySelector(place))[what])`);
    const usual = await looks();
    await page.emulateMedia({ contrast: "more", colorScheme });
    const same = async (): Promise<string[]> => (await looks()).filter((look, at) => look === usual[at]);
    await expect.poll(same).toEqual([]);
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
