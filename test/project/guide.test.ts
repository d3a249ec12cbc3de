// The code of the guide is that of its examples.
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
import { AgentError, ERROR_CODES } from "../../src/core/base/error.ts";
import { docsOf, REQUEST_CODES } from "../../src/server/request-error.ts";
import { agentMachine, chartJson } from "agentchart/machines";
import { examplesOf, pagesWithExamples, withBlocks } from "../support/doc-blocks.ts";
import { ROOT } from "./source-files.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const pages = pagesWithExamples;
const guide = pages.filter((path) => path.startsWith("docs/guide/") && path !== "docs/guide/README.md");

// `npx vitest run test/project/guide.test.ts -u` writes the code of the examples into the pages.
test.for(pages)("the code in %s is the code of the examples", async (path) => {
  await expect(withBlocks(read(path))).toMatchFileSnapshot(join(ROOT, path));
});

// test/project/compiled-examples.test.ts compiles the programs of other pages.
test("every program in the README and the guide is a part of an example, and no page has one as mere text", () => {
  const fences = (of: readonly string[], fence: RegExp): readonly string[] =>
    of.flatMap((path) => [...read(path).matchAll(fence)].map(([found]) => `${path}: ${found}`));
  expect(
    fences(["README.md", ...guide], /^ *```(?:[tj]sx?|m[tj]s|typescript|javascript)(?! examples\/).*$/gm),
  ).toEqual([]);
  const all = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT, exclude: ["docs/api/**", "docs/upstream/**"] });
  expect(
    fences(all, /^ *```(?:text|txt)?\n *(?:import|export|const|let|await|function|class) .*$/gm),
  ).toEqual([]);
});

test("every example of the guide is in a page", () => {
  const embedded = pages.flatMap((path) => examplesOf(read(path)));
  expect(globSync("examples/guide/*.ts", { cwd: ROOT }).filter((path) => !embedded.includes(path))).toEqual(
    [],
  );
});

test("docs/guide/README.md lists every page of the guide", () => {
  const links = read("docs/guide/README.md").matchAll(/\]\(([\w-]+\.md)\)/g);
  const listed = new Set([...links].map(([, link]) => `docs/guide/${link!}`));
  expect(guide.length).toBeGreaterThanOrEqual(8);
  expect([...listed].toSorted()).toEqual(guide);
});

test("every page but the README links to the files that its code is a part of", () => {
  const without = pages
    .filter((path) => path !== "README.md")
    .flatMap((path) =>
      examplesOf(read(path))
        .filter((file) => !read(path).includes(`](${posix.relative(posix.dirname(path), file)})`))
        .map((file) => `${path}: ${file}`),
    );
  expect(without).toEqual([]);
});

test("docs/guide/errors.md explains every error code, also those of the server, each where an error says", () => {
  const explained = [
    ...read("docs/guide/errors.md").matchAll(/^\| <a id="([\w-]+)"><\/a>`([a-z]+\/[a-z-]+)` +\|/gm),
  ].map(([, anchor, code]) => [code, `agentchart/docs/guide/errors.md#${anchor}`]);
  const thrown = ERROR_CODES.map((code) => [code, new AgentError(code, "").docs]);
  expect(ERROR_CODES.map(docsOf)).toEqual(thrown.map(([, docs]) => docs));
  const answered = REQUEST_CODES.map((code) => [code, docsOf(code)]);
  expect(explained).toEqual([...thrown, ...answered]);
});

test("the drawing in docs/guide/chart.md has the top-level transitions of the machine, except those of a restore", () => {
  const [, drawing = ""] = /^```mermaid\n([^]*?)^```/m.exec(read("docs/guide/chart.md")) ?? [];
  const drawn = [...drawing.matchAll(/^ {2}(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} → ${to}`);
  const top = (id: string): string => id.split(".")[1] ?? "";
  const { nodes, edges } = chartJson(agentMachine);
  const crossing = edges
    .filter(({ source, event }) => source !== "agent.stopped.unfinished" && event !== "session.load")
    .flatMap(({ source, targets }) => targets.map((target) => [top(source), top(target)] as const))
    .filter(([from, to]) => from !== "" && from !== to)
    .map(([from, to]) => `${from} → ${to}`);
  expect(new Set(drawn)).toEqual(new Set(crossing));
  expect(drawing).toContain(`[*] --> ${top(nodes[0]!.initial!)}`);
});
