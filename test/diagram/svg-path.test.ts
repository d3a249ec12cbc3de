// Lines, arrows and outlines of the picture.
import { expect, test } from "vitest";
import { arrowHead, decisionOutline, roundedPath } from "../../src/core/diagram/svg-path.ts";

test("roundedPath rounds corners, and arrowHead points to the end of the line", () => {
  const points = [
    [0, 0],
    [50, 0],
    [50, 40],
  ] as const;
  expect(roundedPath(points)).toBe("M0,0L44,0Q50,0 50,6L50,40");
  expect(arrowHead(points).split(" ")[0]).toBe("50,40");
});

test("decisionOutline cuts the corners of a box; one with a name only is pointed in the middle of its sides", () => {
  const box = { x: 10, y: 20, width: 100, height: 54 };
  expect(decisionOutline(box)).toBe("21,20 99,20 110,31 110,63 99,74 21,74 10,63 10,31");
  expect(decisionOutline(box, true)).toBe("21,20 99,20 110,47 110,47 99,74 21,74 10,47 10,47");
});
