// The suspicions that are shown first.
import { expect, test } from "vitest";
import { oneOfEachKind } from "../../src/panels/suspicions.tsx";
import type { Suspicion } from "../../src/wire/types.ts";

const of = (kind: string, text: string): Suspicion => ({ kind, text, label: kind, steps: [1] }) as Suspicion;

test("the first suspicions are of different kinds, and none is lost", () => {
  const found = [of("retry", "a"), of("retry", "b"), of("loop", "c"), of("retry", "d"), of("loop", "e")];
  expect(oneOfEachKind(found).map(({ text }) => text)).toEqual(["a", "c", "b", "d", "e"]);
  expect(oneOfEachKind([])).toEqual([]);
});
