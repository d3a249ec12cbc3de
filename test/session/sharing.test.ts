// Equal values of configurations are shared.
import { expect, test } from "vitest";
import { sharing } from "../../src/agent/options/config.ts";

test("equal values are one frozen object, others are not", () => {
  const shared = sharing<{ readonly limits: { readonly calls: number } }>();
  const first = shared({ limits: { calls: 1 } });
  expect(shared({ limits: { calls: 1 } })).toBe(first);
  expect(Object.isFrozen(first.limits)).toBe(true);
  const second = shared({ limits: { calls: Number.POSITIVE_INFINITY } });
  expect(second).toEqual({ limits: { calls: Number.POSITIVE_INFINITY } });
  expect(shared({ limits: { calls: 1 } })).not.toBe(first);
  expect(first).toEqual({ limits: { calls: 1 } });
});
