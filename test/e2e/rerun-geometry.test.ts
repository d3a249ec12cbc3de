// The comparison of two runs is drawn well in every window.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "agentchart";
import { openSession } from "agentchart/session";
import { fileStore } from "agentchart/store/file";
import { hardToDraw } from "../support/planted/hard-to-draw.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { expectDrawnWell } from "./support/drawn-well.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";

let env: Environment;
let agent: Agent;
let forks: string[];
beforeAll(async () => {
  env = await makeEnvironment();
  const store = fileStore({ dir: env.home.sessions });
  agent = await hardToDraw({ store, inspect: env.hub.address });
  const session = await openSession(store, agent.sessionId);
  const { seq } = agent.status();
  const made = [1, 2, 3].map((n) => session.fork(seq, { sessionId: `fork-${n}-of-${agent.sessionId}` }));
  forks = (await Promise.all(made)).map(({ sessionId }) => sessionId);
});
afterEach(() => env.closePages());
afterAll(async () => {
  await agent.close();
  await env.close();
});

describe.each([
  [1_440, 900, "dark"],
  [1_024, 768, "light"],
  [390, 844, "dark"],
] as const)("In a window of %i × %i px in %s", (width, height, colorScheme) => {
  const isPhone = width < 600;

  test("a comparison is drawn well", async () => {
    const { page, faults } = await env.open({
      colorScheme,
      viewport: { width, height },
      isMobile: isPhone,
      at: `${env.hub.link}/compare/${[agent.sessionId, ...forks].map(encodeURIComponent).join(",")}`,
    });
    const compare = page.getByTestId("compare");
    await expect.poll(() => compare.locator("tbody tr").count()).toBeGreaterThan(8);
    await expectDrawnWell(page, "top");
    const table = compare.getByRole("region", { name: "Comparison" });
    await table.evaluate((each) => each.scrollTo(each.scrollWidth, each.scrollHeight));
    await expectDrawnWell(page, "end");
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("the head of a fork has two rows at most", async () => {
    const { page } = await env.open({
      colorScheme,
      viewport: { width, height },
      isMobile: isPhone,
      at: `${env.hub.link}/run/${encodeURIComponent(forks[0]!)}`,
    });
    const head = page.locator("header.header");
    await head.locator(isPhone ? ".status" : ".metrics").waitFor();
    expect((await head.boundingBox())!.height).toBeLessThan(80);
  });

  test("the dialog of forks is drawn well", async () => {
    const { page, ui, faults } = await env.open({
      colorScheme,
      viewport: { width, height },
      isMobile: isPhone,
      at: `${env.hub.link}/run/${encodeURIComponent(agent.sessionId)}`,
    });
    await ui.waitForRest();
    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog");
    await dialog.locator("option", { hasText: "system prompt" }).first().waitFor({ state: "attached" });
    const choices = await dialog.getByRole("combobox").locator("option").allInnerTexts();
    for (const label of choices.slice(1)) {
      await dialog.getByRole("combobox", { name: "Add a change" }).selectOption({ label });
      await dialog.getByRole("button", { name: "Take this change back" }).last().waitFor();
    }
    for (const edge of ["start", "end"] as const) {
      await dialog.evaluate((each, to) => {
        const scrolled = [each, ...each.querySelectorAll("*")].filter(
          ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight,
        );
        for (const box of scrolled) box.scrollTop = to === "end" ? box.scrollHeight : 0;
      }, edge);
      await expectDrawnWell(page, edge);
    }
    expect(await accessibilityProblems(page, "dialog")).toEqual([]);
    expect(faults).toEqual(NO_FAULTS);
  });
});
