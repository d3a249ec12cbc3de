import fc from "fast-check";
import { expect, test } from "vitest";
import { History } from "../../src/inspect/client/history.ts";
import { applyPatch } from "../../src/inspect/protocol/patch.ts";
import type { Step } from "../../src/inspect/protocol/protocol.ts";
import { StepPages } from "../../src/inspect/client/step-pages.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { keptSteps } from "./kept-steps.ts";

const textsIn = (pages: StepPages, most: number): readonly string[] => {
  const texts: string[] = [];
  while (pages.first + texts.length <= pages.last) {
    const { bytes, count } = pages.from(pages.first + texts.length, most);
    const piece = JSON.parse(`[${bytes.toString()}]`) as string[];
    expect(piece).toHaveLength(count);
    expect(count === 1 || bytes.length <= most).toBe(true);
    texts.push(...piece);
  }
  return texts;
};

test("pages give back what was put in, in pieces of any size", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.nat(100_000).map((length) => "é".repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), fc.nat(20), fc.nat(150_000), (texts, gone, most) => {
      const pages = new StepPages();
      for (const each of texts) pages.push(JSON.stringify(each));
      pages.letGo(gone);
      const left = texts.slice(gone).map((each) => each.toWellFormed());
      expect(textsIn(pages, most)).toEqual(left);
      expect(pages.last).toBe(texts.length);
      expect(pages.first).toBe(Math.min(gone, texts.length) + 1);
    }),
    { numRuns: 60 },
  );
});

test("many small texts fill few pages, and what is let go is freed", () => {
  const pages = new StepPages();
  for (let index = 0; index < 10_000; index++) pages.push(`"${"x".repeat(98)}"`);
  expect(pages.bytes).toBeGreaterThan(1_000_000);
  expect(pages.bytes).toBeLessThan(1_600_000);
  pages.letGo(9_000);
  expect(pages.bytes).toBeLessThan(600_000);
  expect(textsIn(pages, 1_000)).toHaveLength(1_000);
});

const step = (q: number, text: string): string =>
  JSON.stringify({ q, t: 0, m: 0, e: "", x: [], s: 0, p: [["=", [`key${q % 7}`], text]] } satisfies Step);

test.each([
  { keep: { steps: 100 }, text: "short" },
  { keep: { bytes: 40_000 }, text: "x".repeat(300) },
  { keep: { bytes: 10 }, text: "longer than all that may be kept" },
])("a history is bounded by $keep and its base is context before the first step left", ({ keep, text }) => {
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
});
