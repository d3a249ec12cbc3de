// The delay of a timer is one that Node takes as it is: it warns of a negative one, and fires at once for one that is too long.
import { expect, test } from "vitest";
import { delayUntil, LONGEST_DELAY_MS } from "../../src/core/base/time.ts";

test.each([
  ["a time to come", 1_131, 1_000, 131],
  ["now", 1_000, 1_000, 0],
  ["a time that has passed meanwhile", 1_000, 1_131, 0],
  ["a time beyond the longest delay", 1e13, 1_000, LONGEST_DELAY_MS],
  ["never", Infinity, 1_000, LONGEST_DELAY_MS],
])("the delay until %s", (_, at, now, delay) => {
  expect(delayUntil(at, now)).toBe(delay);
});
