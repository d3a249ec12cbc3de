// Targets of links.
import { expect, test } from "vitest";
import { linkTarget } from "../../src/logic/link-target.ts";

test("linkTarget accepts http and https addresses only", () => {
  expect(linkTarget("https://example.com/a")?.host).toBe("example.com");
  for (const bad of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/relative", "x"]) {
    expect(linkTarget(bad)).toBeUndefined();
  }
});
