// The division of texts into passages.
import fc from "../../support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { split } from "agentchart/knowledge";

describe("split", () => {
  test("a short text is one passage, and an empty one is none", () => {
    expect(split("  A refund takes five days.\n")).toEqual(["A refund takes five days."]);
    expect([split(""), split(" \n\n\t "), split("# Only a heading", { by: "markdown" })]).toEqual([
      [],
      [],
      [],
    ]);
  });

  test("passages end with paragraphs where these are not too short, else with sentences", () => {
    const paragraph = (name: string) => `${name} one. ${name} two. ${name} three.`;
    const text = ["First", "Second", "Third"].map((name) => paragraph(name.repeat(6))).join("\n\n");
    const passages = split(text, { size: 140, overlap: 0 });
    expect(passages).toHaveLength(3);
    for (const passage of passages) expect(passage).toMatch(/one\..*two\..*three\.$/);
    const sentences = split("One two three four. ".repeat(20), { size: 100, overlap: 0 });
    for (const passage of sentences) expect(passage).toMatch(/^One.*four\.$/);
  });

  test("a passage begins with the end of the one before it", () => {
    const text = Array.from({ length: 30 }, (_, n) => `Sentence number ${n}.`).join(" ");
    const passages = split(text, { size: 100, overlap: 40 });
    for (const [index, passage] of passages.slice(1).entries())
      expect(passages[index]!.includes(/^Sentence number \d+\./u.exec(passage)![0], 20)).toBe(true);
  });

  test("Chinese text ends with its sentences", () => {
    const passages = split("退款需要五天。订单满五十欧元免运费。".repeat(20), { size: 100, overlap: 20 });
    for (const passage of passages) expect(passage).toMatch(/^[退订].*。$/u);
  });

  test("Markdown is split at its headings, and each passage says under which it stands", () => {
    const text =
      "Intro.\n\n# Guide\n\n## Refunds ##\nFive days.\n\n```sh\n# no heading\n```\n\n## Shipping\nFree.\n# Other\nText.";
    expect(split(text, { by: "markdown" })).toEqual([
      "Intro.",
      "Guide › Refunds\n\nFive days.\n\n```sh\n# no heading\n```",
      "Guide › Shipping\n\nFree.",
      "Other\n\nText.",
    ]);
    const long = split(`# ${"x".repeat(900)}\n${"Word. ".repeat(200)}`, { by: "markdown", size: 200 });
    for (const passage of long) expect(passage.length).toBeLessThanOrEqual(200);
  });

  test("no passage is too long, and together they have every character of any text in its order", () => {
    const character = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...Array.from("ab .!\n# `退款。")) },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }) },
    );
    const text = fc.array(character, { maxLength: 900 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 100, max: 300 }),
        fc.integer({ min: 0, max: 50 }),
        (given, size, overlap) => {
          const passages = split(given, { size, overlap });
          for (const passage of passages) {
            expect(passage.length).toBeLessThanOrEqual(size);
            expect(passage).toBe(passage.trim());
            expect(passage.isWellFormed()).toBe(true);
          }
          // What each passage adds, joined, is the text: the repeated beginning is what the passage before it ends with.
          const bare = (each: string): string => each.replaceAll(/\s/gu, "");
          let joined = "";
          const whole = bare(given);
          for (const passage of passages.map(bare)) {
            const starts = Array.from({ length: Math.min(passage.length, joined.length) + 1 }, (_, n) => n);
            const repeated = starts.findLast(
              (n) => joined.endsWith(passage.slice(0, n)) && whole.startsWith(joined + passage.slice(n)),
            );
            expect(repeated).toBeDefined();
            joined += passage.slice(repeated);
          }
          expect(joined).toBe(whole);
        },
      ),
    );
  });
});
