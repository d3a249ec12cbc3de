// The pictures of charts in the page are complete.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { chartJson, type Chart } from "agentchart/machines";
import { CHARTS } from "../diagram/charts.ts";
import { shopOfEight } from "../support/machines/shop-of-eight.ts";
import { NO_FAULTS } from "./support/browser.ts";
import { makeEnvironment, type Environment } from "./support/environment.ts";
import { settled } from "./support/settled.ts";
import { chartOverlaps, chartTexts } from "./support/text-geometry.ts";
import { WireWorker } from "./support/wire-worker.ts";

let env: Environment;
let worker: WireWorker;
let page: Awaited<ReturnType<Environment["open"]>>;
const charts = Object.entries({ ...CHARTS, "an app of eight machines": chartJson(shopOfEight) }).map(
  ([name, chart], index) => ({ name, chart, hash: `chart${index}` }),
);

beforeAll(async () => {
  env = await makeEnvironment();
  worker = await WireWorker.connect(env.hub, charts);
  for (const { hash, chart } of charts) {
    worker.show(`run-${hash}`, hash, [chart.nodes[0]!.id]);
    for (const [at, states] of pathsOf(chart).entries()) worker.show(`run-${hash}-${at}`, hash, states);
  }
  page = await env.open();
});
afterAll(async () => {
  await worker.close();
  await env.close();
});

type Rect = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

describe.each(charts)("The chart of $name in the page", ({ hash, chart }) => {
  beforeAll(() => page.ui.choose(`run-${hash}`));
  afterEach(() => page.page.setViewportSize({ width: 1_680, height: 980 }));

  test("contains every state and every transition once", async () => {
    const svg = page.page.locator("svg.chart");
    const attributes = (name: string): Promise<string[]> =>
      svg.locator(`[${name}]`).evaluateAll((all, key) => all.map((one) => one.getAttribute(key)!), name);
    await expect.poll(() => attributes("data-state")).toEqual(chart.nodes.map(({ id }) => id));
    const edges = (await attributes("data-edge")).flatMap((ids) => ids.split(" "));
    expect(edges.toSorted()).toEqual(chart.edges.map(({ id }) => id).toSorted());
  });

  test("has the same number of states in the outline", async () => {
    const tree = page.page.getByRole("tree", { name: `States of ${chart.id}` });
    await expect.poll(() => tree.getByRole("treeitem").count()).toBe(chart.nodes.length - 1);
  });

  test.each([
    [1_680, 980],
    [1_024, 768],
    [390, 844],
  ])(
    "has no text below 11 px and none over another or below a badge at fit, in %d × %d px",
    async (width, height) => {
      await page.page.setViewportSize({ width, height });
      if (width < 500)
        await page.page
          .getByRole("navigation", { name: "Panels" })
          .getByRole("button", { name: "Chart" })
          .click();
      for (const [at, states] of pathsOf(chart).entries()) {
        await page.page.evaluate(`location.hash = "#/run/run-${hash}-${at}"`);
        await expect.poll(() => page.ui.activeStates()).toEqual(states);
        await settled(page.page);
        expect
          .soft(
            (await chartTexts(page.page)).filter(({ px }) => px < 10.95),
            states.at(-1),
          )
          .toEqual([]);
        expect.soft(await chartOverlaps(page.page), states.at(-1)).toEqual([]);
      }
    },
  );

  test("has no overlapping labels", async () => {
    const svg = page.page.locator("svg.chart");
    const zoomIn = page.page.getByRole("button", { name: /^Zoom to the active state/ });
    if (await zoomIn.isVisible()) await zoomIn.click();
    await svg.and(page.page.locator(":not([data-overview])")).waitFor();
    const labels = await svg
      .locator(".label[data-shown] rect")
      .evaluateAll((all) => all.map((one): Rect => one.getBoundingClientRect().toJSON() as Rect));
    expect(labels.length > 0).toBe(chart.edges.some(({ source }) => source !== chart.nodes[0]!.id));
    for (const { width } of labels) expect(width).toBeGreaterThan(0);
    const overlapping = labels.filter((one, index) =>
      labels.slice(index + 1).some((other) => overlap(one, other)),
    );
    expect(overlapping).toEqual([]);
  });
});

test("no chart causes an error, a policy violation or an outbound request in the page", () => {
  expect(page.faults).toEqual(NO_FAULTS);
});

/** The first and the last configuration in which a service of a chart runs, each with the states around its innermost one; else the one of the last state. */
function pathsOf({ nodes }: Chart): readonly (readonly string[])[] {
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const around = (id: string | undefined): readonly string[] =>
    id === undefined ? [] : [...around(parents.get(id)), id];
  const busy = nodes.filter(({ invoke }) => invoke.length > 0);
  const shown = busy.length > 0 ? [busy[0]!, busy.at(-1)!] : nodes.slice(-1);
  return shown.map(({ id }) => around(id));
}

function overlap(one: Rect, other: Rect): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
