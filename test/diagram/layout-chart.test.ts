// The layout of a chart: nothing overlaps, and all is there.
import { describe, expect, test } from "vitest";
import { layoutChart } from "../../src/core/diagram/layout-chart.ts";
import { titleWidth } from "../../src/core/diagram/measure.ts";
import { CHARTS, layoutsOf } from "./charts.ts";
import { collisions, contains, isOnBorder, overlaps } from "./geometry.ts";

describe.for(Object.entries(CHARTS))("The layout of %s", async ([, chart]) => {
  const layouts = await layoutsOf(chart);

  describe.for(["portrait", "landscape"] as const)("in %s", (shape) => {
    const { nodes, edges, pills, initials, width, height } = layouts[shape];
    const places = new Map(nodes.map((node) => [node.id, node]));
    const picture = { x: 0, y: 0, width, height };

    test("shows every state once, within its parent and apart from its siblings", () => {
      expect(nodes.map(({ id }) => id)).toEqual(chart.nodes.map(({ id }) => id));
      for (const { id, parent } of chart.nodes) {
        const own = places.get(id)!;
        expect(contains(parent === undefined ? picture : places.get(parent)!, own)).toBe(true);
        const siblings = chart.nodes.filter((other) => other.parent === parent && other.id !== id);
        expect(siblings.filter((other) => overlaps(own, places.get(other.id)!))).toEqual([]);
      }
    });

    test("shows every transition once: as a line, in a row, or as a pill", () => {
      const drawn = [
        ...edges.flatMap((edge) => edge.edges),
        ...nodes.flatMap(({ rows }) => rows.flatMap((row) => row.edges)),
        ...pills.map(({ edge }) => edge),
      ];
      expect(drawn.toSorted()).toEqual(chart.edges.map(({ id }) => id).toSorted());
      const written = edges.flatMap(({ label }) => label?.lines.map(({ edge }) => edge) ?? []);
      expect(written.toSorted()).toEqual(edges.flatMap((edge) => edge.edges).toSorted());
    });

    test("draws lines from the border of the source to those of the targets, in right angles", () => {
      for (const { edges: ids, lines } of edges) {
        const { source, targets } = chart.edges.find(({ id }) => id === ids[0])!;
        expect(lines).toHaveLength(targets.length);
        for (const [index, line] of lines.entries()) {
          expect(isOnBorder(line[0]!, places.get(source)!), `${ids[0]} begins at ${String(line[0])}`).toBe(
            true,
          );
          expect(
            isOnBorder(line.at(-1)!, places.get(targets[index]!)!),
            `${ids[0]} ends at ${String(line.at(-1))}`,
          ).toBe(true);
          const turns = line.slice(1).filter(([x, y], at) => x !== line[at]![0] && y !== line[at]![1]);
          expect(turns, ids[0]).toEqual([]);
        }
      }
    });

    test("lets no label collide with a label, a state, a line or the edge of the picture", () => {
      expect(collisions(layouts[shape])).toEqual([]);
      const labels = edges.flatMap(({ label }) => label ?? []);
      expect([...labels, ...pills].filter((box) => !contains(picture, box))).toEqual([]);
      for (const { id, to } of initials) {
        const initial = chart.nodes.find((node) => node.id === id)!.initial!;
        expect(isOnBorder(to, places.get(initial)!)).toBe(true);
      }
    });
  });

  describe.for(["portrait", "landscape"] as const)("with names only, in %s", (shape) => {
    const { nodes, edges, pills, width, height } = layouts.names[shape];
    const places = new Map(nodes.map((node) => [node.id, node]));
    const picture = { x: 0, y: 0, width, height };

    test("has the same states and transitions, and boxes that fit their names", () => {
      const near = layouts[shape];
      expect(nodes.map(({ id, title, rows }) => ({ id, title, rows }))).toEqual(
        near.nodes.map(({ id, title, rows }) => ({ id, title, rows })),
      );
      expect(edges.map((edge) => edge.edges)).toEqual(near.edges.map((edge) => edge.edges));
      expect(pills.map(({ edge }) => edge)).toEqual(near.pills.map(({ edge }) => edge));
      for (const { id, parent } of chart.nodes) {
        const own = places.get(id)!;
        expect(own.width).toBeGreaterThan(2 * titleWidth(own.title));
        expect(contains(parent === undefined ? picture : places.get(parent)!, own)).toBe(true);
        const siblings = chart.nodes.filter((other) => other.parent === parent && other.id !== id);
        expect(siblings.filter((other) => overlaps(own, places.get(other.id)!))).toEqual([]);
      }
    });

    test("draws lines from border to border, with the label's position on the line", () => {
      for (const { edges: ids, lines, label } of edges) {
        const { source, targets } = chart.edges.find(({ id }) => id === ids[0])!;
        for (const [index, line] of lines.entries()) {
          expect(isOnBorder(line[0]!, places.get(source)!), ids[0]).toBe(true);
          expect(isOnBorder(line.at(-1)!, places.get(targets[index]!)!), ids[0]).toBe(true);
          const turns = line.slice(1).filter(([x, y], at) => x !== line[at]![0] && y !== line[at]![1]);
          expect(turns, ids[0]).toEqual([]);
        }
        expect(label!.lines.map(({ edge }) => edge)).toEqual(ids);
        const { x, y } = label!;
        const isOnLine = lines[0]!.slice(1).some((to, at) => isBetween([x, y], lines[0]![at]!, to));
        expect(isOnLine, ids[0]).toBe(true);
      }
    });
  });

  test("is equal for equal charts", async () => {
    expect(await layoutChart(structuredClone(chart))).toEqual(layouts);
  });
});

type Point = readonly [x: number, y: number];

function isBetween([x, y]: Point, from: Point, to: Point): boolean {
  const [left, right] = [Math.min(from[0], to[0]), Math.max(from[0], to[0])];
  const [top, bottom] = [Math.min(from[1], to[1]), Math.max(from[1], to[1])];
  return x >= left && x <= right && y >= top && y <= bottom;
}
