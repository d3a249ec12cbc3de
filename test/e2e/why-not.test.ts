// The page says why a state was not entered: which guards were false, and what they read.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Agent } from "agentchart";
import { accessibilityProblems } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { expectDrawnWellInBothThemes } from "./support/drawn-well.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { parserFixer } from "./support/parser-fixer.ts";

let env: Environment;
let agent: Agent;
beforeAll(async () => {
  env = await makeEnvironment();
  agent = parserFixer({ inspect: env.hub.address });
  await agent.call("Please mend the lexer.");
});
afterEach(() => env.closePages());
afterAll(async () => {
  await agent.close();
  await env.close();
});

test.each([
  [1_440, 900],
  [1_024, 768],
  [390, 844],
] as const)(
  "at %d × %d px a guard line says that it was false, and with which values",
  async (width, height) => {
    const isPhone = width < 500;
    const { page, faults } = await env.open({
      viewport: { width, height },
      at: `${env.hub.link}/run/${encodeURIComponent(agent.sessionId)}`,
      ...(isPhone && { isMobile: true, hasTouch: true }),
    });
    if (isPhone)
      await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Chart" }).click();
    await page.locator('svg.chart [data-state="agent.summarizing"]').dispatchEvent("click"); // lines lie over it
    await page.getByRole("button", { name: "Why not summarizing?" }).click();
    const lines = page.getByTestId("why-not").locator("[data-verdict=false]");
    await lines.first().waitFor();
    expect((await lines.locator(".why-reads").allInnerTexts()).join("\n")).toMatch(/\w+(?:\.\w+)* = \S/);
    await expectDrawnWellInBothThemes(page, "why not");
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(faults).toEqual(NO_FAULTS);
  },
);
