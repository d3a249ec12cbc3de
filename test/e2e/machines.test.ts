// Machines of XState in the page: a dropped export, charts of 300 states, and an app of eight machines, in windows of several sizes.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { inspector } from "agentchart/inspect";
import { createActor, waitFor, type AnyActorRef } from "xstate";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PARTS, shopOfEight } from "../support/machines/shop-of-eight.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { settled } from "./support/settled.ts";
import { chartOverlaps, chartTexts, textProblems } from "./support/text-geometry.ts";

/** The windows of a desk, a small laptop and a phone. */
const SIZES = [
  { width: 1920, height: 1080 },
  { width: 1024, height: 768 },
  { width: 390, height: 844, isMobile: true, hasTouch: true },
] as const;

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterAll(() => env.close());
afterEach(() => env.closePages());

async function drop(page: Page, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(`(() => {
    const made = new DataTransfer();
    made.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}, { type: "application/json" }));
    return made;
  })()`);
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

/** The texts of the chart's picture that cannot be read: below 11 px, or one over another. Of a large chart that are the names of states. */
async function unreadable(page: Page, names = /^/u): Promise<object> {
  await settled(page);
  const small = (await chartTexts(page)).filter(({ text, px }) => names.test(text) && px < 10.95);
  return { small, overlaps: await chartOverlaps(page) };
}

/** Keeps a picture in the folder that SHOTS names, to look at. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env["SHOTS"];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}

const READABLE = { small: [], overlaps: [] };

test("an export that is dropped on the page is shown as a chart, and says what is left out of it", async () => {
  const { page, ui, faults } = await env.open();
  const config = {
    id: "player",
    type: "parallel",
    states: {
      sound: { initial: "on", states: { on: { on: { mute: "off", louder: 7 } }, off: {} } },
      film: { initial: "paused", states: { paused: {}, playing: {}, broken: "yes" } },
    },
  };
  await drop(page, "player.json", JSON.stringify(config));
  await ui.waitForChart();
  await expect.poll(() => ui.activeStates()).toContain("player.sound.on");
  expect(await ui.activeStates()).toContain("player.film.paused");
  expect(await page.getByTestId("file").innerText()).toContain(
    "Left out, since XState takes an object or a name there: states.sound.states.on.on.louder, states.film.states.broken.",
  );
  expect(await page.locator('svg.chart [data-state="player.film.broken"]').count()).toBe(0);
  expect(await unreadable(page)).toEqual(READABLE);
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(faults).toEqual(NO_FAULTS);
});

/** A configuration with a number of states: nested and parallel ones, each with transitions to its neighbors and back. */
function manyStates(id: string, shape: "flat" | "nested" | "regions", flat = 300): object {
  const chain = (count: number, name: string): object => ({
    initial: `${name}0`,
    states: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `${name}${at}`,
        {
          on: {
            NEXT: [{ target: `${name}${(at + 1) % count}`, guard: "mayGoOn" }],
            BACK: `${name}${Math.max(0, at - 1)}`,
            ...(at % 7 === 0 && { RESET: `${name}0` }),
          },
        },
      ]),
    ),
  });
  if (shape === "flat") return { id, ...chain(flat, "step") };
  const groups = shape === "nested" ? 15 : 6;
  const inner = 300 / groups - 1;
  const states = Object.fromEntries(
    Array.from({ length: groups }, (_, at) => [
      `group${at}`,
      {
        ...chain(inner, `part${at}x`),
        ...(shape === "nested" && { on: { LEAVE: `group${(at + 1) % groups}` } }),
      },
    ]),
  );
  return { id, ...(shape === "nested" ? { initial: "group0" } : { type: "parallel" }), states };
}

/** The names of states of such a configuration. */
const NAMES = /^(?:many|step|group|part)/u;

describe.each(["nested"] as const)("a chart of 300 states, %s", (shape) => {
  test.each(SIZES)("can be read at $width × $height, from afar and near", async (size) => {
    const { width, height, ...device } = size;
    const { page, faults } = await env.open({ viewport: { width, height }, ...device });
    await drop(page, `${shape}.json`, JSON.stringify(manyStates(`many-${shape}`, shape)));
    const states = page.locator("svg.chart [data-state]");
    await states.first().waitFor();
    await expect.poll(() => states.count()).toBeGreaterThanOrEqual(300);
    expect.soft(await unreadable(page, NAMES), "from afar").toEqual(READABLE);
    await shoot(page, `${shape}-${width}-afar`);
    const zoom = page.getByRole("button", { name: /^Zoom to the active state/ });
    if (await zoom.isVisible()) await zoom.click();
    expect.soft(await unreadable(page, NAMES), "near").toEqual(READABLE);
    const named = (await chartTexts(page)).map(({ text }) => text);
    expect
      .soft(named, "the active state has its name")
      .toEqual(expect.arrayContaining([expect.stringMatching(/^(?:step0|part0x0)$/u)]));
    await shoot(page, `${shape}-${width}`);
    const { small, outside } = await textProblems(page);
    expect.soft({ small, outside }).toEqual({ small: [], outside: [] });
    expect(faults).toEqual(NO_FAULTS);
  });
});

test("100 states on one level all have their names from afar, and of 300 those around the active one are shown", async () => {
  const { page, faults } = await env.open({ viewport: { width: 1_440, height: 900 } });
  const shown = async (): Promise<readonly string[]> =>
    (await chartTexts(page)).flatMap(({ text }) => (/^step\d+$/u.test(text) ? [text] : []));
  await drop(page, "hundred.json", JSON.stringify(manyStates("hundred", "flat", 100)));
  await expect.poll(async () => (await shown()).length).toBe(100);
  expect(await unreadable(page)).toEqual(READABLE);
  await drop(page, "flat.json", JSON.stringify(manyStates("three-hundred", "flat")));
  await page.locator('svg.chart [data-state="three-hundred.step299"]').waitFor({ state: "attached" });
  expect(await shown()).toEqual(expect.arrayContaining(["step0", "step1"]));
  expect(await unreadable(page)).toEqual(READABLE);
  expect(faults).toEqual(NO_FAULTS);
});

describe("an app of eight machines", () => {
  test.each(SIZES)("is shown with its machines and their events at $width × $height", async (size) => {
    const { width, height, ...device } = size;
    const isPhone = width < 500;
    const made = inspector({ url: env.hub.address });
    const actor = createActor(shopOfEight, { inspect: made.inspect, systemId: "shop" });
    actor.start();
    actor.send({ type: "order" });
    const mail = actor.system.get("mail") as AnyActorRef;
    await waitFor(mail, (snapshot) => (snapshot as { value?: unknown }).value === "done");
    try {
      const { page, ui, faults } = await env.open({ viewport: { width, height }, ...device });
      const show = async (panel: string): Promise<void> => {
        if (!isPhone) return;
        const panels = page.getByRole("navigation", { name: "Panels" });
        await panels.getByRole("button", { name: panel }).click();
      };
      await show("Runs");
      const rows = page.locator("[data-run]");
      await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(8);
      for (const name of PARTS) {
        await page.locator("[data-run]").filter({ hasText: name }).first().waitFor({ state: "attached" });
      }
      await page.locator("[data-run]").filter({ hasText: "shop" }).first().click();
      await ui.waitForChart();
      await expect.poll(() => ui.activeStates()).toContain("shop.ordered");
      expect.soft(await unreadable(page)).toEqual(READABLE);
      if (!isPhone) {
        await page.getByRole("button", { name: "Sequence" }).click();
        const sequence = page.getByRole("region", { name: "Sequence of events" });
        await expect.poll(() => sequence.getByText("work", { exact: true }).count()).toBe(PARTS.length);
      }
      await settled(page);
      const { overlaps, small, outside } = await textProblems(page);
      expect.soft({ overlaps, small, outside }).toEqual({ overlaps: [], small: [], outside: [] });
      expect.soft(await accessibilityProblems(page)).toEqual([]);
      expect(faults).toEqual(NO_FAULTS);
      await shoot(page, `app-${width}`);
      await show("Details");
      const details = await textProblems(page);
      expect.soft(details).toEqual({ overlaps: [], small: [], outside: [] });
    } finally {
      actor.stop();
      await made.close();
    }
  });
});
