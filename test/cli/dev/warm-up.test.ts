import { expect, test } from "vitest";
import { warmUp } from "../../../src/cli/dev/warm-up.ts";

test("a warm-up drives a turn to its end, and leaves no timer behind", async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  await warmUp();
  expect(timers()).toBeLessThanOrEqual(before);
});
