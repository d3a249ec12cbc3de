// Pages of recorded steps.
import fc from "../../support/fast-check.ts";
import { expect, test } from "vitest";
import { StepPages, textOfBytes } from "../../../src/inspect/client/step-pages.ts";

const readAll = (pages: StepPages, maxBytes: number): readonly string[] => {
  const texts: string[] = [];
  while (pages.first + texts.length <= pages.last) {
    const { bytes, count } = pages.from(pages.first + texts.length, maxBytes);
    const piece = JSON.parse(`[${textOfBytes(bytes)}]`) as string[];
    expect(piece).toHaveLength(count);
    expect(count === 1 || bytes.length <= maxBytes).toBe(true);
    texts.push(...piece);
  }
  return texts;
};

test("StepPages returns what was pushed, in pieces of any size", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.nat(100_000).map((length) => "é".repeat(length)),
  );
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 12 }),
      fc.nat(20),
      fc.nat(150_000),
      (texts, dropped, maxBytes) => {
        const pages = new StepPages();
        for (const each of texts) pages.push(JSON.stringify(each));
        pages.drop(dropped);
        const left = texts.slice(dropped).map((each) => each.toWellFormed());
        expect(readAll(pages, maxBytes)).toEqual(left);
        expect(pages.last).toBe(texts.length);
        expect(pages.first).toBe(Math.min(dropped, texts.length) + 1);
      },
    ),
    { numRuns: 60 },
  );
});

test("StepPages packs small texts into few pages, and frees dropped ones", () => {
  const pages = new StepPages();
  for (let index = 0; index < 10_000; index++) pages.push(`"${"x".repeat(98)}"`);
  expect(pages.bytes).toBeGreaterThan(1_000_000);
  expect(pages.bytes).toBeLessThan(1_600_000);
  pages.drop(9_000);
  expect(pages.bytes).toBeLessThan(600_000);
  expect(readAll(pages, 1_000)).toHaveLength(1_000);
});
