// Each command of the pages is one that the command line has, with flags that it takes.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../project/source-files.ts";
import { problemOf } from "./program.ts";

const PAGES = [
  "*.md",
  "docs/*.md",
  "docs/guide/*.md",
  "docs/zh/*.md",
  "create/**/*.md",
  "skills/**/*.md",
  "visualizer/*.md",
  "deploy/**/*",
];
const pages = globSync(PAGES, { cwd: ROOT, exclude: ["**/node_modules/**", "CHANGELOG.md"] })
  .filter((path) => /\.(?:md|ya?ml|service)$|Dockerfile$/.test(path))
  .toSorted();

/** A line of a block, a command in a sentence, a step of a unit or of a container. */
const COMMAND = /(?:^(?:\$ )?|&& |`|ExecStart=\S*\/)(?:npx )?agentchart ([a-z][^`\n]*)/gm;
/** A word as the shell reads it, or what ends a command. */
const WORD = /(?<end>(?<=\s)#|&&|[|&<>;])|"(?<double>[^"]*)"|'(?<single>[^']*)'|[^\s|&<>;]+/g;

function argsOf(command: string): readonly string[] {
  const words = [...command.matchAll(WORD)];
  const end = words.findIndex(({ groups }) => groups!["end"]);
  return words
    .slice(0, end < 0 ? words.length : end)
    .map(({ 0: word, groups }) => groups!["double"] ?? groups!["single"] ?? word);
}

const commands = pages.flatMap((path) =>
  [
    ...readFileSync(join(ROOT, path), "utf8")
      .replaceAll(/^.*──.*$/gm, "")
      .matchAll(COMMAND),
  ].map(([, command]) => ({
    path,
    command: command!.replace(/\\$/, ""),
  })),
);

test("the commands of the pages are those of the command line", () => {
  expect(commands.length).toBeGreaterThan(100);
  const wrong = commands.flatMap(({ path, command }) => {
    try {
      const problem = problemOf(argsOf(command));
      return problem === undefined ? [] : [`${path}: ${command}: ${problem}`];
    } catch (error) {
      // a sentence may name a flag without its value
      if (/^UsageError: Option '--[^']+' argument missing\.$/.test(String(error))) return [];
      return [`${path}: ${command}: ${String(error)}`];
    }
  });
  expect(wrong).toEqual([]);
});
