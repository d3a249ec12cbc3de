// The dialogs and pages about several runs are used with the keyboard alone, and nothing of them moves with reduced motion.
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, type Agent } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { join } from "node:path";
import { scratch } from "../store/scratch.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";

const { dir, remove } = scratch();
let env: Environment;
let live: Agent;
beforeAll(async () => {
  const path = join(dir, "s.db");
  const store = sqliteStore({ path });
  for (const sessionId of ["run-0", "run-1"]) {
    const agent = createAgent({
      name: "clerk",
      store,
      sessionId,
      model: scriptedModel([`I am ${sessionId}.`]),
    });
    await agent.call("Who are you?");
    await agent.close();
  }
  await store.close();
  env = await makeEnvironment(["--store", `sqlite:${path}`]);
  live = createAgent({
    name: "desk",
    model: scriptedModel(["Done."]),
    store: memoryStore(),
    inspect: env.hub.address,
  });
  await live.call("Go.");
});
afterEach(() => env.closePages());
afterAll(async () => {
  await live.close();
  await env.close();
  remove();
});

/** More tabs than a page has places. */
const MOST_TABS = 200;

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, what: Locator): Promise<void> {
  await what.first().waitFor();
  for (let pressed = 0; pressed < MOST_TABS; pressed++) {
    if (
      await what.evaluateAll((all) =>
        (all as unknown[]).includes(
          (globalThis as never as { document: { activeElement: unknown } }).document.activeElement,
        ),
      )
    )
      return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${String(what)} is not reached with Tab`);
}

async function enter(page: Page, what: Locator): Promise<void> {
  await tabTo(page, what);
  await page.keyboard.press("Enter");
}

const moving = (page: Page): Promise<number> =>
  page.evaluate(
    `document.getAnimations().filter(({ effect }) => effect.getComputedTiming().duration > 10).length`,
  );

test("breakpoints: their dialog is opened, filled in and left, and the focus is back where it was", async () => {
  const { page, ui, faults } = await env.open({ picture: "map" });
  await ui.choose(live.sessionId);
  const opener = page.getByRole("button", { name: "Breakpoints", exact: true });
  await enter(page, opener);
  const dialog = page.getByRole("dialog", { name: "Breakpoints" });
  await tabTo(page, dialog.getByLabel("Condition (JSON)"));
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type('{ "tool": "pay" }');
  await enter(page, dialog.getByRole("button", { name: "Add the breakpoint" }));
  await expect.poll(() => dialog.locator("[data-breakpoint]").allInnerTexts()).toEqual(["pay"]);
  await enter(page, dialog.getByRole("button", { name: "Remove pay" }));
  await dialog.getByText("This run has no breakpoints.").waitFor();
  expect(await moving(page)).toBe(0);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await expect
    .poll(() =>
      opener.first().evaluate((each: { matches(selector: string): boolean }) => each.matches(":focus")),
    )
    .toBe(true);
  expect(faults).toEqual(NO_FAULTS);
});

test("a label is given, and the overview leads to the run that has it", async () => {
  const { page, faults } = await env.open({ at: `${env.hub.link}/run/run-1` });
  await enter(page, page.getByRole("button", { name: "Label this run, or make a test of it" }));
  await tabTo(page, page.getByLabel("This run is"));
  await page.keyboard.type("wrong");
  await tabTo(page, page.getByLabel("Your name"));
  await page.keyboard.type("Ada");
  expect(await moving(page)).toBe(0);
  await enter(page, page.getByRole("button", { name: "Save" }));
  await expect.poll(() => page.getByTestId("labels").innerText()).toMatch(/wrong Ada/);
  await page.keyboard.press("Escape");
  await enter(page, page.getByRole("button", { name: "Overview of these runs" }));
  const labels = page.getByRole("table", { name: "Labels" });
  await expect.poll(() => labels.innerText()).toMatch(/wrong\s+1/);
  expect(await moving(page)).toBe(0);
  await enter(page, labels.getByRole("button", { name: /wrong/ }));
  await enter(page, page.getByTestId("runs-behind").locator('[data-behind="run-1"]'));
  await expect.poll(() => page.url()).toContain("#/run/run-1");
  expect(faults).toEqual(NO_FAULTS);
});

test("runs are chosen and compared, and the comparison is left", async () => {
  const { page, ui, faults } = await env.open({ at: `${env.hub.link}/run/run-0` });
  await enter(page, page.getByRole("button", { name: "Compare runs" }));
  await enter(page, ui.run("run-0"));
  await enter(page, ui.run("run-1"));
  const choice = page.getByRole("group", { name: "Compare runs" });
  await enter(page, choice.getByRole("button", { name: "Compare", exact: true }));
  await expect.poll(() => page.getByTestId("compare").innerText()).toContain("I am run-1.");
  expect(await moving(page)).toBe(0);
  expect(faults).toEqual(NO_FAULTS);
});
