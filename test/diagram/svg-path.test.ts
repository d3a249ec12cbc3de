import { expect, test } from "vitest";
import { arrowHead, roundedPath } from "../../src/diagram/svg-path.ts";

test("roundedPath rounds corners, and arrowHead points to the end of the line", () => {
  const points = [
    [0, 0],
    [50, 0],
    [50, 40],
  ] as const;
  expect(roundedPath(points)).toBe("M0,0L44,0Q50,0 50,6L50,40");
  expect(arrowHead(points).split(" ")[0]).toBe("50,40");
});
