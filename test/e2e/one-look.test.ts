// The look that the pages share: one typeface, one base size, and a head that leaves a phone its room.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { devProject } from "../support/dev-project.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { launch, open } from "./support/browser.ts";
import { parserFixer } from "./support/parser-fixer.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env?.close());

type Look = { readonly family: string; readonly size: string; readonly isLoaded: boolean };

const look = (page: Page): Promise<Look> =>
  page.evaluate<Look>(`(() => {
    const { fontFamily, fontSize } = getComputedStyle(document.body);
    const family = fontFamily.split(",")[0].replaceAll('"', "");
    const isLoaded = [...document.fonts].some((font) =>
      font.family.replaceAll('"', "") === family && font.status === "loaded");
    return { family, size: fontSize, isLoaded };
  })()`);

test("inspector and chat are set in one typeface, which both bring along, at 13 px", async () => {
  const expected = { family: "Inter Variable", size: "13px", isLoaded: true };
  const { page } = await env.open();
  await expect.poll(() => look(page)).toEqual(expected);
  const browser = await launch();
  onTestFinished(() => browser.close());
  const dev = await devProject().dev();
  const chat = await open(browser, dev.chat.href);
  await expect.poll(() => look(chat.page)).toEqual(expected);
});

test("on a phone the head of the page is one row", async () => {
  const agent = parserFixer({ name: "an-agent-with-a-rather-long-name", inspect: env.hub.address });
  onTestFinished(() => agent.close());
  await agent.call("Please mend the lexer.");
  const { page, ui } = await env.open({
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  });
  const panels = page.getByRole("navigation", { name: "Panels" });
  await panels.getByRole("button", { name: "Runs" }).click();
  await ui.choose(agent.sessionId);
  const head = (await page.locator("header.header").boundingBox())!;
  const button = (await page.locator("header.header button:visible").first().boundingBox())!;
  expect(head.y).toBe(0);
  expect(head.height).toBeLessThan(button.height * 2); // a second row needs as much again
});
