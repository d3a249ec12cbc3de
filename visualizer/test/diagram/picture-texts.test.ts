// The texts of a chart's picture that have room at a scale.
import { describe, expect, test } from "vitest";
import { CHARTS, layoutsOf } from "../../../test/diagram/charts.ts";
import { shopOfEight } from "../../../test/support/machines/shop-of-eight.ts";
import { chartJson, type Chart } from "../../../machines/index.ts";
import { depthsOf } from "../../src/diagram/chart-picture.tsx";
import { enlargement, labelsAt, nameBoxes } from "../../src/diagram/picture-texts.ts";
import type { Box } from "../../../src/core/diagram/layout.ts";
import { overlap } from "../../src/diagram/region-names.ts";
import { indexChart } from "../../src/logic/chart-index.ts";

const NONE: ReadonlySet<string> = new Set();
const charts = Object.entries({ ...CHARTS, "an app of eight machines": chartJson(shopOfEight) });

const made = new Map<Chart, ReturnType<typeof layoutsOf>>();
const textsOf = async (chart: Chart, shape: "landscape" | "portrait", scale: number, first = NONE) => {
  if (!made.has(chart)) made.set(chart, layoutsOf(chart));
  const layout = (await made.get(chart)!)[shape];
  const depths = depthsOf(indexChart(chart));
  const names = nameBoxes(layout, (id) => depths.get(id)!, scale, false);
  return { layout, names, labels: labelsAt(layout, names, scale, first) };
};

describe.each(charts)("the chart of %s", (_, chart) => {
  test.each([1, 0.95, 0.8, 0.65, 0.5, 0.3])("has no text over another at a scale of %d", async (scale) => {
    for (const shape of ["landscape", "portrait"] as const) {
      const { layout, names, labels } = await textsOf(chart, shape, scale);
      const boxes = [...names, ...labels.values()];
      const pairs = boxes.flatMap((one, at) => boxes.slice(at + 1).map((other) => [one, other] as const));
      expect.soft(pairs.filter(([one, other]) => overlap(one, other) > 0)).toEqual([]);
      for (const [id, box] of labels) {
        const drawn = [...layout.edges, ...layout.pills].find((each) =>
          "edges" in each ? each.edges[0] === id : each.edge === id,
        )!;
        const { height } = "edges" in drawn ? drawn.label! : drawn;
        expect(box.height / height).toBeCloseTo(enlargement(scale), 5);
      }
    }
  });
});

test.each([1, 0.95, 0.8])(
  "each state has its name at a scale of %d, and at 1 each label is drawn",
  async (scale) => {
    for (const [, chart] of charts) {
      const { layout, names, labels } = await textsOf(chart, "landscape", scale);
      expect(names).toHaveLength(layout.nodes.length);
      const all = layout.pills.length + layout.edges.filter(({ label }) => label).length;
      expect(scale === 1 ? labels.size : all).toBe(all);
    }
  },
);

test.each([0.95, 0.8, 0.7, 0.65, 0.5])(
  "no label leaves the state that it lies in at a scale of %d",
  async (scale) => {
    const lies = (one: Box, other: Box): boolean => overlap(one, other) >= one.width * one.height * 0.999;
    for (const [, chart] of charts)
      for (const shape of ["landscape", "portrait"] as const) {
        const { layout, labels } = await textsOf(chart, shape, scale);
        const leaves = layout.nodes.filter(({ hasChildren }) => !hasChildren);
        const left = layout.edges.filter(({ edges: [id], label }) => {
          const [home, box] = [label && leaves.find((leaf) => lies(label, leaf)), labels.get(id!)];
          return home && box && !lies(box, home);
        });
        expect(left).toEqual([]);
      }
  },
);

test("a label of the displayed step comes before others where there is no room for all", async () => {
  const chart = CHARTS["the agent"]!;
  const { layout, labels } = await textsOf(chart, "landscape", 0.7);
  const hidden = layout.edges.filter(({ edges, label }) => label && !labels.has(edges[0]!));
  expect(labels.size).toBeGreaterThan(0);
  expect(hidden.length).toBeGreaterThan(0);
  const firsts = await Promise.all(
    hidden.map(
      async ({ edges }) => (await textsOf(chart, "landscape", 0.7, new Set([edges.at(-1)!]))).labels,
    ),
  );
  const shown = firsts.filter((each, at) => each.has(hidden[at]!.edges[0]!));
  expect(shown.length).toBeGreaterThan(0);
});
