// The camera of the picture.
import { expect, test } from "vitest";
import { betterLayout, fitCamera, showBox, titleSize, zoomAt } from "../../src/diagram/camera.ts";

test("fitCamera shows the whole picture, and zoomAt keeps the point under the pointer", () => {
  const camera = fitCamera({ width: 2_000, height: 1_000 }, { width: 840, height: 540 });
  expect(camera.scale).toBeCloseTo(0.4);
  expect([camera.x, camera.y]).toEqual([expect.closeTo(20), expect.closeTo(70)]);
  const near = zoomAt(camera, 2, 300, 200);
  expect((300 - near.x) / near.scale).toBeCloseTo((300 - camera.x) / camera.scale);
  expect((200 - near.y) / near.scale).toBeCloseTo((200 - camera.y) / camera.scale);
});

test("showBox centres a part of the picture between the minimum and maximum scale", () => {
  const box = { x: 1_000, y: 500, width: 400, height: 2_000 };
  const panel = { width: 840, height: 540 };
  expect(showBox(box, panel, 1).scale).toBeCloseTo(0.25);
  const camera = showBox(box, panel, 1, 0.6);
  expect(camera.scale).toBe(0.6);
  expect(camera.x + (box.x + box.width / 2) * camera.scale).toBeCloseTo(panel.width / 2);
  expect(camera.y + (box.y + box.height / 2) * camera.scale).toBeCloseTo(panel.height / 2);
  expect(showBox({ ...box, height: 100 }, panel, 1, 0.6).scale).toBe(1);
});

test("betterLayout returns the portrait layout for a tall panel", () => {
  const portrait = { width: 800, height: 1_900 };
  const landscape = { width: 1_800, height: 900 };
  expect(betterLayout(portrait, landscape, { width: 400, height: 900 })).toBe(portrait);
  expect(betterLayout(portrait, landscape, { width: 1_600, height: 700 })).toBe(landscape);
});

test("titleSize has at least 11 px on the screen, or is left out where the box allows less", () => {
  expect(titleSize("acting", 400, 1)).toBe(11);
  expect(titleSize("acting", 400, 0.5)).toBeCloseTo(22);
  expect(titleSize("checkingPending", 120, 0.3)).toBeUndefined();
  for (const scale of [0.04, 0.1, 0.21, 0.33, 0.5, 0.9])
    for (const width of [60, 120, 400])
      expect((titleSize("calling", width, scale) ?? 11 / scale) * scale).toBeGreaterThanOrEqual(10.98);
});
