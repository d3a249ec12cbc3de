// Charts in rows: what is drawn of a chart with very many states on a level, and of one that takes too long otherwise.
import { createMachine } from "xstate";
import { expect, test } from "vitest";
import { chartInRows } from "../../src/core/diagram/rows.ts";
import { chartJson, type Chart } from "../../src/core/diagram/chart-json.ts";
import type { Layout } from "../../src/core/diagram/layout.ts";
import { layoutChart } from "../../src/core/diagram/layout-chart.ts";
import fc from "../support/fast-check.ts";
import { contains, isOnBorder, overlaps, partsOf } from "./geometry.ts";

type State = {
  readonly kind: "atomic" | "compound" | "parallel" | "history" | "final";
  readonly name: string;
  readonly edges: readonly number[];
  readonly states: readonly State[];
};

const name = fc.oneof(
  fc.constantFrom("a", "idle", "waitingForTheAnswerOfAVeryPatientCustomer", "状态", "x y", "__proto"),
  fc.string({ minLength: 1, maxLength: 60 }).map((text) => text.replaceAll(/[.#\\]/gu, "_")),
);
const state: fc.Memo<State> = fc.memo((depth): fc.Arbitrary<State> =>
  fc.record({
    kind: fc.constantFrom("atomic", "atomic", "compound", "parallel", "history", "final"),
    name,
    edges: fc.array(fc.nat(), { maxLength: 4 }),
    states: depth > 1 ? fc.array(state(), { maxLength: 4 }) : fc.constant([]),
  }),
);
const flat = (count: number): fc.Arbitrary<readonly State[]> =>
  fc.array(
    fc.record({
      kind: fc.constant("atomic" as const),
      name,
      edges: fc.array(fc.nat(), { maxLength: 3 }),
      states: fc.constant([]),
    }),
    {
      minLength: count,
      maxLength: count,
      size: "max",
    },
  );

/** The configuration of states. Each edge leads to some state that is a child of the same one, itself included. */
function configOf(states: readonly State[], depth = 0): { readonly [key: string]: object } {
  const keys = states.map(({ name: key }, at) => `${key}-${depth}-${at}`);
  return Object.fromEntries(
    states.map(({ kind, edges, states: inner }, at) => {
      if (kind === "history") return [keys[at]!, { type: "history", history: "deep" }];
      if (kind === "final") return [keys[at]!, { type: "final" }];
      const children = configOf(inner, depth + 1);
      const [first] = Object.keys(children);
      const on = Object.fromEntries(
        edges.map((edge, number) => [`EVENT.${number}`, keys[edge % keys.length]!]),
      );
      const isOpen = first !== undefined && kind !== "atomic";
      const initial = inner.findIndex((each) => each.kind !== "history");
      if (isOpen && kind === "compound" && initial < 0) return [keys[at]!, { on }];
      return [
        keys[at]!,
        {
          on,
          ...(isOpen && {
            states: children,
            ...(kind === "parallel" ? { type: "parallel" } : { initial: Object.keys(children)[initial] }),
          }),
        },
      ];
    }),
  );
}

function chartOf(states: readonly State[]): Chart {
  const children = configOf([{ kind: "atomic", name: "first", edges: [1], states: [] }, ...states]);
  return chartJson(createMachine({ id: "made", initial: Object.keys(children)[0]!, states: children }));
}

/** What is wrong with a layout of a chart. */
function faultsOf(chart: Chart, { nodes, edges, width, height }: Layout): readonly string[] {
  const places = new Map(nodes.map((node) => [node.id, node]));
  const picture = { x: 0, y: 0, width, height };
  const leaves = nodes.filter(({ hasChildren }) => !hasChildren);
  const faults = chart.nodes.flatMap(({ id, parent }) => {
    const own = places.get(id);
    if (!own) return [`${id} is not drawn`];
    if (![own.x, own.y, own.width, own.height].every(Number.isFinite)) return [`${id} has no place`];
    return contains(parent === undefined ? picture : places.get(parent)!, own) ? [] : [`${id} is outside`];
  });
  const siblings = Map.groupBy(chart.nodes, ({ parent }) => parent);
  for (const group of siblings.values())
    for (const [at, { id }] of group.entries())
      for (const other of group.slice(at + 1))
        if (overlaps(places.get(id)!, places.get(other.id)!)) faults.push(`${id} and ${other.id} overlap`);
  for (const { edges: ids, lines } of edges) {
    const { source, targets } = chart.edges.find(({ id }) => id === ids[0])!;
    for (const [index, line] of lines.entries()) {
      if (!isOnBorder(line[0]!, places.get(source)!)) faults.push(`${ids[0]} begins elsewhere`);
      if (!isOnBorder(line.at(-1)!, places.get(targets[index]!)!)) faults.push(`${ids[0]} ends elsewhere`);
      if (line.slice(1).some(([x, y], at) => x !== line[at]![0] && y !== line[at]![1]))
        faults.push(`${ids[0]} is not at right angles`);
      const crossed = partsOf(line).flatMap((part) =>
        leaves.filter((leaf) =>
          overlaps(
            { ...part, width: part.width || 0.1, height: part.height || 0.1 },
            { x: leaf.x + 2, y: leaf.y + 2, width: leaf.width - 4, height: leaf.height - 4 },
          ),
        ),
      );
      if (crossed.length > 0) faults.push(`${ids[0]} runs through ${crossed[0]!.id}`);
    }
  }
  return faults;
}

const SHAPES = ["portrait", "landscape"] as const;

function allFaults(chart: Chart): readonly string[] {
  const layouts = chartInRows(chart);
  return [layouts, layouts.names].flatMap((each) => SHAPES.flatMap((shape) => faultsOf(chart, each[shape])));
}

test("any chart is drawn: states within their parents and apart, lines in right angles around them", () => {
  fc.assert(
    fc.property(fc.array(state(4), { maxLength: 12 }), (states) => {
      expect(allFaults(chartOf(states))).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test.each([1, 2, 79, 80, 299])(
  "a flat chart of some states and %i is drawn as wide as it is high, more or less",
  async (count) => {
    for (const states of fc.sample(flat(count), { numRuns: 2, seed: 7 })) {
      const chart = chartOf(states);
      expect(allFaults(chart)).toEqual([]);
      const { portrait, landscape } = chartInRows(chart);
      if (count < 79) continue;
      for (const { width, height } of [portrait, landscape]) {
        expect(width / height).toBeGreaterThan(0.3);
        expect(width / height).toBeLessThan(4);
      }
      if (count >= 80) expect((await layoutChart(chart)).landscape).toEqual(landscape);
    }
  },
);
