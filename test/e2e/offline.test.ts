import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { launch, NO_FAULTS, open } from "./support/browser.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { makeHome, startHub, type Home, type Hub } from "./support/hub.ts";
import { InspectorPage } from "./support/inspector-page.ts";
import { parserFixer } from "./support/scene.ts";

/** What a page shows of a run. */
type Picture = {
  readonly steps: number;
  readonly states: readonly (readonly string[])[];
  readonly taken: readonly (readonly string[])[];
  readonly metrics: string;
  readonly words: readonly string[];
};

async function pictureOf(ui: InspectorPage): Promise<Picture> {
  await ui.rests();
  const [, steps] = await ui.step();
  const states: string[][] = [];
  const taken: string[][] = [];
  for (let q = 1; q <= steps; q += 1) {
    await ui.goTo(q);
    states.push(await ui.active());
    taken.push(await ui.taken());
  }
  const metrics = await ui.page.locator(".metrics").innerText();
  const context = (await ui.context(steps)) as { messages: readonly object[] };
  return { steps, states, taken, metrics, words: context.messages.map((message) => JSON.stringify(message)) };
}

let home: Home;
let file: string;
let live: Picture;
let agent: Agent;

beforeAll(async () => {
  const desk: Desk = await makeDesk();
  agent = parserFixer({ inspect: desk.hub.address });
  await agent.call("Please mend the lexer.");
  await agent.decide("c5", "approve");
  await agent.call();
  const { page, ui } = await desk.open();
  await ui.choose(agent.sessionId);
  await ui.rests(["agent.stopped.idle"]);
  live = await pictureOf(ui);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /^Export this run/ }).click(),
  ]);
  home = makeHome();
  file = join(home.path, "run.ndjson");
  await download.saveAs(file);
  await agent.close();
  await desk.close();
}, 240_000);
afterAll(() => home.remove());

describe("After everything has ended, without a network, an exported run", () => {
  let browser: Browser;
  let hub: Hub;
  beforeAll(async () => {
    browser = await launch(["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]);
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await hub.stop();
  });
  afterAll(() => browser.close());

  test("opens in the page, with the same picture as live", async () => {
    hub = await startHub(home);
    const { page, faults } = await open(browser, hub.link);
    const ui = new InspectorPage(page);
    await page.getByTestId("open-file").setInputFiles(file);
    await ui.chart();
    await page.getByTestId("file").waitFor();
    expect(await pictureOf(ui)).toEqual(live);
    expect(await page.getByRole("button", { name: /^(Approve|Interrupt|Message|Pause)/ }).count()).toBe(0);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("opens without the token too, with the same picture", async () => {
    hub = await startHub(home);
    const { page } = await open(browser, hub.url);
    const ui = new InspectorPage(page);
    await page.getByTestId("open-file").setInputFiles(file);
    await ui.chart();
    expect(await pictureOf(ui)).toEqual(live);
  });

  test("opens from the command line, with the same picture", async () => {
    hub = await startHub(home, ["--open", file]);
    const { page } = await open(browser, hub.link);
    const ui = new InspectorPage(page);
    await page.locator("[data-run]").first().click();
    await ui.chart();
    await expect.poll(async () => (await ui.step())[1]).toBe(live.steps);
    expect(await pictureOf(ui)).toEqual(live);
  });

  test("without its chart has the one of this release, with another one is laid out, and without any has none", async () => {
    hub = await startHub(home);
    const [header, chart, ...rest] = readFileSync(file, "utf8").split("\n") as [string, string, ...string[]];
    expect(chart.length).toBeLessThan(60_000);
    const { row, ...more } = JSON.parse(header) as { row: object };
    const other = JSON.stringify({ ...more, row: { ...row, chart: "other" } });
    const drop = async (lines: readonly string[]): Promise<InspectorPage> => {
      const { page } = await open(browser, hub.link);
      const path = join(home.path, "changed.ndjson");
      writeFileSync(path, lines.join("\n"));
      await page.getByTestId("open-file").setInputFiles(path);
      await page.getByTestId("file").waitFor();
      return new InspectorPage(page);
    };
    const built = await drop([header, ...rest]);
    await expect.poll(() => built.active()).toEqual(live.states.at(-1));
    expect(await built.page.getByTestId("file").innerText()).not.toContain("chart");
    const foreign = await drop([other, chart.replace(/"hash":"\w+"/, '"hash":"other"'), ...rest]);
    await expect.poll(() => foreign.active()).toEqual(live.states.at(-1));
    const none = await drop([other, ...rest]);
    expect(await none.page.getByTestId("file").innerText()).toContain("Its chart is not in it");
    expect((await none.step())[1]).toBe(live.steps);
    expect(await none.page.locator("svg.chart").count()).toBe(0);
  });

  test("that was cut off opens up to its last whole line", async () => {
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const kept = lines.slice(0, 20);
    const cut = join(home.path, "cut.ndjson");
    writeFileSync(cut, `${kept.join("\n")}\n`);
    appendFileSync(cut, lines[20]!.slice(0, 30));
    hub = await startHub(home);
    const { page } = await open(browser, hub.link);
    await page.getByTestId("open-file").setInputFiles(cut);
    await expect.poll(() => page.getByTestId("damaged").innerText()).toContain("line 21");
    const steps = kept.filter((line) => "q" in (JSON.parse(line) as object));
    expect((await new InspectorPage(page).step())[1]).toBe(steps.length);
  });
});

test("a stored session that nobody drives is shown from its store", async () => {
  const stored = makeHome();
  const writer = parserFixer({ store: fileStore({ dir: stored.sessions }), sessionId: "stored-run" });
  await writer.call("Please mend the lexer.");
  await writer.close();
  const hub = await startHub(stored);
  const browser = await launch();
  const { page, faults } = await open(browser, hub.link);
  const ui = new InspectorPage(page);
  await ui.choose("stored-run");
  const conversation = await ui.openTab("conversation");
  await expect.poll(() => conversation.innerText()).toMatch(/All 41 tests pass/);
  await ui.rests();
  expect(await ui.active()).toContain("agent.suspended.waiting");
  await ui.goTo(1);
  await ui.openTab("conversation");
  await expect.poll(() => conversation.innerText()).not.toMatch(/All 41 tests pass/);
  await expect.poll(() => ui.pending("c5").innerText()).toContain("no process drives the run");
  const event = await ui.openTab("event");
  const unknown = event.getByTestId("way-unknown");
  const [, newest] = await ui.step();
  await ui.goTo(newest);
  await expect.poll(() => unknown.innerText()).toMatch(/^Not known: .* more than one way leads here/);
  expect(await ui.taken()).toEqual([]);
  for (let q = newest; !(await ui.active()).includes("agent.acting.executing"); q -= 1) await ui.goTo(q - 1);
  while ((await ui.taken()).length === 0) await ui.goTo((await ui.step())[0] - 1);
  const branches = event.locator("[data-guard]");
  const guards = await branches.evaluateAll((all) => all.map((one) => one.getAttribute("data-guard")));
  expect(guards).toContain("taken");
  expect(guards).toContain("not-taken");
  expect(faults).toEqual(NO_FAULTS);
  await browser.close();
  await hub.stop();
  stored.remove();
});
