// Tools that list and search files.
import { expect, test } from "vitest";
import { memoryWorkspace } from "agentchart/workspace";
import { LineSearch, MAX_SEARCHED } from "../../src/kit/workspace/line-search.ts";
import { coder } from "./coder.ts";

const files = {
  "README.md": "# Title\nold text\n",
  "src/a.ts": "one\ntwo\nthree\ntwo\n",
  "src/deep/b.test.ts": "TWO\r\nend\r\n",
  "node_modules/x/a.ts": "two\n",
  ".git/HEAD": "two\n",
  "data.bin": Uint8Array.of(0x74, 0x77, 0x6f, 0),
};

test("a directory is listed with its kinds, and a glob finds files below it", async () => {
  const { texts } = coder(memoryWorkspace({ files }));
  expect(
    await texts(
      ["list_files", {}],
      ["list_files", { path: "src" }],
      ["glob_files", { pattern: "*.ts" }],
      ["glob_files", { pattern: "src/*.ts" }],
      ["glob_files", { pattern: "./**/*.test.ts" }],
      ["glob_files", { pattern: "*.ts", path: "src/deep" }],
      ["glob_files", { pattern: "*.rs" }],
      ["list_files", { path: "nothing" }],
    ),
  ).toEqual([
    ".git/\nREADME.md\ndata.bin\nnode_modules/\nsrc/",
    "a.ts\ndeep/",
    "src/a.ts\nsrc/deep/b.test.ts",
    "src/a.ts",
    "src/deep/b.test.ts",
    "src/deep/b.test.ts",
    "[Nothing was found.]",
    "Error: 'nothing' is not in the workspace.",
  ]);
});

test("a search prints lines with their places, by file, glob, context and case", async () => {
  const { texts } = coder(memoryWorkspace({ files }));
  expect(
    await texts(
      ["grep_files", { pattern: "two" }],
      ["grep_files", { pattern: "^two$", ignore_case: true, glob: "*.test.ts" }],
      ["grep_files", { pattern: "three", context: 1, path: "src/a.ts" }],
      ["grep_files", { pattern: "two", context: 1, path: "src" }],
      ["grep_files", { pattern: "(" }],
      ["grep_files", { pattern: "[\\w-.]{4}t$" }],
    ),
  ).toEqual([
    "src/a.ts:2:two\nsrc/a.ts:4:two",
    "src/deep/b.test.ts:1:TWO",
    "src/a.ts-2-two\nsrc/a.ts:3:three\nsrc/a.ts-4-two",
    "src/a.ts-1-one\nsrc/a.ts:2:two\nsrc/a.ts-3-three\nsrc/a.ts:4:two",
    expect.stringMatching(/^Error: The pattern is not a regular expression: /u),
    "[Nothing was found.]",
  ]);
});

test("a search whose thread has ended says no more than that", async () => {
  const search = new LineSearch("(x+)+y", { ignoreCase: false, limitMs: 60_000 });
  const found = search.search("x".repeat(40), 0, 1);
  await search.close();
  await expect(found).rejects.toThrow("The search has failed: its thread has ended.");
});

test("a text of any kind is searched up to a size, and refused beyond it", async () => {
  const search = new LineSearch("z", { ignoreCase: false, limitMs: 60_000 });
  for (const unit of ["\n", "ab\n", "\u4e00b\n", "x"]) {
    const text = unit.repeat(MAX_SEARCHED / unit.length);
    expect(await search.search(text, 20, 500)).toEqual([]);
    const refused = search.search(`${text}${unit.repeat(3)}`, 20, 500);
    await expect(refused).rejects.toThrow(/^The text has \d+ characters; at most 2097152 are searched\.$/u);
  }
  await search.close();
});

test("a search is bounded in matches, and names in their number", async () => {
  const many = Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [`d/${at}`, "x\n"]));
  const [grep, glob, list] = await coder(memoryWorkspace({ files: many })).texts(
    ["grep_files", { pattern: "x" }],
    ["glob_files", { pattern: "**" }],
    ["list_files", { path: "d" }],
  );
  expect(grep!.split("\n")).toHaveLength(501);
  expect(glob!.split("\n")).toHaveLength(1_001);
  expect(glob).toMatch(/\n\[There are more; look for fewer\.\]$/u);
  expect(list).toMatch(/\n\[100 more; look for fewer\.\]$/u);
});

test("a search whose thread has ended before it began comes to its end", async () => {
  const search = new LineSearch("a", { ignoreCase: false, limitMs: 50 });
  await search.close();
  await expect(search.search("a", 0, 1)).rejects.toMatchObject({ code: "workspace/failed" });
});

test("a pattern that takes for ever ends, and the process goes on meanwhile", async () => {
  const search = new LineSearch("^(a+)+$", { ignoreCase: false, limitMs: 300 });
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 20);
  const found = search.search(`${"a".repeat(40)}!`, 0, 10);
  await expect(found).rejects.toThrow("The pattern takes longer than 300 ms; use a simpler one.");
  clearInterval(ticking);
  await search.close();
  expect(ticks).toBeGreaterThan(0);
});

test("what a search has not looked at is said", async () => {
  const deep = `${"d/".repeat(70)}f.ts`;
  const { texts } = coder(memoryWorkspace({ files: { "a.ts": "two\n", [deep]: "two\n" } }));
  const rest = "[Not all was searched: it is too much; look in a smaller directory.]";
  expect(
    await texts(
      ["glob_files", { pattern: "*.ts" }],
      ["glob_files", { pattern: "*.rs" }],
      ["grep_files", { pattern: "two" }],
      ["glob_files", { pattern: "*.ts", path: "d/".repeat(60) }],
    ),
  ).toEqual([`a.ts\n${rest}`, rest, `a.ts:1:two\n${rest}`, deep]);
});
