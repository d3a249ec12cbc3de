// The picture of a run while it is loaded, lost, stored or cut.
import { writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent, defineTool } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { quarantine } from "../../src/worker/inbox.ts";
import type { Step as WireStep } from "../../src/inspect/protocol/protocol.ts";
import { CHARTS } from "../diagram/charts.ts";
import { tangle } from "../diagram/tangle.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { makeHome, startHub, type Home, type Hub } from "./support/hub.ts";
import type { InspectorPage } from "./support/inspector-page.ts";
import { parserFixer } from "./support/parser-fixer.ts";
import { makeConnectionProxy } from "./support/connection-proxy.ts";
import { WireWorker } from "./support/wire-worker.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(() => env.close());

const NOW = Date.now();
const step = (n: number): WireStep => ({
  q: n,
  t: NOW + n,
  m: n,
  e: "tick",
  x: [],
  s: 0,
  p: [["=", ["n"], n]],
});

test("a run whose process is lost is greyed out, says since when, and disables its commands with the reason", async () => {
  const worker = await WireWorker.connect(env.hub, [{ hash: "deep", chart: CHARTS["three levels"]! }]);
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
  const { page, ui } = await env.open();
  await ui.choose("working");
  const interrupt = page.getByRole("button", { name: /^Interrupt/ });
  await interrupt.waitFor();
  await worker.close();
  const banner = page.getByTestId("worker-lost");
  await expect
    .poll(() => banner.innerText())
    .toMatch(/by-hand\) is disconnected, last seen (a moment|\d+ s) ago\./);
  await expect.poll(() => banner.innerText()).toMatch(/last seen \d+ s ago/);
  await expect.poll(() => interrupt.count()).toBe(0);
  const opacity = async (): Promise<number> =>
    Number(await page.evaluate(`getComputedStyle(document.querySelector('[data-run="working"]')).opacity`));
  await expect.poll(opacity).toBeLessThan(1);
  expect(await ui.status()).toMatch(/^lost/);
  expect(await page.locator("[data-is-working]").count()).toBe(0);
  await ui.choose("waiting");
  const card = ui.pending("c");
  expect(await card.getByTestId("disabled-reason").innerText()).toContain("no process drives the run");
  expect(await card.getByRole("button", { name: /^Approve/ }).isDisabled()).toBe(true);
});

describe("The chart of a run", () => {
  test("is reported as unknown once if no process has sent it, and the steps are listed", async () => {
    const worker = await WireWorker.connect(env.hub, []);
    worker.show("nowhere", "unheard", ["there", "there.here"]);
    const { page, ui } = await env.open();
    await ui.run("nowhere").click();
    await page.getByText("The chart of this run is unknown").waitFor();
    await expect.poll(() => page.locator('.line[data-step="1"]').innerText()).toContain("here");
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    for (let n = 2; n < 6; n++) {
      worker.send({
        type: "steps",
        runId: "nowhere",
        states: [],
        statesFrom: 1,
        items: [step(n)],
        total: n,
        first: 1,
      });
      await ui.waitForStep(n);
    }
    expect(requested.filter((path) => path.startsWith("/api/charts"))).toEqual([]);
    expect(await page.locator("[data-notice]").count()).toBe(0);
    await worker.close();
  });

  test("is shown as an outline if its layout takes too long", async () => {
    const largeChart = tangle(60);
    const states = largeChart.nodes.map(({ id }) => id);
    const worker = await WireWorker.connect(env.hub, [{ hash: "tangle", chart: largeChart }]);
    worker.show("tangled", "tangle", [states[0]!, states[1]!]);
    const released = Promise.withResolvers<void>();
    const { proxy, prepare } = makeConnectionProxy();
    proxy.toPage = (message) => {
      if (message.type !== "chart") return message;
      void released.promise.then(() => proxy.send(message));
      return undefined;
    };
    const { page, ui, faults } = await env.open({
      prepare: async (opened) => {
        await prepare(opened);
        await opened.route("**/api/charts/*", async (route) => {
          await released.promise;
          await route.continue();
        });
      },
    });
    await ui.run("tangled").click();
    await page.getByText("Loading the chart").waitFor();
    released.resolve();
    await page.locator(".outline-pane [data-state=s0][data-active]").waitFor();
    const button = page.getByRole("button", { name: "Engine" });
    expect(await button.isDisabled()).toBe(true);
    expect(await button.getAttribute("title")).toBe("The layout of this chart took too long");
    await page.getByRole("treeitem").nth(5).click();
    expect(faults).toEqual(NO_FAULTS);
    await worker.close();
  });
});

describe("Steps that are not loaded", () => {
  const COUNT = 21_500;

  /** Returns the number of pixels of the scrubber that have the colour of a gap. */
  const amber = (page: Page): Promise<number> => page.evaluate(AMBER);

  function showLong(worker: WireWorker, runId: string): void {
    worker.show(runId, "deep", ["deep"]);
    for (let from = 2; from <= COUNT; from += 1_000) {
      const items = Array.from({ length: Math.min(1_000, COUNT - from + 1) }, (_, at) => step(from + at));
      const total = from + items.length - 1;
      worker.send({ type: "steps", runId, states: [], statesFrom: 1, items, total, first: 1 });
    }
  }

  test("are a hatched band in the scrubber and are loaded on request", async () => {
    const worker = await WireWorker.connect(env.hub, [{ hash: "deep", chart: CHARTS["three levels"]! }]);
    showLong(worker, "long");
    const { page, ui, faults } = await env.open();
    await ui.choose("long");
    await expect.poll(async () => (await ui.steps())[1]).toBe(COUNT);
    const oldest = (): Promise<unknown> =>
      page.evaluate("[2, 1001].map((n) => __agentchart.stepAt(n)?.number)");
    await expect.poll(oldest).toEqual([undefined, 1001]);
    await expect.poll(() => amber(page)).toBeGreaterThan(5);
    await page.locator(".rows-of").evaluate((rows) => (rows.scrollTop = 0));
    await page.getByRole("option", { name: "step 3 is not loaded: load" }).click();
    await expect.poll(oldest).toEqual([2, 1001]);
    await page.locator('.line[data-step="3"]').waitFor();
    await page.locator(".rows-of").evaluate((rows) => (rows.scrollTop = 24 * 900));
    await page.getByRole("option", { name: "step 905 is not loaded: load" }).click();
    await page.locator('.line[data-step="905"]').waitFor();
    await expect.poll(() => amber(page)).toBe(0);
    expect((await ui.context(COUNT)) as object).toEqual({ n: COUNT });
    expect(faults).toEqual(NO_FAULTS);
    await worker.close();
  });

  test("are loaded if one of them is selected while others are fetched", async () => {
    const worker = await WireWorker.connect(env.hub, [{ hash: "deep", chart: CHARTS["three levels"]! }]);
    showLong(worker, "fetched");
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const { page, ui } = await env.open({
      prepare: async (opened) => {
        await opened.route("**/steps?*", async (route) => {
          await released;
          await route.continue();
        });
      },
    });
    await ui.choose("fetched");
    await expect.poll(async () => (await ui.steps())[1]).toBe(COUNT);
    await ui.goTo(3);
    resolve();
    await page.locator('.line[data-step="3"]').waitFor();
    await worker.close();
  });
});

/** Counts the amber pixels of the scrubber; a string, because it runs in the page. */
const AMBER = `(() => {
  const canvas = document.querySelector(".scrubber canvas");
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

  async function openRun(sessionId: string): Promise<InspectorPage> {
    const { ui } = await env.open({ at: hub.link });
    await ui.run(sessionId).click();
    return ui;
  }

  test("is shown up to its damaged entry, with the position, if that entry is in the middle", async () => {
    const ui = await openRun("middle");
    await expect.poll(() => ui.page.getByTestId("notice").innerText()).toMatch(/Read up to position \d+/);
    const [, position] = /position (\d+)/.exec(await ui.page.getByTestId("notice").innerText())!;
    expect(Number(position)).toBeGreaterThan(1);
    await expect.poll(async () => (await ui.steps())[1]).toBeGreaterThan(0);
    expect((await ui.steps())[1]).toBeLessThanOrEqual(Number(position)); // a step may have several entries
  });

  test("is quarantined and shown up to its damaged entry if that entry is the last one", async () => {
    const ui = await openRun("end");
    const banner = ui.page.getByTestId("quarantined");
    await expect.poll(() => banner.innerText()).toMatch(/is quarantined.*Read up to position \d+/);
    await expect.poll(async () => (await ui.steps())[1]).toBeGreaterThan(5);
  });

  test("is shown completely, with the reason, if a worker has quarantined it", async () => {
    const ui = await openRun("crashed");
    const banner = ui.page.getByTestId("quarantined");
    await expect.poll(() => banner.innerText()).toContain("3 workers died with it");
    const conversation = await ui.openTab("conversation");
    await expect.poll(() => conversation.innerText()).toContain("All 41 tests pass");
  });
});

describe("A value that is too long for the step log", () => {
  const LONG = 5_000_000;

  test("shows its size and its beginning and is loaded piece by piece", async () => {
    const text = `begins ${"0123456789".repeat(LONG / 10 - 2)} the end.`;
    const agent = createAgent({
      name: "reader",
      model: scriptedModel([{ calls: [{ id: "r", name: "read", input: {} }] }, "Read."]),
      tools: [
        defineTool({ name: "read", description: "Reads.", input: { type: "object" }, execute: () => text }),
      ],
      inspect: env.hub.address,
    });
    await agent.call("Read it.");
    const { page, ui, faults } = await env.open();
    await ui.choose(agent.sessionId);
    const conversation = await ui.openTab("conversation");
    const preview = conversation.locator(".output").first();
    await expect.poll(() => preview.innerText()).toMatch(/begins 0123[^]*open 5M characters/);
    await preview.getByRole("button").click();
    const dialog = page.getByRole("dialog");
    const content = dialog.locator("pre");
    await expect.poll(() => dialog.locator("h2").innerText()).toMatch(/^5M characters of text\s*$/);
    const first = await lengthOf(content);
    expect(first).toBeLessThan(LONG / 10);
    await dialog.getByRole("button", { name: /^Show 100k characters more/ }).click();
    await expect.poll(() => lengthOf(content)).toBe(first * 2);
    const saved = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Save" }).click();
    expect(readFileSync(await (await saved).path(), "utf8")).toBe(text);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(faults).toEqual(NO_FAULTS);
    await agent.close();
  });

  test("shows its beginning if the value is no longer available", async () => {
    const worker = await WireWorker.connect(env.hub, []);
    worker.show("without-value", "none", ["here"]);
    const value = { $blob: "gone", length: 123_456, head: "the beginning" };
    const items = [{ ...step(2), p: [["=", ["note"], value]] }] as const;
    worker.send({
      type: "steps",
      runId: "without-value",
      states: [],
      statesFrom: 1,
      items: [...items] as WireStep[],
      total: 2,
      first: 1,
    });
    const { page, ui } = await env.open();
    await ui.run("without-value").click();
    const context = await ui.openTab("context");
    await context.getByRole("button", { name: "open 123k characters" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.locator(".error").innerText()).toContain("no longer available");
    expect(await dialog.locator("pre").innerText()).toBe("the beginning");
    await worker.close();
  });
});

const lengthOf = (text: Locator): Promise<number> => text.evaluate((element) => element.textContent.length);
