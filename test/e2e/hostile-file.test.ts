// Files of runs with hostile strings and invalid lines.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { NO_FAULTS, type Faults } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { HOSTILE, hostileLines, stateOf, TABS, type Lines } from "./support/hostile.ts";
import type { InspectorPage } from "./support/inspector-page.ts";

let env: Environment;
beforeAll(async () => {
  env = await makeEnvironment();
});
afterEach(() => env.closePages());
afterAll(() => env.close());

/** Opens a file with these lines in the page. */
async function drop(lines: Lines): Promise<{ ui: InspectorPage; faults: Faults }> {
  const path = join(env.home.path, "hostile.ndjson");
  writeFileSync(
    path,
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
  );
  const { page, ui, faults } = await env.open();
  await page.getByTestId("open-file").first().setInputFiles(path);
  return { ui, faults };
}

/**
 * Opens every tab at several steps, the chart and the outline; asserts that each can be shown and that no
 * script ran.
 */
async function openEverything(ui: InspectorPage): Promise<void> {
  const { page } = ui;
  const [first, newest] = await ui.steps();
  for (const tab of TABS) {
    await ui.openTab(tab);
    for (const stepNumber of [newest, Math.max(1, newest - 1), first]) {
      await ui.goTo(stepNumber);
      expect(await ui.panel(tab).getByTestId("cannot-show").count(), `${tab} ${stepNumber}`).toBe(0);
    }
  }
  await page.keyboard.press("o");
  await page.keyboard.press("End");
  await ui.waitForStep(newest);
  expect(await page.getByTestId("cannot-show").count()).toBe(0);
  expect(await page.evaluate('["__ran" in globalThis, "polluted" in {}]')).toEqual([false, false]);
}

describe("A file in which every string is hostile", () => {
  test("is shown as text: no request, no policy violation, no script", async () => {
    const { ui, faults } = await drop(hostileLines());
    await ui.page.getByTestId("file").waitFor();
    expect((await ui.steps())[1]).toBe(5);
    await openEverything(ui);
    const prompt = await ui.openTab("prompt");
    await expect.poll(() => prompt.locator("[data-sent]").count()).toBe(2);
    expect(await prompt.innerText()).toContain("onerror");
    expect(await prompt.locator("img, a, script, iframe").count()).toBe(0);
    const conversation = await ui.openTab("conversation");
    await expect.poll(() => conversation.innerText()).toContain("<script>globalThis.__ran=2</script>");
    expect(await ui.page.locator("img, iframe, script:not([src]), style, [onload], [onerror]").count()).toBe(
      0,
    );
    const links = await ui.page
      .locator("a")
      .evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
    expect(links.filter((href) => !/^(https?:|#\/)/.test(href))).toEqual([]);
    expect(await ui.page.title()).not.toMatch(/[\u202E\u200B]/);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("can be opened and stepped through if its numbers and dates are out of range", async () => {
    const lines = hostileLines({
      row: {
        startedAt: -1e300,
        updatedAt: 1e300,
        steps: -5,
        pending: -1,
        usage: { inputTokens: -1, cost: 1e300 },
      },
      step: (n) => ({ t: n % 2 ? 1e300 : -1e300, m: n % 2 ? -1e300 : 1e300, s: 1e9 }),
    });
    const { ui, faults } = await drop(lines);
    await ui.page.getByTestId("file").waitFor();
    await openEverything(ui);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("can be opened if one string has 5 MB and its step numbers begin at 2^50", async () => {
    const huge = "x".repeat(5_000_000);
    const lines = hostileLines({ begin: 2 ** 50, context: { huge }, name: `agent ${huge}` });
    const { ui, faults } = await drop(lines);
    await ui.page.getByTestId("file").waitFor();
    expect(await ui.steps()).toEqual([2 ** 50 + 4, 2 ** 50 + 4]);
    await ui.openTab("context");
    await ui.openTab("raw");
    await ui.page.keyboard.press("k");
    await ui.waitForStep(2 ** 50 + 3);
    expect(await ui.page.getByTestId("cannot-show").count()).toBe(0);
    expect(faults).toEqual(NO_FAULTS);
  });
});

describe("A file with an invalid line", () => {
  const deep = `{"q":3,"t":1,"m":3,"e":"","x":[],"s":0,"v":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const step = { q: 3, t: 1, m: 3, e: "", x: [], s: 0 };
  test.each([
    ["is nested 100,000 deep", deep, "nested deeper"],
    ["has NaN", '{"q":3,"t":NaN}', "JSON"],
    ["has a number that is infinite", '{"q":3,"t":1e999,"m":3,"e":"","x":[],"s":0}', "step 3"],
    ["repeats a step number", { ...step, q: 2 }, "step 2 follows step 2"],
    ["has a step number that is too large", { ...step, q: 2 ** 53 }, "number of a step"],
    ["has a negative step number", { ...step, q: -3 }, "number of a step"],
    ["has a string instead of edges", { ...step, x: "abc" }, "step 3"],
    ["has a patch with an invalid path", { ...step, p: [["=", "__proto__", 1]] }, "step 3"],
    [
      "appends an object instead of an array",
      { ...step, p: [["+", ["messages"], { length: 1e9 }]] },
      "step 3",
    ],
    ["is an array", [], "JSON object"],
  ])("is opened up to a line that %s", async (_, line, message) => {
    const [header, chart, ...rest] = hostileLines();
    const good = rest.filter((each) => typeof each !== "object" || !("q" in each) || Number(each["q"]) <= 2);
    const { ui, faults } = await drop([header!, chart!, ...good, line as string]);
    const damaged = ui.page.getByTestId("damaged");
    await expect.poll(() => damaged.innerText()).toContain(`line ${good.length + 3} `);
    expect(await damaged.innerText()).toContain(message);
    expect((await ui.steps())[1]).toBe(2);
    await openEverything(ui);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("ignores a patch that sets an element far behind the end of an array", async () => {
    const far = {
      ...step,
      p: [
        ["=", ["list", 400_000_000], 1],
        ["=", ["list", "__proto__"], 1],
      ],
    };
    const lines = hostileLines({ context: { list: [1, 2] } }).filter(
      (each) => typeof each !== "object" || !("q" in each) || Number(each["q"]) <= 2,
    );
    const { ui, faults } = await drop([...lines, far]);
    await ui.page.getByTestId("file").waitFor();
    expect(await ui.context(3)).toMatchObject({ list: [1, 2] });
    await openEverything(ui);
    expect(faults).toEqual(NO_FAULTS);
  });

  test.each([
    ["an invalid row", { agentchartRun: 1, row: { runId: {}, agent: [], chart: 1 } }],
    ["an array instead of a row", { agentchartRun: 1, row: [] }],
    ["not a line of an exported run", "<script>alert(1)</script>"],
  ])("is rejected if its first line is %s", async (_, header) => {
    const { ui, faults } = await drop([header as string, ...hostileLines().slice(1)]);
    await expect
      .poll(() => ui.page.locator("[data-notice=bad]").innerText())
      .toContain("not an exported run");
    expect(faults).toEqual(NO_FAULTS);
  });
});

describe("The chart of a file", () => {
  test("is shown as an outline if it has 10,000 states", async () => {
    const nodes = Array.from({ length: 10_000 }, (_, at) =>
      stateOf({ id: `m.${HOSTILE} ${at}`, key: `${HOSTILE} ${at}` }),
    );
    const { ui, faults } = await drop(hostileLines({ nodes, state: nodes.at(-1)!.id }));
    await ui.page.getByTestId("file").waitFor();
    await ui.page.locator(".outline-pane .card").first().waitFor();
    await ui.page.getByText("9700 more states").waitFor();
    await ui.page.locator(".outline-pane .card[data-active]").waitFor();
    await ui.openTab("event");
    await ui.page.keyboard.press("k");
    await ui.waitForStep(4);
    await ui.openTab("raw");
    expect(faults.policy).toEqual([]);
    expect(faults.outbound).toEqual([]);
  });

  test.each([
    [
      "is its own ancestor",
      [
        { id: "a", parent: "b" },
        { id: "b", parent: "a" },
      ],
    ],
    ["occurs twice", [{ id: "a" }, { id: "a", parent: "m" }]],
    ["has its parent as initial state", [{ id: "a", initial: "m" }]],
    ["has a number as id", [{ id: 5 }]],
    ["has a service that is an object", [{ id: "a", invoke: [{}] }]],
  ])("counts as damaged if a state %s", async (_, states) => {
    const nodes = states.map(stateOf);
    const { ui, faults } = await drop(hostileLines({ nodes }));
    await expect.poll(() => ui.page.getByTestId("damaged").innerText()).toContain("line 2");
    await ui.openTab("raw");
    expect(faults).toEqual(NO_FAULTS);
  });
});

test("of two files with one chart, the list has the steps of the chosen one", async () => {
  const { page, ui } = await env.open();
  const listed = page.locator(".timeline .rows-of");
  for (const runId of ["first", "second"]) {
    const lines = hostileLines({ row: { runId }, step: (n) => ({ e: `step ${n} of ${runId}` }) });
    const buffer = Buffer.from(lines.map((line) => JSON.stringify(line)).join("\n"));
    await page
      .getByTestId("open-file")
      .first()
      .setInputFiles({ name: `${runId}.ndjson`, mimeType: "application/x-ndjson", buffer });
    await expect.poll(() => listed.innerText()).toContain(`step 2 of ${runId}`);
  }
  await ui.run("file:first").click();
  await expect.poll(() => listed.innerText()).not.toContain("of second");
  expect(await listed.innerText()).toContain("step 2 of first");
});
