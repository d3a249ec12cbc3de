// The scrubber: its scale, its marks, and dragging.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { Scrubber } from "./support/scrubber.ts";

const TEN_MINUTES = 600_000;

let env: Environment;
let file: string;
/** The step that waits ten minutes for an approval, and the one in which a tool fails. */
let waiting: number;
let failing: number;
let steps: number;

beforeAll(async () => {
  env = await makeEnvironment();
  const tool = (name: string, execute: () => string) =>
    defineTool({ name, description: name, input: { type: "object" }, execute });
  const agent = createAgent({
    name: "payer",
    model: scriptedModel([
      { calls: [{ id: "look", name: "look" }] },
      { calls: [{ id: "pay", name: "pay" }] },
      { calls: [{ id: "again", name: "look" }] },
      "Paid.",
    ]),
    tools: [
      tool("look", () => {
        throw new Error("It is dark.");
      }),
      tool("pay", () => "Paid."),
    ],
    permissions: { rules: [{ tool: "pay", action: "ask" }] },
    inspect: env.hub.address,
  });
  await agent.call("Pay.");
  await agent.decide("pay", "approve");
  await agent.call();
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await ui.waitForRest(["agent.stopped.idle"]);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /^Export this run/ }).click(),
  ]);
  file = join(env.home.path, "rested.ndjson");
  const run = lengthened(readFileSync(await download.path(), "utf8"));
  writeFileSync(file, run.text);
  ({ waiting, failing, steps } = run);
  await agent.close();
});
afterAll(() => env.close());
afterEach(() => env.closePages());

type Line = {
  readonly q?: number;
  readonly t: number;
  readonly m: number;
  readonly s: number;
  readonly p?: unknown;
  readonly state?: readonly string[];
};

/** Changes an exported run so that its first wait for an approval lasts ten minutes. */
function lengthened(text: string) {
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  const states = lines.flatMap(({ state }) => (state ? [state] : []));
  const all = lines.filter(({ q }) => q !== undefined);
  const wait = all.find(({ s }) => states[s]!.some((id) => id.endsWith(".waiting")))!;
  const failed = all.find(({ p }) => JSON.stringify(p ?? "").includes('"state":"error"'))!;
  const later = lines.map((line) =>
    line.q !== undefined && line.q > wait.q!
      ? { ...line, t: line.t + TEN_MINUTES, m: line.m + TEN_MINUTES }
      : line,
  );
  return {
    text: `${later.map((line) => JSON.stringify(line)).join("\n")}\n`,
    waiting: wait.q!,
    failing: failed.q!,
    steps: all.length,
  };
}

async function openFile() {
  const opened = await env.open();
  await opened.ui.waitForChart();
  await opened.page.getByTestId("open-file").setInputFiles(file);
  await opened.page.getByTestId("file").waitFor();
  await expect.poll(async () => (await opened.ui.steps())[1]).toBe(steps);
  return { ...opened, scrubber: new Scrubber(opened.page) };
}

test("the scrubber shortens an idle gap and marks failed and waiting steps", async () => {
  const { scrubber } = await openFile();
  const places = await scrubber.places();
  expect([...places.keys()].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: steps }, (_, at) => at + 1),
  );
  const widest = Math.max(
    ...[...places].map(([stepNumber, { width }]) => (stepNumber === waiting ? 0 : width)),
  );
  const { width } = places.get(waiting)!;
  expect(width).toBeGreaterThan(24);
  expect(width).toBeLessThanOrEqual(32);
  expect(widest).toBeGreaterThan(width);
  await expect.poll(() => scrubber.markAt(places.get(failing)!.left)).toBe("red");
  expect(await scrubber.markAt(places.get(waiting)!.left)).toBe("amber");
  expect(await scrubber.markAt(places.get(waiting + 2)!.left)).toBeUndefined();
});

test("the slider names the step, the number of steps and the state while the pointer is dragged over it", async () => {
  const { page, ui, scrubber } = await openFile();
  const places = await scrubber.places();
  const middle = (stepNumber: number): number =>
    places.get(stepNumber)!.left + places.get(stepNumber)!.width / 2;
  const slider = scrubber.slider;
  await scrubber.press(middle(3));
  await ui.waitForStep(3);
  for (const stepNumber of [5, 9, failing, 4]) {
    await scrubber.drag(middle(stepNumber));
    await ui.waitForStep(stepNumber);
    const states = await ui.activeStates();
    const inner = states.at(-1)!.split(".").slice(1).join(".");
    expect(await slider.getAttribute("aria-valuetext")).toBe(`step ${stepNumber} of ${steps}, ${inner}`);
    expect(await slider.getAttribute("aria-valuemin")).toBe("1");
    expect(await slider.getAttribute("aria-valuemax")).toBe(String(steps));
  }
  await page.mouse.up();
  await scrubber.drag(middle(8));
  expect(await ui.steps()).toEqual([4, steps]);
  await slider.press("ArrowRight");
  await ui.waitForStep(5);
});

test("the wheel zooms the scrubber at the pointer and the displayed step is scrolled into view", async () => {
  const { page, ui, scrubber } = await openFile();
  const before = await scrubber.places();
  const x = before.get(failing)!.left + 1;
  await scrubber.wheel(x, -600);
  await expect
    .poll(async () => (await scrubber.places()).get(failing)?.width)
    .toBeGreaterThan(2 * before.get(failing)!.width);
  const zoomed = await scrubber.places();
  expect(zoomed.size).toBeLessThan(before.size);
  expect(zoomed.get(failing)!.left).toBeLessThanOrEqual(x);
  expect(zoomed.get(failing)!.left + zoomed.get(failing)!.width).toBeGreaterThanOrEqual(x);
  expect(zoomed.has(1) && zoomed.has(steps)).toBe(false);
  for (const [key, stepNumber] of [
    ["Home", 1],
    ["End", steps],
  ] as const) {
    await page.keyboard.press(key);
    await ui.waitForStep(stepNumber);
    await expect.poll(() => scrubber.playhead()).toBe(true);
    expect((await scrubber.places()).has(stepNumber)).toBe(true);
  }
  await page.keyboard.press("Home");
  await ui.waitForStep(1);
  await scrubber.wheel((await scrubber.width()) - 5, -600);
  await expect.poll(() => scrubber.playhead()).toBe(false);
  await scrubber.wheel(x, 4_000);
  await expect.poll(async () => (await scrubber.places()).size).toBe(steps);
  expect(await scrubber.playhead()).toBe(true);
});
