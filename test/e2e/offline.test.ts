// An exported run is shown without a network.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { launch, NO_FAULTS, open } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { makeHome, startHub, type Home, type Hub } from "./support/hub.ts";
import { InspectorPage } from "./support/inspector-page.ts";
import { parserFixer } from "./support/parser-fixer.ts";

/** What the page shows of a run. */
type RunView = {
  readonly steps: number;
  readonly states: readonly (readonly string[])[];
  readonly taken: readonly (readonly string[])[];
  readonly metrics: string;
  readonly messages: readonly string[];
};

async function viewOf(ui: InspectorPage): Promise<RunView> {
  await ui.waitForRest();
  const [, steps] = await ui.steps();
  const states: string[][] = [];
  const taken: string[][] = [];
  for (let stepNumber = 1; stepNumber <= steps; stepNumber += 1) {
    await ui.goTo(stepNumber);
    states.push(await ui.activeStates());
    taken.push(await ui.takenEdges());
  }
  const metrics = await ui.page.locator(".metrics").innerText();
  const context = (await ui.context(steps)) as { messages: readonly object[] };
  return {
    steps,
    states,
    taken,
    metrics,
    messages: context.messages.map((message) => JSON.stringify(message)),
  };
}

let home: Home;
let file: string;
let live: RunView;
let agent: Agent;

beforeAll(async () => {
  const env: Environment = await makeEnvironment();
  agent = parserFixer({ inspect: env.hub.address });
  await agent.call("Please mend the lexer.");
  await agent.decide("c5", "approve");
  await agent.call();
  const { page, ui } = await env.open();
  await ui.choose(agent.sessionId);
  await ui.waitForRest(["agent.stopped.idle"]);
  live = await viewOf(ui);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /^Export this run/ }).click(),
  ]);
  home = makeHome();
  file = join(home.path, "run.ndjson");
  await download.saveAs(file);
  await agent.close();
  await env.close();
});
afterAll(() => home.remove());

describe("An exported run, without a network", () => {
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

  test("is shown in the page as it was live", async () => {
    hub = await startHub(home);
    const { page, faults } = await open(browser, hub.link);
    const ui = new InspectorPage(page);
    await page.getByTestId("open-file").setInputFiles(file);
    await ui.waitForChart();
    await page.getByTestId("file").waitFor();
    expect(await viewOf(ui)).toEqual(live);
    expect(await page.getByRole("button", { name: /^(Approve|Interrupt|Message|Pause)/ }).count()).toBe(0);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("is shown without a token as it was live", async () => {
    hub = await startHub(home);
    const { page } = await open(browser, hub.url);
    const ui = new InspectorPage(page);
    await page.getByTestId("open-file").setInputFiles(file);
    await ui.waitForChart();
    expect(await viewOf(ui)).toEqual(live);
  });

  test("is shown as it was live if it is opened with --open", async () => {
    hub = await startHub(home, ["--open", file]);
    const { page } = await open(browser, hub.link);
    const ui = new InspectorPage(page);
    await page.locator("[data-run]").first().click();
    await ui.waitForChart();
    await expect.poll(async () => (await ui.steps())[1]).toBe(live.steps);
    expect(await viewOf(ui)).toEqual(live);
  });

  test("is shown with the built-in chart, with the chart in its file, or without a chart if neither is known", async () => {
    hub = await startHub(home);
    const [header, chart, ...rest] = readFileSync(file, "utf8").split("\n") as [string, string, ...string[]];
    expect(chart.length).toBeLessThan(100_000);
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
    const builtIn = await drop([header, ...rest]);
    await expect.poll(() => builtIn.activeStates()).toEqual(live.states.at(-1));
    expect(await builtIn.page.getByTestId("file").innerText()).not.toContain("chart");
    const foreign = await drop([other, chart.replace(/"hash":"\w+"/, '"hash":"other"'), ...rest]);
    await expect.poll(() => foreign.activeStates()).toEqual(live.states.at(-1));
    const none = await drop([other, ...rest]);
    expect(await none.page.getByTestId("file").innerText()).toContain("Its chart is neither in the file");
    expect((await none.steps())[1]).toBe(live.steps);
    expect(await none.page.locator("svg.chart").count()).toBe(0);
  });

  test("is shown up to its last complete line if the file is truncated", async () => {
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
    expect((await new InspectorPage(page).steps())[1]).toBe(steps.length);
  });
});

test("a stored session without a process is shown from its store", async () => {
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
  await ui.waitForRest();
  expect(await ui.activeStates()).toContain("agent.suspended.waiting");
  await ui.goTo(1);
  await ui.openTab("conversation");
  await expect.poll(() => conversation.innerText()).not.toMatch(/All 41 tests pass/);
  await expect.poll(() => ui.pending("c5").innerText()).toContain("no process drives the run");
  const event = await ui.openTab("event");
  const [, newest] = await ui.steps();
  await ui.goTo(newest);
  for (let at = newest; !(await ui.activeStates()).includes("agent.acting.executing"); at -= 1)
    await ui.goTo(at - 1);
  const branches = event.locator("[data-guard]");
  const guardsOf = async (): Promise<readonly (string | null)[]> =>
    branches.evaluateAll((all) => all.map((one) => one.getAttribute("data-guard")));
  while (!(await guardsOf()).includes("not-taken")) await ui.goTo((await ui.steps())[0] - 1);
  expect(await guardsOf()).toContain("taken");
  expect(faults).toEqual(NO_FAULTS);
  await browser.close();
  await hub.stop();
  stored.remove();
});
