// The name that somebody meant who misspelled it.
import { describe, expect, test, vi } from "vitest";
import { nearestName } from "../../src/core/base/nearest-name.ts";

describe("nearestName()", () => {
  const names = ["model", "base-url", "tools", "system", "max-iters", "json", "debug", "help"];

  test.for([
    ["modle", "model"],
    ["tool", "tools"],
    ["jsn", "json"],
    ["url", "base-url"],
    ["baseurl", "base-url"],
    ["max-iter", "max-iters"],
    ["max-iterss", "max-iters"],
    ["verbose", undefined],
    ["x", undefined],
  ] as const)("returns for %s the name %s", ([word, name]) => {
    expect(nearestName(word, names)).toBe(name);
  });

  test("does not compare a huge word letter by letter", () => {
    const reads = vi.spyOn(Math, "min");
    expect(nearestName("x".repeat(10_000), names)).toBeUndefined();
    expect(reads).not.toHaveBeenCalled();
    reads.mockRestore();
  });
});
