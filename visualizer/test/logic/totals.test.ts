// Sums of usage and cost.
import { expect, test } from "vitest";
import { sumUsage } from "../../src/logic/totals.ts";

test("sumUsage leaves out unknown counts, and the cost if one call has none", () => {
  expect(sumUsage([{ inputTokens: 5 }, {}])).toEqual({ inputTokens: 5 });
  expect(sumUsage([{ cost: 1 }, {}]).cost).toBeUndefined();
});
