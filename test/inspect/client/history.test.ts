import { expect, test } from "vitest";
import { History } from "../../../src/inspect/client/history.ts";
import { applyPatch } from "../../../src/inspect/protocol/patch.ts";
import type { Step } from "../../../src/inspect/protocol/protocol.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { keptSteps } from "./kept-steps.ts";

const step = (q: number, text: string): string =>
  JSON.stringify({ q, t: 0, m: 0, e: "", x: [], s: 0, p: [["=", [`key${q % 7}`], text]] } satisfies Step);

test.each([
  { keep: { steps: 100 }, text: "short" },
  { keep: { bytes: 40_000 }, text: "x".repeat(300) },
  { keep: { bytes: 10 }, text: "longer than all that may be kept" },
])(
  "History with the limits $keep stays bounded, and its base is the context before its first step",
  ({ keep, text }) => {
    const history = new History(keep);
    const contexts: JsonObject[] = [{}];
    for (let q = 1; q <= 1_000; q++) {
      history.push(step(q, `${text} ${q}`));
      contexts.push({ ...contexts.at(-1), [`key${q % 7}`]: `${text} ${q}` });
    }
    const steps = keptSteps(history);
    expect(history.last).toBe(1_000);
    expect(history.first).toBeGreaterThan(400);
    expect(steps.map(({ q }) => q)).toEqual(
      Array.from({ length: 1_001 - history.first }, (_, i) => history.first + i),
    );
    expect(history.base).toEqual(contexts[history.first - 1]);
    expect(steps.reduce<JsonObject>((now, { p = [] }) => applyPatch(now, p), history.base!)).toEqual(
      contexts.at(-1),
    );
  },
);
