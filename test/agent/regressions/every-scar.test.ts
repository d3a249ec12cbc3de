import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const NOT_OF_THE_LOOP: { readonly [number: string]: string } = {
  S24: "sessions",
  S29: "plans",
  S30: "sub-agents",
  S41: "compaction",
  S43: "sessions",
  S48: "sub-agents",
  py4: "plans",
  F8: "RAG",
  F15: "compaction",
  F16: "hubs",
  F19: "sub-agents",
  F22: "compaction",
};

const numbered = (prefix: string, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `${prefix}${index + 1}`);
const EVERY = [...numbered("S", 48), ...numbered("py", 8), ...numbered("F", 24)];

const TITLE = /"((?:S|py|F)\d+) [^"\n]+",\s*(?:async )?\(/g;
const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"));
const tested = new Set(
  files.flatMap((name) =>
    [...readFileSync(join(import.meta.dirname, name), "utf8").matchAll(TITLE)].map(([, number]) => number!),
  ),
);

test("every scar and flaw has a test that begins with its number, or belongs to a later issue", () => {
  const missing = EVERY.filter((number) => !tested.has(number) && !(number in NOT_OF_THE_LOOP));
  const twice = Object.keys(NOT_OF_THE_LOOP).filter((number) => tested.has(number));
  const unknown = [...tested, ...Object.keys(NOT_OF_THE_LOOP)].filter((number) => !EVERY.includes(number));
  expect({ missing, twice, unknown }).toEqual({ missing: [], twice: [], unknown: [] });
});
