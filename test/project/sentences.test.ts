// Sentences of the README and the guide are short, and cells of tables no paragraphs.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source-files.ts";

/** The sentences of a page: of paragraphs and lists, without code, tables, headings and pictures. */
function sentencesOf(page: string): readonly string[] {
  return page
    .replaceAll(/^```[^]*?^```$/gm, "\n\n")
    .replaceAll(/^(?:\||#|<).*$/gm, "\n\n")
    .replaceAll(/^\s*(?:[-*]|\d+\.) /gm, "\n\n")
    .split(/\n{2,}/)
    .flatMap((part) =>
      part
        .replaceAll(/`[^`]*`/g, "code")
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .replaceAll(/\*/g, "")
        .split(/(?<=[.!?])\s+(?=[^a-z]|code)/),
    )
    .map((sentence) => sentence.replaceAll(/\s+/g, " ").trim())
    .filter((sentence) => /\w/.test(sentence));
}

const wordsOf = (sentence: string): number => sentence.split(" ").filter((word) => /\w/.test(word)).length;

test("sentences of the README and the guide have at most 30 words, and 15 on average", () => {
  const sentences = ["README.md", ...globSync("docs/guide/*.md", { cwd: ROOT })].flatMap((path) =>
    sentencesOf(readFileSync(join(ROOT, path), "utf8")).map((sentence) => ({ path, sentence })),
  );
  expect(sentences.length).toBeGreaterThan(400);
  expect(sentences.filter(({ sentence }) => wordsOf(sentence) > 30)).toEqual([]);
  const words = sentences.reduce((sum, { sentence }) => sum + wordsOf(sentence), 0);
  expect(words / sentences.length).toBeLessThanOrEqual(15);
});

test("cells of tables have at most 60 words, but in what is generated or measured", () => {
  const pages = globSync(["*.md", "docs/*.md", "docs/guide/*.md"], { cwd: ROOT }).filter(
    (path) => !/(?:bench|state-table|crash-matrix)/.test(path),
  );
  const long = pages.flatMap((path) =>
    [...readFileSync(join(ROOT, path), "utf8").matchAll(/^\|(.*)\|$/gm)]
      .flatMap(([, row]) => row!.split(" | "))
      .filter((cell) => wordsOf(cell.trim()) > 60)
      .map((cell) => `${path}: ${cell}`),
  );
  expect(long).toEqual([]);
});
