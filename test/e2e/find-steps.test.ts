// Finding steps of a run, by words and by what they are about.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Agent } from "agentchart";
import { accessibilityProblems } from "./support/axe.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { longRunner } from "./support/long-run.ts";
import { NO_FAULTS } from "./support/browser.ts";

let env: Environment;
let agent: Agent;
beforeAll(async () => {
  env = await makeEnvironment();
  agent = longRunner(12, env.hub.address);
  await agent.call("Look for the ring.");
});
afterEach(() => env.closePages());
afterAll(async () => {
  await agent.close();
  await env.close();
});

test("steps of a run are found by words and by what they are about", async () => {
  const { page, ui, faults } = await env.open();
  await ui.choose(agent.sessionId);
  await ui.waitForRest();
  const field = page.getByRole("searchbox", { name: "Find a step" });
  const sort = page.getByRole("combobox", { name: "Filter steps" });
  const found = page.locator(".timeline .found");
  const titles = () => page.locator(".timeline [data-step] .title").allInnerTexts();

  await page.locator("body").press("s");
  await page.keyboard.type("nothing at 7");
  await expect.poll(() => found.innerText()).toMatch(/^\d+ steps? of \d+$/);
  await expect.poll(async () => (await titles()).includes("look returned")).toBe(true);
  await field.press("Enter");
  await field.press("Shift+Enter");
  const [at] = await ui.steps();
  expect(await page.locator(`.timeline [data-step="${at}"]`).getAttribute("aria-selected")).toBe("true");

  await field.fill("");
  await sort.selectOption("model");
  await expect.poll(() => found.innerText()).toMatch(/^13 steps of/);
  expect((await titles()).every((title) => title.startsWith("the model"))).toBe(true);
  await field.fill("no such word");
  await expect.poll(() => found.innerText()).toMatch(/^No matching steps of/);
  expect(await accessibilityProblems(page, ".bottom")).toEqual([]);
  await field.press("Escape");
  await expect.poll(() => found.count()).toBe(0);
  expect(await field.inputValue()).toBe("");
  expect(faults).toEqual(NO_FAULTS);
});

test("a search ends the waterfall, and another run begins without it", async () => {
  const other = longRunner(1, env.hub.address);
  await other.call("Look again.");
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await ui.waitForRest();
  await page.getByRole("button", { name: "Waterfall" }).click();
  await page.getByRole("searchbox", { name: "Find a step" }).fill("ring");
  await page.locator(".timeline .found").waitFor();
  await ui.choose(other.sessionId);
  await expect.poll(() => page.getByRole("searchbox", { name: "Find a step" }).inputValue()).toBe("");
  expect(await page.locator(".timeline .found").count()).toBe(0);
  await other.close();
});

test("the waterfall has lanes after a change of runs with as many changes", async () => {
  const other = longRunner(12, env.hub.address);
  await other.call("Look for the ring.");
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await ui.waitForRest();
  await page.getByRole("button", { name: "Waterfall" }).click();
  const lanes = page.locator('.waterfall [role="option"]');
  for (const { sessionId } of [other, agent, other]) {
    await expect.poll(() => lanes.count()).toBeGreaterThan(3);
    await ui.choose(sessionId);
    await ui.waitForRest();
    await expect.poll(() => lanes.count()).toBeGreaterThan(3);
  }
  await other.close();
});

test("a filter by a state marks no other step than the one that is shown", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await ui.waitForRest();
  await page.getByRole("tab", { name: "Event" }).click();
  await page.locator('[data-guard="taken"] button').first().click();
  await page.locator(".timeline .found").waitFor();
  const rows = page.locator(".timeline [data-step]");
  await rows.first().click();
  const marked = page.locator('.timeline [aria-selected="true"]');
  await expect.poll(() => marked.count()).toBe(1);
  const [first] = await ui.steps();
  expect(await marked.getAttribute("data-step")).toBe(String(first));
  await ui.goTo(first! + 1);
  await expect.poll(() => marked.count()).toBe(0);
});

test("the tab of an event says how long what ended had taken, as the list does", async () => {
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await ui.waitForRest();
  await page.getByRole("tab", { name: "Event" }).click();
  const row = page.locator(".timeline [data-step]").filter({ hasText: "look returned" }).last();
  await row.click();
  await expect.poll(() => row.getAttribute("aria-selected")).toBe("true");
  const listed = await row.locator(".dur").innerText();
  expect(listed).not.toBe("");
  await expect.poll(() => page.getByTestId("took").innerText()).toBe(listed);
});
