// The page of invariants names tests that exist.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "./source-files.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const page = read("docs/invariants.md");
const filesIn = (...patterns: readonly string[]): readonly string[] =>
  globSync([...patterns], { cwd: ROOT, exclude: ["**/node_modules/**", "**/fixtures/**"] });

/** An id of a rule: "I2", "py7". */
const ID = String.raw`(?:[A-Z]|py)\d{1,2}`;
/** Capital letters with a number that are not rules: a JavaScript engine. */
const NAMES = new Set(["V8"]);

const idsIn = (text: string): readonly string[] =>
  [...text.matchAll(new RegExp(`(?<![\\w#./-])${ID}(?![\\w%.-]\\w|\\w)`, "g"))]
    .map(([id]) => id)
    .filter((id) => !NAMES.has(id));

const sectionOf = (title: string): string =>
  page.split(/^(?=## )/m).find((section) => section.startsWith(`## ${title}\n`)) ?? "";
const definedIn = (text: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^- \\*\\*(${ID})\\*\\* \\S`, "gm"))].map(([, rule]) => rule!);

const defined = definedIn(page);
const perFile = sectionOf("Rules of one file")
  .split(/^### /m)
  .slice(1)
  .map((text) => ({ path: text.slice(0, text.indexOf("\n")), ids: definedIn(text) }));

/** The comments of a source file. A line of a block comment begins with an asterisk. */
const commentsOf = (text: string): string =>
  text
    .split("\n")
    .flatMap((line) => /(?:^\s*(?:\*|\/\*)|(?:^|\s)\/\/) ?(.*)/.exec(line)?.[1] ?? [])
    .join("\n");
/** The ids with which titles of tests begin, and those that stand in parentheses behind a title. */
const citedInTitles = (text: string): readonly string[] =>
  [
    ...text.matchAll(new RegExp(`"(?:(${ID}) [a-z][^"\\n]+|[^"\\n]*\\((${ID}(?:, ${ID})*)\\))"`, "g")),
  ].flatMap(([, first = "", behind = ""]) => idsIn(`${first} ${behind}`));

const sources = filesIn("src/**/*.ts", "machines/**/*.ts", "visualizer/src/**/*.{ts,tsx}");
const tests = filesIn("test/**/*.ts", "visualizer/test/**/*.ts");
const cited = [...sources, ...tests].flatMap((path) => {
  const text = read(path);
  const ids = [...idsIn(commentsOf(text)), ...(tests.includes(path) ? citedInTitles(text) : [])];
  return ids.map((id) => ({ path, id }));
});

describe("docs/invariants.md", () => {
  test("defines every rule once", () => {
    expect(defined.length).toBeGreaterThan(150);
    expect(defined.filter((id, index) => defined.indexOf(id) !== index)).toEqual([]);
  });

  test("defines every rule that a comment or the title of a test cites", () => {
    expect(cited.length).toBeGreaterThan(200);
    expect(cited.filter(({ id }) => !defined.includes(id))).toEqual([]);
  });

  test("lists the rules of one file as the head of that file does", () => {
    const heads = perFile.map(({ path }) => ({
      path,
      ids: [...read(path).matchAll(new RegExp(`^(?: \\*|//) (${ID}) \\S`, "gm"))].map(([, id]) => id!),
    }));
    expect(heads.length).toBeGreaterThan(15);
    expect(perFile).toEqual(heads);
  });

  test("the rules of one file are cited in that file and in tests only", () => {
    const owner = new Map(perFile.flatMap(({ path, ids }) => ids.map((id) => [id, path] as const)));
    const elsewhere = cited.filter(
      ({ path, id }) => !tests.includes(path) && owner.has(id) && owner.get(id) !== path,
    );
    expect(elsewhere).toEqual([]);
  });

  test("every regression, every flaw and every golden trace has a test that begins with its id", () => {
    const title = new RegExp(`"(${ID}) [^"\\n]+",\\s*(?:\\{[^}]*\\}, )?(?:async )?\\(`, "g");
    const tested = new Set(
      tests
        .filter((path) => path.endsWith(".test.ts"))
        .flatMap((path) => [...read(path).matchAll(title)].map(([, id]) => id!)),
    );
    const mustBeTested = defined.filter((id) => /^(?:[SFA]|py)\d/.test(id));
    expect(mustBeTested.length).toBeGreaterThan(80);
    expect(mustBeTested.filter((id) => !tested.has(id))).toEqual([]);
  });
});

test("no file refers to a document that is not in the repository", () => {
  const files = filesIn(
    "{src,machines,test,bench,scripts,examples,docs,visualizer}/**/*.{ts,tsx,mjs,js,md,json}",
    "*.{md,ts,json}",
  ).filter((path) => path !== "test/project/invariants.test.ts" && !path.includes("conformance/scenarios"));
  expect(files.length).toBeGreaterThan(500);
  const elsewhere =
    /spec §|spec (?:scar|flaw)|spec, Appendix|(?<![\w.-])(?:spec|design|api|style|house|peers|batteries)\.md\b|\.\.\/shared\//;
  expect(files.filter((path) => elsewhere.test(read(path)))).toEqual([]);
});
