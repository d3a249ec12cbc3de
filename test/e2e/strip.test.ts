import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { makeDesk, type Desk } from "./support/desk.ts";
import { StripPicture } from "./support/strip-picture.ts";

const TEN_MINUTES = 600_000;

let desk: Desk;
let file: string;
/** The step that rests for ten minutes until somebody approves, and the one in which a tool fails. */
let resting: number;
let failing: number;
let steps: number;

beforeAll(async () => {
  desk = await makeDesk();
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
    inspect: desk.hub.address,
  });
  await agent.call("Pay.");
  await agent.decide("pay", "approve");
  await agent.call();
  const { page, ui } = await desk.open();
  await ui.choose(agent.sessionId);
  await ui.rests(["agent.stopped.idle"]);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /^Export this run/ }).click(),
  ]);
  file = join(desk.home.path, "rested.ndjson");
  const run = lengthened(readFileSync(await download.path(), "utf8"));
  writeFileSync(file, run.text);
  ({ resting, failing, steps } = run);
  await agent.close();
});
afterAll(() => desk.close());
afterEach(() => desk.closePages());

type Line = {
  readonly q?: number;
  readonly t: number;
  readonly m: number;
  readonly s: number;
  readonly p?: unknown;
  readonly state?: readonly string[];
};

/** An exported run whose first wait for an approval lasted ten minutes. */
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
    resting: wait.q!,
    failing: failed.q!,
    steps: all.length,
  };
}

async function openFile() {
  const opened = await desk.open();
  await opened.ui.chart();
  await opened.page.getByTestId("open-file").setInputFiles(file);
  await opened.page.getByTestId("file").waitFor();
  await expect.poll(async () => (await opened.ui.step())[1]).toBe(steps);
  return { ...opened, strip: new StripPicture(opened.page) };
}

test("an idle gap is folded, and what failed or waited has its mark", async () => {
  const { strip } = await openFile();
  const places = await strip.places();
  expect([...places.keys()].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: steps }, (_, at) => at + 1),
  );
  const widest = Math.max(...[...places].map(([q, { width }]) => (q === resting ? 0 : width)));
  const { width } = places.get(resting)!;
  expect(width).toBeGreaterThan(24);
  expect(width).toBeLessThanOrEqual(32);
  expect(widest).toBeGreaterThan(width);
  await expect.poll(() => strip.markAt(places.get(failing)!.left)).toBe("red");
  expect(await strip.markAt(places.get(resting)!.left)).toBe("amber");
  expect(await strip.markAt(places.get(resting + 2)!.left)).toBeUndefined();
});

test("the slider says the step, how many there are, and its state, and follows whoever drags over it", async () => {
  const { page, ui, strip } = await openFile();
  const places = await strip.places();
  const middle = (q: number): number => places.get(q)!.left + places.get(q)!.width / 2;
  const slider = strip.slider;
  await strip.press(middle(3));
  await ui.at(3);
  for (const q of [5, 9, failing, 4]) {
    await strip.drag(middle(q));
    await ui.at(q);
    const states = await ui.active();
    const inner = states.at(-1)!.split(".").slice(1).join(".");
    expect(await slider.getAttribute("aria-valuetext")).toBe(`step ${q} of ${steps}, ${inner}`);
    expect(await slider.getAttribute("aria-valuemin")).toBe("1");
    expect(await slider.getAttribute("aria-valuemax")).toBe(String(steps));
  }
  await page.mouse.up();
  await strip.drag(middle(8));
  expect(await ui.step()).toEqual([4, steps]);
  await slider.press("ArrowRight");
  await ui.at(5);
});

test("the wheel goes nearer to what is under the pointer, and away again; the shown step is brought into view", async () => {
  const { page, ui, strip } = await openFile();
  const before = await strip.places();
  const x = before.get(failing)!.left + 1;
  await strip.wheel(x, -600);
  await expect
    .poll(async () => (await strip.places()).get(failing)?.width)
    .toBeGreaterThan(2 * before.get(failing)!.width);
  const near = await strip.places();
  expect(near.size).toBeLessThan(before.size);
  expect(near.get(failing)!.left).toBeLessThanOrEqual(x);
  expect(near.get(failing)!.left + near.get(failing)!.width).toBeGreaterThanOrEqual(x);
  expect(near.has(1) && near.has(steps)).toBe(false);
  for (const [key, q] of [
    ["Home", 1],
    ["End", steps],
  ] as const) {
    await page.keyboard.press(key);
    await ui.at(q);
    await expect.poll(() => strip.playhead()).toBe(true);
    expect((await strip.places()).has(q)).toBe(true);
  }
  await page.keyboard.press("Home");
  await ui.at(1);
  await strip.wheel((await strip.width()) - 5, -600);
  await expect.poll(() => strip.playhead()).toBe(false);
  await strip.wheel(x, 4_000);
  await expect.poll(async () => (await strip.places()).size).toBe(steps);
  expect(await strip.playhead()).toBe(true);
});
