// Suspicions above a run, one click away.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { scratch } from "../store/scratch.ts";
import { SUSPICIOUS_RUNS } from "../inspect/suspicions/suspicious-runs.ts";
import { toolLoop } from "../support/planted/tool-loop.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { textProblems } from "./support/text-geometry.ts";

const CHECK = `export const greeting = {
  name: "greeting", title: "a greeting",
  find: ({ messages }) => (messages[0]?.text === "go" ? [{ text: "<b>It</b> begins with go.", steps: [messages[0].step] }] : []),
};`;

const { dir, remove } = scratch();
let env: Environment;
const agents: Agent[] = [];

beforeAll(async () => {
  const file = join(dir, "checks.mjs");
  writeFileSync(file, CHECK);
  env = await makeEnvironment(["--suspicions", file]);
  const store = fileStore({ dir: env.home.sessions });
  for (const [sessionId, name] of [
    ["stored-repeats", "the same call three times"],
    ["stored-quiet", "the same call twice in each of two turns"],
  ] as const)
    await (await SUSPICIOUS_RUNS[name]!.play({ store, sessionId })).close();
  await store.close();
  const place = { inspect: env.hub.address };
  agents.push(
    await toolLoop(place),
    await SUSPICIOUS_RUNS["a result that a hook changed"]!.play({ ...place, sessionId: "changed-result" }),
    await SUSPICIOUS_RUNS["a tool that does not exist, and one that was never called"]!.play({
      ...place,
      sessionId: "unknown-tool",
    }),
    await SUSPICIOUS_RUNS["nothing odd"]!.play({ ...place, sessionId: "greeting" }),
  );
});
afterEach(() => env.closePages());
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await env.close();
  remove();
});

const WINDOWS = [
  { width: 1_440, height: 900 },
  { width: 1_024, height: 768 },
  { width: 390, height: 844 },
] as const;

describe("suspicions", () => {
  test.each([
    ["tool-loop", /search_docs was called 5 times with the same arguments in turn 1\./],
    ["changed-result", /The result of look comes from the hook meddler: the model read “12500”\./],
    ["stored-repeats", /look was called 3 times with the same arguments in turn 1\./],
    ["greeting", /<b>It<\/b> begins with go\./],
  ])("of the run %s stand above it after one click", async (runId, text) => {
    const { ui, page, faults } = await env.open({ viewport: WINDOWS[0] });
    await ui.run(runId).click();
    await expect.poll(() => page.getByTestId("suspicions").innerText()).toMatch(text);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("lead to the steps that show them, one after the other", async () => {
    const { ui, page } = await env.open({ viewport: WINDOWS[0] });
    await ui.choose("tool-loop");
    const line = page.locator('[data-suspicion="repeated-call"]');
    const steps: number[] = [];
    for (let click = 0; click < 6; click++) {
      await line.click();
      await expect.poll(() => line.getAttribute("aria-current")).toBe("step");
      const [step] = await ui.steps();
      await ui.waitForStep(step);
      steps.push(step);
    }
    expect(steps.slice(0, 5)).toEqual([...new Set(steps.slice(0, 5))].toSorted((a, b) => a - b));
    expect(steps[5]).toBe(steps[0]);
    expect(await ui.panel("conversation").isVisible()).toBe(true);
  });

  test("are all shown if a person wants them, by keyboard too", async () => {
    const { ui, page } = await env.open({ viewport: WINDOWS[0] });
    await ui.choose("unknown-tool");
    const lines = page.locator("[data-suspicion]");
    await expect.poll(() => lines.count()).toBe(2);
    await page.getByRole("button", { name: "All 3" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => lines.count()).toBe(3);
    await lines.nth(2).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => lines.nth(2).getAttribute("aria-current")).toBe("step");
  });

  test("filter the list of runs, live and stored ones", async () => {
    const { ui, page } = await env.open({ viewport: WINDOWS[0] });
    const listed = (): Promise<string[]> =>
      page
        .locator("[data-run]")
        .evaluateAll((all) => all.map((each) => each.getAttribute("data-run")!).toSorted());
    await expect.poll(listed).toContain("stored-quiet");
    await page.getByRole("button", { name: /^Filters/ }).click();
    const choice = page.getByLabel("suspicion", { exact: true });
    await choice.selectOption({ value: "any" });
    await expect
      .poll(listed)
      .toEqual(["changed-result", "greeting", "stored-repeats", "tool-loop", "unknown-tool"]);
    await choice.selectOption({ label: "the same call again and again" });
    await expect.poll(listed).toEqual(["stored-repeats", "tool-loop"]);
    expect(await ui.run("stored-repeats").innerText()).toContain("look ×3");
    await choice.selectOption({ label: "a greeting" });
    await expect.poll(listed).toEqual(["greeting"]);
  });

  test("are a quick filter with a count, and a filter is kept as a view", async () => {
    const { page, faults } = await env.open({ viewport: WINDOWS[0] });
    const listed = (): Promise<string[]> =>
      page
        .locator("[data-run]")
        .evaluateAll((all) => all.map((each) => each.getAttribute("data-run")!).toSorted());
    const quick = page.getByRole("group", { name: "Quick filters" });
    const suspicious = quick.getByRole("button", { name: "suspicious 5" });
    await suspicious.click();
    const odd = ["changed-result", "greeting", "stored-repeats", "tool-loop", "unknown-tool"];
    await expect.poll(listed).toEqual(odd);
    await quick.getByRole("button", { name: "Save view" }).click();
    await page.keyboard.type("odd ones");
    await page.keyboard.press("Enter");
    await suspicious.click();
    await expect.poll(listed).toContain("stored-quiet");
    await page.reload();
    await quick.getByRole("button", { name: "odd ones", exact: true }).click();
    await expect.poll(listed).toEqual(odd);
    expect(await accessibilityProblems(page)).toEqual([]);
    await quick.getByRole("button", { name: "Remove the view odd ones" }).click();
    await expect.poll(() => quick.getByRole("button", { name: "odd ones", exact: true }).count()).toBe(0);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("of a dropped file are found in the page", async () => {
    const { page } = await env.open({ viewport: WINDOWS[0] });
    const answer = await fetch(`${env.hub.url}/api/runs/tool-loop/export`, {
      headers: { authorization: `Bearer ${env.hub.token}` },
    });
    await page
      .locator('input[type="file"]')
      .first()
      .setInputFiles({
        name: "run.ndjson",
        mimeType: "application/x-ndjson",
        buffer: Buffer.from(await answer.text()),
      });
    await expect
      .poll(() => page.getByTestId("suspicions").innerText())
      .toMatch(/search_docs was called 5 times/);
  });

  test.each(WINDOWS)("are readable and accessible at $width × $height", async (viewport) => {
    for (const colorScheme of ["dark", "light"] as const) {
      const { page } = await env.open({ at: `${env.hub.link}/run/unknown-tool`, viewport, colorScheme });
      if (viewport.width < 800) await page.getByRole("button", { name: "Details" }).click();
      await page.getByTestId("suspicions").waitFor();
      await page.getByRole("button", { name: "All 3" }).click();
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await textProblems(page)).toEqual({ overlaps: [], small: [], outside: [] });
      if (process.env["SHOTS"])
        await page.screenshot({
          path: `${process.env["SHOTS"]}/suspicions-${viewport.width}-${colorScheme}.png`,
        });
    }
  });
});
