// The size of pointer targets, and colours of both themes.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { accessibilityProblems } from "./support/axe.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { parserFixer } from "./support/parser-fixer.ts";
import { targetsTooSmall } from "./support/target-size.ts";
import { agentWaitingForAnswer, agentOverBudget } from "./support/suspended-agents.ts";

let env: Environment;
let agent: Agent;
let waiting: Agent[];
beforeAll(async () => {
  env = await makeEnvironment();
  agent = parserFixer({ inspect: env.hub.address, store: memoryStore() });
  await agent.call("Please mend the lexer.");
  waiting = await Promise.all([agentOverBudget(env.hub.address), agentWaitingForAnswer(env.hub.address)]);
});
afterAll(async () => {
  for (const each of [agent, ...waiting]) await each.close();
  await env.close();
});
afterEach(() => env.closePages());

describe("Pointer targets", () => {
  test("are large enough or far enough apart in every tab, dialog and card, in dark and in light", async () => {
    const { page, ui } = await env.open();
    const tooSmall = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        found.push(...(await targetsTooSmall(page)));
      }
      return found;
    };
    for (const each of waiting) {
      await ui.choose(each.sessionId);
      await page.locator("[data-pending]").waitFor();
      expect(await tooSmall(), each.name).toEqual([]);
    }
    await ui.choose(agent.sessionId);
    const card = ui.pending("c5");
    for (const name of [/^Edit/, /^Deny/, /^Answer/]) {
      await card.getByRole("button", { name }).click();
      expect(await tooSmall(), String(name)).toEqual([]);
      await card.getByRole("button", { name: "Back" }).click();
    }
    await ui.goTo(9);
    for (const tab of ["conversation", "context", "diff", "event", "tokens", "raw", "prompt"]) {
      await ui.openTab(tab);
      expect(await tooSmall(), tab).toEqual([]);
    }
    const state = page.locator('svg.chart [data-state="agent.acting"] rect').first();
    await state.click({ force: true, position: { x: 5, y: 5 } }); // at fit its name has no room
    await page.locator(".timeline .found").waitFor();
    expect(await tooSmall(), "filtered").toEqual([]);
    await page.keyboard.press("o");
    await page.locator(".outline-pane").waitFor();
    expect(await tooSmall(), "outline").toEqual([]);
    for (const key of ["?", "g", "f"]) {
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      expect(await tooSmall(), key).toEqual([]);
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
    }
  });

  test("are large enough or far enough apart on a phone", async () => {
    const { page } = await env.open({ viewport: { width: 390, height: 844 } });
    await page.locator(".phone-nav").waitFor();
    const panels = page.getByRole("navigation", { name: "Panels" });
    for (const panel of ["Runs", "Chart", "Steps", "Details"]) {
      await panels.getByRole("button", { name: panel }).click();
      expect(await targetsTooSmall(page), panel).toEqual([]);
    }
    await panels.getByRole("button", { name: "Runs" }).click();
    await page.locator(`[data-run="${agent.sessionId}"]`).click();
    await panels.getByRole("button", { name: "Details" }).click();
    await page.locator('[data-pending="c5"]').waitFor();
    expect(await targetsTooSmall(page), "card").toEqual([]);
  });

  test("are large enough or far enough apart on the welcome page", async () => {
    const { page } = await env.open({ at: `${env.hub.url}/` });
    await page.getByTestId("welcome").waitFor();
    expect(await targetsTooSmall(page)).toEqual([]);
  });
});

describe.each(["dark", "light"] as const)("The %s theme", (colorScheme) => {
  test("has stronger lines and text if the user prefers more contrast", async () => {
    const { page, ui } = await env.open({ colorScheme });
    await ui.choose(agent.sessionId);
    const colours = (): Promise<string[]> =>
      page.evaluate(`[[".foot", "color"], [".run-line .title", "color"], [".left", "borderRightColor"]]
        .map(([place, what]) => getComputedStyle(document.querySelector(place))[what])`);
    const usual = await colours();
    await page.emulateMedia({ contrast: "more", colorScheme });
    const same = async (): Promise<string[]> =>
      (await colours()).filter((colour, at) => colour === usual[at]);
    await expect.poll(same).toEqual([]);
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
