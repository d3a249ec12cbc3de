import { writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { quarantine } from "../../src/worker/quarantine.ts";
import type { Step } from "../../src/inspect/protocol/protocol.ts";
import { CHARTS } from "../diagram/charts.ts";
import { tangle } from "../diagram/tangle.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { makeHome, startHub, type Home, type Hub } from "./support/hub.ts";
import type { InspectorPage } from "./support/inspector-page.ts";
import { parserFixer } from "./support/scene.ts";
import { makeTap } from "./support/tap.ts";
import { WireWorker } from "./support/wire-worker.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await makeDesk();
});
afterEach(() => desk.closePages());
afterAll(() => desk.close());

const NOW = Date.now();
const step = (q: number): Step => ({ q, t: NOW + q, m: q, e: "tick", x: [], s: 0, p: [["=", ["q"], q]] });

test("a run whose process is gone is greyed, says since when, and offers nothing; a call that waits says why", async () => {
  const worker = await WireWorker.connect(desk.hub, [{ hash: "deep", chart: CHARTS["three levels"]! }]);
  const pending = {
    callId: "c",
    name: "push",
    input: {},
    waitsFor: "approval",
    argsHash: "h",
    since: 0,
  } as const;
  worker.show("working", "deep", ["deep"], { can: ["interrupt"] });
  worker.show("waiting", "deep", ["deep"], { phase: "suspended", can: ["decide"] }, [pending]);
  const { page, ui } = await desk.open();
  await ui.choose("working");
  const interrupt = page.getByRole("button", { name: /^Interrupt/ });
  await interrupt.waitFor();
  await worker.close();
  const banner = page.getByTestId("worker-lost");
  await expect.poll(() => banner.innerText()).toMatch(/by-hand\) is gone, last seen (a moment|\d+ s) ago\./);
  await expect.poll(() => banner.innerText()).toMatch(/last seen \d+ s ago/);
  await expect.poll(() => interrupt.count()).toBe(0);
  const opacity = async (): Promise<number> =>
    Number(await page.evaluate(`getComputedStyle(document.querySelector('[data-run="working"]')).opacity`));
  await expect.poll(opacity).toBeLessThan(1);
  expect(await ui.standing()).toMatch(/^lost/);
  expect(await page.locator("[data-is-working]").count()).toBe(0);
  await ui.choose("waiting");
  const card = ui.pending("c");
  expect(await card.getByTestId("hindrance").innerText()).toContain("no process drives the run");
  expect(await card.getByRole("button", { name: /^Approve/ }).isDisabled()).toBe(true);
});

describe("The chart of a run", () => {
  test("that nobody gave is said to be unknown, once, and the steps are listed", async () => {
    const worker = await WireWorker.connect(desk.hub, []);
    worker.show("nowhere", "unheard", ["there", "there.here"]);
    const { page, ui } = await desk.open();
    await ui.run("nowhere").click();
    await page.getByText("The chart of this run is not known here").waitFor();
    await expect.poll(() => page.locator('.line[data-q="1"]').innerText()).toContain("here");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    for (let q = 2; q < 6; q++) {
      worker.say({
        type: "steps",
        runId: "nowhere",
        states: [],
        statesFrom: 1,
        items: [step(q)],
        total: q,
        first: 1,
      });
      await ui.at(q);
    }
    expect(asked.filter((path) => path.startsWith("/api/charts"))).toEqual([]);
    expect(await page.locator("[data-notice]").count()).toBe(0);
    await worker.close();
  });

  test("that takes longer than 2 s to be laid out is an outline till then, and one that cannot be stays one", async () => {
    const whole = tangle(60);
    const states = whole.nodes.map(({ id }) => id);
    const worker = await WireWorker.connect(desk.hub, [{ hash: "tangle", chart: whole }]);
    worker.show("tangled", "tangle", [states[0]!, states[1]!]);
    const told = Promise.withResolvers<void>();
    const { tap, prepare } = makeTap();
    tap.toPage = (message) => {
      if (message.type !== "chart") return message;
      void told.promise.then(() => tap.say(message));
      return undefined;
    };
    const { page, ui, faults } = await desk.open({
      prepare: async (opened) => {
        await prepare(opened);
        await opened.route("**/api/charts/*", async (route) => {
          await told.promise;
          await route.continue();
        });
      },
    });
    await ui.run("tangled").click();
    await page.getByText("Loading the chart").waitFor();
    told.resolve();
    await page.locator(".outline-pane [data-state=s0][data-active]").waitFor();
    const picture = page.getByRole("button", { name: "This chart could not be laid out in time" });
    expect(await picture.isDisabled()).toBe(true);
    await page.getByRole("treeitem").nth(5).click();
    expect(faults).toEqual(NO_FAULTS);
    await worker.close();
  });
});

describe("Steps that are not here", () => {
  const COUNT = 21_500;

  /** Whether the strip has the colour of a gap in its left part: a count of pixels. */
  const amber = (page: Page): Promise<number> => page.evaluate(AMBER);

  function showLong(worker: WireWorker, runId: string): void {
    worker.show(runId, "deep", ["deep"]);
    for (let from = 2; from <= COUNT; from += 1_000) {
      const items = Array.from({ length: Math.min(1_000, COUNT - from + 1) }, (_, at) => step(from + at));
      const total = from + items.length - 1;
      worker.say({ type: "steps", runId, states: [], statesFrom: 1, items, total, first: 1 });
    }
  }

  test("are a hatched band in the strip, and come when they are asked for", async () => {
    const worker = await WireWorker.connect(desk.hub, [{ hash: "deep", chart: CHARTS["three levels"]! }]);
    showLong(worker, "long");
    const { page, ui, faults } = await desk.open();
    await ui.choose("long");
    await expect.poll(async () => (await ui.step())[1]).toBe(COUNT);
    const oldest = (): Promise<unknown> => page.evaluate("[2, 1001].map((q) => __agentchart.stepAt(q)?.q)");
    await expect.poll(oldest, { timeout: 120_000 }).toEqual([undefined, 1001]);
    await expect.poll(() => amber(page)).toBeGreaterThan(5);
    await page.locator(".rows-of").evaluate((rows) => (rows.scrollTop = 0));
    await page.getByRole("option", { name: "step 3 is not here yet: load" }).click();
    await expect.poll(oldest).toEqual([2, 1001]);
    await page.locator('.line[data-q="3"]').waitFor();
    await page.locator(".rows-of").evaluate((rows) => (rows.scrollTop = 24 * 900));
    await page.getByRole("option", { name: "step 905 is not here yet: load" }).click();
    await page.locator('.line[data-q="905"]').waitFor();
    await expect.poll(() => amber(page)).toBe(0);
    expect((await ui.context(COUNT)) as object).toEqual({ q: COUNT });
    expect(faults).toEqual(NO_FAULTS);
    await worker.close();
  });

  test("come also when somebody goes there while others are fetched", async () => {
    const worker = await WireWorker.connect(desk.hub, [{ hash: "deep", chart: CHARTS["three levels"]! }]);
    showLong(worker, "fetched");
    const { promise: isThere, resolve } = Promise.withResolvers<void>();
    const { page, ui } = await desk.open({
      prepare: async (opened) => {
        await opened.route("**/steps?*", async (route) => {
          await isThere;
          await route.continue();
        });
      },
    });
    await ui.choose("fetched");
    await expect.poll(async () => (await ui.step())[1]).toBe(COUNT);
    await ui.goTo(3);
    resolve();
    await page.locator('.line[data-q="3"]').waitFor({ timeout: 120_000 });
    await worker.close();
  });
});

/** Counts the amber pixels of the strip; as text, because it runs in the page. */
const AMBER = `(() => {
  const canvas = document.querySelector(".strip canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 14, canvas.width, canvas.height - 20);
  let count = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 60 && data[at] > 180 && data[at + 1] > 120 && data[at + 1] < 200 && data[at + 2] < 120) count += 1;
  return count;
})()`;

describe("A stored session", () => {
  let home: Home;
  let hub: Hub;
  beforeAll(async () => {
    home = makeHome();
    const store = fileStore({ dir: home.sessions });
    for (const sessionId of ["middle", "end", "crashed"]) {
      const writer = parserFixer({ store, sessionId });
      await writer.call("Please mend the lexer.");
      await writer.close();
    }
    damage("middle", (lines) => Math.floor(lines.length / 2));
    damage("end", (lines) => lines.length - 2);
    const lease = await store.acquire("crashed", { ttlMs: 60_000, owner: "by-hand" });
    if (!lease) throw new Error("The lease is not free.");
    await quarantine(store, lease, { reason: "3 workers died with it", at: Date.now() }, {});
    await store.release(lease);
    await store.close();
    hub = await startHub(home);
  });
  afterAll(async () => {
    await hub.stop();
    home.remove();
  });

  function damage(sessionId: string, lineOf: (lines: readonly string[]) => number): void {
    const path = join(home.sessions, sessionId, "journal.ndjson");
    const lines = readFileSync(path, "utf8").split("\n");
    const at = lineOf(lines);
    lines[at] = lines[at]!.replace(/[a-z]/, (letter) => (letter === "x" ? "y" : "x"));
    writeFileSync(path, lines.join("\n"));
  }

  async function look(sessionId: string): Promise<InspectorPage> {
    const { ui } = await desk.open({ at: hub.link });
    await ui.run(sessionId).click();
    return ui;
  }

  test("that is damaged in its middle is shown up to there, and the position is said", async () => {
    const ui = await look("middle");
    await expect.poll(() => ui.page.getByTestId("notice").innerText()).toMatch(/Read up to position \d+/);
    const [, position] = /position (\d+)/.exec(await ui.page.getByTestId("notice").innerText())!;
    expect(Number(position)).toBeGreaterThan(1);
    await expect.poll(async () => (await ui.step())[1]).toBe(Number(position));
  });

  test("that is damaged where it stands is quarantined, and shown up to there", async () => {
    const ui = await look("end");
    const banner = ui.page.getByTestId("quarantined");
    await expect.poll(() => banner.innerText()).toMatch(/is quarantined.*Read up to position \d+/);
    await expect.poll(async () => (await ui.step())[1]).toBeGreaterThan(5);
  });

  test("that was quarantined by a worker says why, and is shown whole", async () => {
    const ui = await look("crashed");
    const banner = ui.page.getByTestId("quarantined");
    await expect.poll(() => banner.innerText()).toContain("3 workers died with it");
    const conversation = await ui.openTab("conversation");
    await expect.poll(() => conversation.innerText()).toContain("All 41 tests pass");
  });
});

describe("A value too long for the log", () => {
  const LONG = 5_000_000;

  test("shows its size and its beginning, and opens piece by piece", async () => {
    const text = `begins ${"0123456789".repeat(LONG / 10 - 2)} the end.`;
    const agent = createAgent({
      name: "reader",
      model: scriptedModel([{ calls: [{ id: "r", name: "read", input: {} }] }, "Read."]),
      tools: [
        defineTool({ name: "read", description: "Reads.", input: { type: "object" }, execute: () => text }),
      ],
      inspect: desk.hub.address,
    });
    await agent.call("Read it.");
    const { page, ui, faults } = await desk.open();
    await ui.choose(agent.sessionId);
    const conversation = await ui.openTab("conversation");
    const chip = conversation.locator(".blob").first();
    await expect.poll(() => chip.innerText()).toMatch(/"begins 0123[^]*open 5 MB/);
    await chip.getByRole("button").click();
    const dialog = page.getByRole("dialog");
    const whole = dialog.locator("pre");
    await expect.poll(() => dialog.locator("h2").innerText()).toMatch(/^5 MB of text\s*$/);
    const first = await lengthOf(whole);
    expect(first).toBeLessThan(LONG / 10);
    await dialog.getByRole("button", { name: /^Show 100 kB more/ }).click();
    await expect.poll(() => lengthOf(whole)).toBe(first * 2);
    const saved = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Save" }).click();
    expect(readFileSync(await (await saved).path(), "utf8")).toBe(text);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(faults).toEqual(NO_FAULTS);
    await agent.close();
  });

  test("that is not kept any more says so, and shows its beginning", async () => {
    const worker = await WireWorker.connect(desk.hub, []);
    worker.show("forgetful", "none", ["here"]);
    const value = { $blob: "gone", length: 123_456, head: "the beginning" };
    const items = [{ ...step(2), p: [["=", ["note"], value]] }] as const;
    worker.say({
      type: "steps",
      runId: "forgetful",
      states: [],
      statesFrom: 1,
      items: [...items] as Step[],
      total: 2,
      first: 1,
    });
    const { page, ui } = await desk.open();
    await ui.run("forgetful").click();
    const context = await ui.openTab("context");
    await context.getByRole("button", { name: "open 123 kB" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.locator(".trouble").innerText()).toContain("not here any more");
    expect(await dialog.locator("pre").innerText()).toBe("the beginning");
    await worker.close();
  });
});

const lengthOf = (text: Locator): Promise<number> => text.evaluate((element) => element.textContent.length);
