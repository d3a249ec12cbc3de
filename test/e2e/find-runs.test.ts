// Finding runs in the list, by what is in them.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import { scratch } from "../store/scratch.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { textProblems } from "./support/text-geometry.ts";

const { dir, remove } = scratch();
const path = join(dir, "s.db");
let env: Environment;

/** 250 stored runs, of which two can be told apart by what is deep inside, and a live one. */
beforeAll(async () => {
  const store = sqliteStore({ path });
  for (let n = 0; n < 250; n++) {
    const isOdd = n === 17;
    const agent = createAgent({
      name: n % 2 === 0 ? "clerk" : "planner",
      store,
      sessionId: `stored-${n}`,
      model: scriptedModel(
        isOdd
          ? [{ calls: [{ name: "refund", input: { invoice: "INV-90017" } }] }, "退款完成了。"]
          : n === 18
            ? []
            : [`Answer ${n}.`],
      ),
      tools: [toolOf("refund", () => "The ledger has a zebra.")],
      modelOptions: { prices: { scripted: { input: isOdd ? 1_000_000 : 1, output: 0 } } },
    });
    await agent.call(`Question ${n}`).catch(() => {});
    await agent.close();
  }
  await store.close();
  env = await makeEnvironment(["--store", `sqlite:${path}`]);
});
afterEach(() => env.closePages());
afterAll(async () => {
  await env.close();
  remove();
});

const idsIn = (page: Page): Promise<readonly (string | null)[]> =>
  page.locator("[data-run]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-run")));

test("stored and live runs are found by what is deep inside, and told apart before they are opened", async () => {
  const live = createAgent({
    name: "clerk",
    sessionId: "live",
    meta: { title: "Ticket seven" },
    model: scriptedModel(["The zebra is here."]),
    inspect: env.hub.address,
  });
  await live.call("Where is it?");
  const { page, faults } = await env.open();
  const find = page.getByRole("searchbox", { name: "Find a run" });
  await find.fill("zebra");
  await expect.poll(async () => [...(await idsIn(page))].toSorted()).toEqual(["live", "stored-17"]);
  expect(await page.locator('[data-run="live"]').innerText()).toContain("Ticket seven");
  const line = await page.locator('[data-run="stored-17"]').innerText();
  expect(line).toMatch(/planner[^]*answered[^]*Question 17[^]*\$/); // its steps are not counted before it is opened
  await find.fill("退款");
  await expect.poll(() => idsIn(page)).toEqual(["stored-17"]);
  await find.fill("clerk unexpected model call"); // no words of the messages
  await expect.poll(() => page.getByTestId("no-runs").count()).toBe(1);
  await find.fill("question 18");
  await expect.poll(async () => (await idsIn(page)).length).toBeGreaterThan(5); // 18, 180, 181 …
  await find.fill("stored-18");
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByLabel("outcome").selectOption("failed");
  await expect.poll(() => idsIn(page)).toEqual(["stored-18"]);
  expect(await page.locator('[data-run="stored-18"]').innerText()).toContain("failed");
  expect(faults).toEqual(NO_FAULTS);
  await live.close();
});

test("filters narrow the list, are shown as chips, and go away one by one or together", async () => {
  const { page, faults } = await env.open();
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByLabel("tool", { exact: true }).fill("refund");
  await expect.poll(() => idsIn(page)).toEqual(["stored-17"]);
  await page.getByLabel("outcome").selectOption("failed");
  await expect
    .poll(() => page.getByTestId("no-runs").innerText())
    .toContain("No run matches failed, tool refund.");
  const sentence = (await page.getByTestId("no-runs").locator("p").boundingBox())!;
  const button = (await page.getByRole("button", { name: "Show all runs" }).boundingBox())!;
  expect(button.y).toBeGreaterThanOrEqual(sentence.y + sentence.height);
  await page.getByRole("button", { name: "Remove the filter tool refund" }).click();
  await expect.poll(() => idsIn(page)).toEqual(["stored-18"]);
  await page.getByLabel("agent", { exact: true }).selectOption("planner");
  await page.getByRole("button", { name: "Show all runs" }).click();
  await expect.poll(async () => (await idsIn(page)).length).toBeGreaterThan(5);
  await page.getByLabel("cost at least").fill("0.5");
  await expect.poll(() => idsIn(page)).toEqual(["stored-17"]);
  await page.getByLabel("changed").selectOption("last hour");
  await expect.poll(() => page.locator(".chip").allInnerTexts()).toEqual(["last hour ×", "cost ≥ 0.5 ×"]);
  expect(await idsIn(page)).toEqual(["stored-17"]);
  expect(faults).toEqual(NO_FAULTS);
});

describe.each([
  [1_440, 900],
  [1_024, 768],
  [390, 844],
])("at %i × %i", (width, height) => {
  test("no text of the list collides, is cut off or too small, and axe finds nothing", async () => {
    const { page, faults } = await env.open({ viewport: { width, height } });
    if (width < 600)
      await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Runs" }).click();
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("outcome").selectOption("answered");
    await page.getByLabel("agent", { exact: true }).selectOption("planner");
    await expect.poll(async () => (await idsIn(page)).length).toBeGreaterThan(3);
    const { overlaps, small, outside } = await textProblems(page);
    expect({ overlaps, small, outside }).toEqual({ overlaps: [], small: [], outside: [] });
    const isNarrow = width === 1_024; // there the names of agents have the room, and a sign says "answered"
    for (const part of [".figures", ...(isNarrow ? [] : [".outcome"])])
      expect(await page.locator(`.run-line ${part}`).first().isVisible()).toBe(true);
    expect(await page.getByRole("img", { name: "answered" }).first().isVisible()).toBe(true);
    const cutNames = page
      .locator(".run-line strong")
      .evaluateAll(
        (names) => names.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1).length,
      );
    expect(await cutNames).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(faults).toEqual(NO_FAULTS);
  });
});
