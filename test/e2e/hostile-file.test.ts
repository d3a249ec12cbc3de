import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { NO_FAULTS, type Faults } from "./support/browser.ts";
import { makeDesk, type Desk } from "./support/desk.ts";
import { HOSTILE, hostileLines, stateOf, TABS, type Lines } from "./support/hostile.ts";
import type { InspectorPage } from "./support/inspector-page.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await makeDesk();
});
afterEach(() => desk.closePages());
afterAll(() => desk.close());

/** Opens these lines as a file. */
async function drop(lines: Lines): Promise<{ ui: InspectorPage; faults: Faults }> {
  const path = join(desk.home.path, "hostile.ndjson");
  writeFileSync(
    path,
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
  );
  const { page, ui, faults } = await desk.open();
  await page.getByTestId("open-file").first().setInputFiles(path);
  return { ui, faults };
}

/** Every tab at every step, every step of the timeline, chart and outline; nothing ran, nothing was asked for. */
async function lookEverywhere(ui: InspectorPage): Promise<void> {
  const { page } = ui;
  const [first, newest] = await ui.step();
  for (const tab of TABS) {
    await ui.openTab(tab);
    for (const q of [newest, Math.max(1, newest - 1), first]) {
      await ui.goTo(q);
      expect(await ui.panel(tab).getByTestId("cannot-show").count(), `${tab} ${q}`).toBe(0);
    }
  }
  await page.keyboard.press("o");
  await page.keyboard.press("End");
  await ui.at(newest);
  expect(await page.getByTestId("cannot-show").count()).toBe(0);
  expect(await page.evaluate('["__ran" in globalThis, "polluted" in {}]')).toEqual([false, false]);
}

describe("A file whose every text is hostile", () => {
  test("is shown as text: no request, no report, no script; and the page can be used", async () => {
    const { ui, faults } = await drop(hostileLines());
    await ui.page.getByTestId("file").waitFor();
    expect((await ui.step())[1]).toBe(5);
    await lookEverywhere(ui);
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

  test("with figures and dates out of all bounds is shown, and scrubbed", async () => {
    const lines = hostileLines({
      row: {
        startedAt: -1e300,
        updatedAt: 1e300,
        steps: -5,
        pending: -1,
        usage: { inputTokens: -1, cost: 1e300 },
      },
      step: (q) => ({ t: q % 2 ? 1e300 : -1e300, m: q % 2 ? -1e300 : 1e300, s: 1e9 }),
    });
    const { ui, faults } = await drop(lines);
    await ui.page.getByTestId("file").waitFor();
    await lookEverywhere(ui);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("of 5 MB in one text, and with numbers of steps that begin high, is shown", async () => {
    const huge = "x".repeat(5_000_000);
    const lines = hostileLines({ begin: 2 ** 50, context: { huge }, name: `agent ${huge}` });
    const { ui, faults } = await drop(lines);
    await ui.page.getByTestId("file").waitFor();
    expect(await ui.step()).toEqual([2 ** 50 + 4, 2 ** 50 + 4]);
    await ui.openTab("context");
    await ui.openTab("raw");
    await ui.page.keyboard.press("k");
    await ui.at(2 ** 50 + 3);
    expect(await ui.page.getByTestId("cannot-show").count()).toBe(0);
    expect(faults).toEqual(NO_FAULTS);
  });
});

describe("A file is opened up to its first line that cannot be", () => {
  const deep = `{"q":3,"t":1,"m":3,"e":"","x":[],"s":0,"v":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const step = { q: 3, t: 1, m: 3, e: "", x: [], s: 0 };
  test.each([
    ["is nested 100,000 deep", deep, "nested deeper"],
    ["has NaN", '{"q":3,"t":NaN}', "JSON"],
    ["has a number that is infinite", '{"q":3,"t":1e999,"m":3,"e":"","x":[],"s":0}', "step 3"],
    ["has the number of a step before", { ...step, q: 2 }, "step 2 follows step 2"],
    ["has the number of a step that is far away", { ...step, q: 2 ** 53 }, "number of a step"],
    ["has a negative number", { ...step, q: -3 }, "number of a step"],
    ["has no edges but a text", { ...step, x: "abc" }, "step 3"],
    ["changes a place that is none", { ...step, p: [["=", "__proto__", 1]] }, "step 3"],
    ["appends what is no list", { ...step, p: [["+", ["messages"], { length: 1e9 }]] }, "step 3"],
    ["is an array", [], "JSON object"],
  ])("which %s", async (_, line, message) => {
    const [header, chart, ...rest] = hostileLines();
    const good = rest.filter((each) => typeof each !== "object" || !("q" in each) || Number(each["q"]) <= 2);
    const { ui, faults } = await drop([header!, chart!, ...good, line as string]);
    const damaged = ui.page.getByTestId("damaged");
    await expect.poll(() => damaged.innerText()).toContain(`line ${good.length + 3} `);
    expect(await damaged.innerText()).toContain(message);
    expect((await ui.step())[1]).toBe(2);
    await lookEverywhere(ui);
    expect(faults).toEqual(NO_FAULTS);
  });

  test("an element set far behind the end of a list is not there, and costs nothing", async () => {
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
    await lookEverywhere(ui);
    expect(faults).toEqual(NO_FAULTS);
  });

  test.each([
    ["a row that is no row", { agentchartRun: 1, row: { runId: {}, agent: [], chart: 1 } }],
    ["a list for a row", { agentchartRun: 1, row: [] }],
    ["not a part of a run", "<script>alert(1)</script>"],
  ])("but not with %s in its first line: that is said", async (_, header) => {
    const { ui, faults } = await drop([header as string, ...hostileLines().slice(1)]);
    await expect.poll(() => ui.page.locator("[data-notice=bad]").innerText()).toContain("no exported run");
    expect(faults).toEqual(NO_FAULTS);
  });
});

describe("The chart of a file", () => {
  test("of 10,000 states is an outline, and the page can be used", async () => {
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
    await ui.at(4);
    await ui.openTab("raw");
    expect(faults.policy).toEqual([]);
    expect(faults.outbound).toEqual([]);
  });

  test.each([
    [
      "lies in itself",
      [
        { id: "a", parent: "b" },
        { id: "b", parent: "a" },
      ],
    ],
    ["is there twice", [{ id: "a" }, { id: "a", parent: "m" }]],
    ["begins in its parent", [{ id: "a", initial: "m" }]],
    ["has no names", [{ id: 5 }]],
    ["has a service that is an object", [{ id: "a", invoke: [{}] }]],
  ])("in which a state %s is damage", async (_, states) => {
    const nodes = states.map(stateOf);
    const { ui, faults } = await drop(hostileLines({ nodes }));
    await expect.poll(() => ui.page.getByTestId("damaged").innerText()).toContain("line 2");
    await ui.openTab("raw");
    expect(faults).toEqual(NO_FAULTS);
  });
});
