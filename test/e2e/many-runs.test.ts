// Many runs in the page: their overview, labels of people, a test of a run, and reports.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { evaluate, experiment, labelsOf, reply, type ReplayAgentConfig } from "agentchart/evals";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import { scratch } from "../store/scratch.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";

const { dir, remove } = scratch();
const path = join(dir, "s.db");
const PLANTS = ["apple", "birch", "cedar", "dill", "elder", "fig"];
let env: Environment;

/** Six stored runs, of which two call a tool that fails, with reports of two evaluations and an experiment. */
beforeAll(async () => {
  const store = sqliteStore({ path });
  const tools = [
    toolOf("refund", () => {
      throw new Error("No.");
    }),
  ];
  for (const [n, plant] of PLANTS.entries()) {
    const turns = n < 2 ? [{ calls: [{ name: "refund", input: { n } }] }, "It failed."] : [`Answer ${n}.`];
    const agent = createAgent({
      name: "clerk",
      store,
      sessionId: `run-${n}`,
      model: scriptedModel(turns),
      tools,
    });
    await agent.call(`Is it a ${plant}?`);
    await agent.close();
  }
  const judged = (name: string, answer: string) =>
    evaluate(name, {
      agent: () => ({ name: "clerk", model: scriptedModel([answer]) }),
      cases: [{ name: "sum", input: "Two and two?", expected: "Four." }],
      judge: reply.equals(),
      store,
    });
  const next = { name: "clerk", model: scriptedModel([]) } as unknown as ReplayAgentConfig;
  const reports = {
    "before.json": await judged("before", "Five."),
    "after.json": await judged("after", "Four."),
    "try.json": await experiment(store, { sessions: ["run-0"], agent: next, into: store }),
  };
  const files = Object.entries(reports).map(([name, report]) => {
    writeFileSync(join(dir, name), JSON.stringify(report));
    return join(dir, name);
  });
  await store.close();
  env = await makeEnvironment(["--store", `sqlite:${path}`, ...files.flatMap((file) => ["--open", file])]);
});
afterEach(() => env.closePages());
afterAll(async () => {
  await env.close();
  remove();
});

test("the overview sums runs up, each number leads to its runs, and the filter of the list narrows it", async () => {
  const { page, faults } = await env.open();
  await page.getByRole("button", { name: "Overview of these runs" }).click();
  const told = page.getByTestId("overview-runs");
  await expect.poll(() => told.innerText()).toMatch(/^9 runs · /); // with two of evaluations and one of an experiment
  expect(await page.getByRole("combobox", { name: "Filter runs" }).count()).toBe(0); // which is of the list only
  const tools = page.getByRole("table", { name: "Tools" });
  expect(await tools.innerText()).toMatch(/refund\s/);
  await tools.getByRole("button", { name: /runs: failed: refund/ }).click();
  const behind = page.getByTestId("runs-behind").locator("[data-behind]");
  await expect.poll(() => behind.count()).toBeGreaterThan(1);
  expect(await accessibilityProblems(page)).toEqual([]);
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
  await page.route("**/api/overview?*", async (route) => isAnswered.then(() => route.continue()));
  await page.getByRole("searchbox", { name: "Find a run" }).fill("dill");
  await expect.poll(() => told.innerText()).toMatch(/^9 runs · old: /);
  answer();
  await expect.poll(() => told.innerText()).toMatch(/^1 runs · (?!old)/);
  await page.getByRole("searchbox", { name: "Find a run" }).fill("");
  await page.getByTestId("runs-behind").locator('[data-behind="run-0"]').click();
  await expect.poll(() => page.url()).toContain("#/run/run-0");
  await page.goBack();
  await expect.poll(() => page.getByTestId("many").count()).toBe(1);
  await page.evaluate(`location.hash = "#/overview"`);
  await expect.poll(() => told.innerText()).toMatch(/^9 runs · /);
  expect(faults).toEqual(NO_FAULTS);
});

test.each(["/overview", "/reports", "/compare/run-0,run-1"])(
  "keys that are about the selected run do nothing in %s, where it is not shown",
  async (view) => {
    const { page } = await env.open({ at: `${env.hub.link}/run/run-2/2` });
    await page.getByRole("navigation", { name: "Runs" }).waitFor();
    await page.evaluate(`location.hash = "#${view}"`);
    await page.locator(".comparison").waitFor();
    for (const key of ["ArrowDown", "j", "End", "Home", "l", "Space", "g", "f", "m", "1"])
      await page.keyboard.press(key);
    expect(await page.evaluate(`[location.hash, __agentchart.selection.stepNumber]`)).toEqual([
      `#${view}`,
      2,
    ]);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.evaluate(`location.hash = "#/run/run-2/0"`);
    await expect.poll(() => page.evaluate("__agentchart.selection.shown")).toBe(1); // there is no step before it
    await page.keyboard.press("j"); // whose step is written to the address later than the browser goes back
    await page.goBack();
    await page.locator(".comparison").waitFor();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await page.evaluate("location.hash")).toBe(`#${view}`);
  },
);

test("a part of the page that could not be loaded is loaded with the page", async () => {
  const { page } = await env.open({ at: `${env.hub.link}/run/run-2` });
  await page.getByRole("navigation", { name: "Runs" }).waitFor();
  await page.route("**/many-view-*.js", (route) => route.abort());
  await page.getByRole("button", { name: "Overview of these runs" }).click();
  const problem = page.getByRole("alert").filter({ hasText: "The overview cannot be displayed" });
  await problem.waitFor();
  await page.unroute("**/many-view-*.js");
  await problem.getByRole("button", { name: "Load the page again" }).click();
  await page.getByTestId("overview-runs").waitFor();
});

test("a person labels a run and makes a test of it", async () => {
  const { page, faults } = await env.open({ at: `${env.hub.link}/run/run-3` });
  await page.getByRole("button", { name: "Label this run, or make a test of it" }).first().click();
  await page.getByLabel("This run is").selectOption("wrong");
  await page.getByLabel("Why").fill("<b>It is not.</b>");
  await page.getByLabel("The right answer").fill("Three.");
  await page.getByLabel("Your name").fill("Ada");
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await expect
    .poll(() => page.getByTestId("labels").innerText())
    .toMatch(/wrong Ada.*<b>It is not\.<\/b>.*Three\./);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Make a test of this run" }).click();
  expect(readFileSync(await (await download).path(), "utf8")).toContain("dill");
  const store = sqliteStore({ path });
  expect(await labelsOf(store, "run-3")).toMatchObject([{ label: "wrong", by: "Ada", expected: "Three." }]);
  await store.close();
  await page.evaluate(`location.hash = "#/overview"`);
  const labels = page.getByRole("table", { name: "Labels" });
  await expect.poll(() => labels.innerText()).toMatch(/wrong\s+1/);
  await page.getByRole("button", { name: /^Filters/ }).click();
  await page.getByLabel("label", { exact: true }).selectOption("wrong");
  await expect.poll(() => page.getByTestId("overview-runs").innerText()).toMatch(/^1 runs · /);
  expect(faults).toEqual(NO_FAULTS);
});

test("reports are listed, compared and lead to their runs", async () => {
  const { page, faults } = await env.open({ at: `${env.hub.link}/reports` });
  await page.getByRole("button", { name: "before (before.json)" }).click();
  const results = page.getByRole("table", { name: "Evaluation" });
  await expect.poll(() => results.last().innerText()).toMatch(/sum #1\s+failed\s+/);
  await page.getByRole("button", { name: "after (after.json)" }).click();
  await expect.poll(() => results.last().innerText()).toMatch(/sum #1\s+failed\s+passed/);
  expect(await page.getByTestId("pairs").innerText()).toBe(
    "1 better, 0 worse of 1 pairs, p = 1.000 (McNemar's exact test)",
  );
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.evaluate(`location.hash = "#/reports/2"`);
  const rows = page.getByRole("table", { name: "Experiment" });
  await expect
    .poll(() => rows.innerText())
    .toMatch(/run-0\s+different[^]*No\.[^]* → [^]*Tool not found: refund/);
  await rows.getByRole("button", { name: "Compare" }).click();
  await expect.poll(() => page.getByTestId("compare").count()).toBe(1);
  expect(page.url()).toContain("#/compare/run-0,");
  expect(faults).toEqual(NO_FAULTS);
});
