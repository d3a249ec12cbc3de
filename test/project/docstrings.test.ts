// The form of docstrings, and the words of the sources.
import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

// A docstring begins with a verb or a noun, and says in one short sentence what its reader gets.

const files = sourceFiles("src/**/*.ts", "src/**/*.tsx", "machines/**/*.ts", "visualizer/src/**/*.{ts,tsx}");

/** What a sentence without a subject or a verb begins with. */
const UNSAID = /^(?:What|How|Where|Why|Which|When)\b/;
const LONGEST = 140;

/** The first sentence of each docstring; an item of a list and an example are not sentences. */
const sentences = files.flatMap(({ path, text }) =>
  [...text.matchAll(/^[ \t]*\/\*\*([\s\S]*?)\*\//gm)].map(([, raw = ""]) => {
    const plain = raw
      .split("\n")
      .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
      .join("\n")
      .trim();
    const [paragraph = ""] = plain.split(/\n\s*\n|\n(?=\s*(?:- |@|```))/);
    const flat = paragraph.replaceAll(/\s+/g, " ");
    return { path, sentence: /^.*?[.!?:](?=\s+[A-Z`{"(]|$)/.exec(flat)?.[0] ?? flat };
  }),
);

test("docstrings begin with a verb or a noun", () => {
  expect(sentences.length).toBeGreaterThan(8_000);
  expect(sentences.filter(({ sentence }) => UNSAID.test(sentence))).toEqual([]);
});

test(`the first sentence of a docstring has at most ${LONGEST} characters`, () => {
  expect(sentences.filter(({ sentence }) => sentence.length > LONGEST)).toEqual([]);
});

/** Words for which XState's sources have others: "is no step" is "is not a step", "it is none" is "it is not one", "anew" is "again". */
const OTHER_WORDS =
  /\banew\b|(?<!\b[Tt]here )\b(?:is|are) no (?!longer|more|matter|one|need|other)\w+|(?<!\b[Tt]here )\bis none\b/g;

test("the sources use the field's words", () => {
  const flat = files.map(({ path, text }) => ({ path, text: text.replaceAll(/\s+(?:\*\s+)?/g, " ") }));
  expect(
    flat.flatMap(({ path, text }) => [...text.matchAll(OTHER_WORDS)].map(([words]) => [path, words])),
  ).toEqual([]);
});
