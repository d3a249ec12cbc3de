import { expect, test } from "vitest";
import { betterLayout, fitCamera, showBox, titleSize, zoomAt } from "../src/diagram/camera.ts";
import { arrowHead, roundedPath } from "../../src/diagram/svg-path.ts";
import { enteredAt, stepsThat, takenEdges, timeIn, visitsOf } from "../src/diagram/lit.ts";
import { RunData } from "../src/store/run-data.ts";
import type { Step } from "../src/wire/types.ts";

test("the camera shows all, and zooms around the pointer", () => {
  const camera = fitCamera({ width: 2_000, height: 1_000 }, { width: 840, height: 570 });
  expect(camera.scale).toBeCloseTo(0.4);
  expect([camera.x, camera.y]).toEqual([expect.closeTo(20), expect.closeTo(100)]);
  const near = zoomAt(camera, 2, 300, 200);
  expect((300 - near.x) / near.scale).toBeCloseTo((300 - camera.x) / camera.scale);
  expect((200 - near.y) / near.scale).toBeCloseTo((200 - camera.y) / camera.scale);
});

test("a part of the picture is shown as large as may be, and never so small that nothing can be read", () => {
  const box = { x: 1_000, y: 500, width: 400, height: 2_000 };
  const panel = { width: 840, height: 540 };
  expect(showBox(box, panel, 1).scale).toBeCloseTo(0.25);
  const camera = showBox(box, panel, 1, 0.6);
  expect(camera.scale).toBe(0.6);
  expect(camera.x + (box.x + box.width / 2) * camera.scale).toBeCloseTo(panel.width / 2);
  expect(camera.y + (box.y + box.height / 2) * camera.scale).toBeCloseTo(panel.height / 2);
  expect(showBox({ ...box, height: 100 }, panel, 1, 0.6).scale).toBe(1);
});

test("a high panel gets the high picture", () => {
  const portrait = { width: 800, height: 1_900 };
  const landscape = { width: 1_800, height: 900 };
  expect(betterLayout(portrait, landscape, { width: 400, height: 900 })).toBe(portrait);
  expect(betterLayout(portrait, landscape, { width: 1_600, height: 700 })).toBe(landscape);
});

test("names grow when the picture shrinks, but not beyond their box", () => {
  expect(titleSize("acting", 400, 1)).toBe(11);
  expect(titleSize("acting", 400, 0.5)).toBeCloseTo(20);
  expect(titleSize("checkingPending", 120, 0.3)).toBeLessThan(12);
});

test("lines have round corners and end in an arrow", () => {
  const points = [
    [0, 0],
    [50, 0],
    [50, 40],
  ] as const;
  expect(roundedPath(points)).toBe("M0,0L44,0Q50,0 50,6L50,40");
  expect(arrowHead(points).split(" ")[0]).toBe("50,40");
});

const states = [
  ["m", "m.a"],
  ["m", "m.b", "m.b.x"],
  ["m", "m.b", "m.b.y"],
];
const run = new RunData();
const step = (q: number, s: number, x: readonly string[]): Step => ({ q, t: q, m: q * 10, e: "", x, s });
run.add({
  runId: "r",
  states,
  items: [
    step(1, 0, []),
    step(2, 1, ["m.a||0"]),
    step(3, 2, ["m.b.x||0"]),
    step(4, 2, []),
    step(5, 1, ["m.b.y||0"]),
    step(6, 0, ["m.b|back|0"]),
  ],
  total: 6,
  first: 1,
});

test("the edge of a step is bright and those before it fade", () => {
  expect([...takenEdges(run, 5)]).toEqual([
    ["m.b.y||0", 0],
    ["m.b.x||0", 1],
    ["m.a||0", 2],
  ]);
  expect([...takenEdges(run, 4)].map(([, rank]) => rank)).toEqual([1, 2]);
});

test("visits are counted with their time, and found", () => {
  expect(enteredAt(run, 5, "m.b")).toBe(2);
  expect(visitsOf(run).get("m.b")).toEqual({ count: 1, ms: 40 });
  expect(visitsOf(run).get("m.b.x")).toEqual({ count: 2, ms: 20 });
  expect([timeIn(run, ["m.b"]), timeIn(run, ["m.b.y", "m.a"]), timeIn(run, [])]).toEqual([40, 30, 0]);
  expect(stepsThat(run, { kind: "state", ids: ["m.b"] })).toEqual([2]);
  expect(stepsThat(run, { kind: "edge", ids: ["m.b.y||0"] })).toEqual([5]);
});
