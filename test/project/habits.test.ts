// Specifies the habits of the repository: AGENTS.md names what exists, and CI runs the steps of .ci/run, each in a job of its own.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ROOT } from "./source-files.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const { scripts } = JSON.parse(read("package.json")) as {
  readonly scripts: { readonly [name: string]: string };
};

/** The words of an array of .ci/run. */
function listOf(name: string): readonly string[] {
  const [, words] = new RegExp(`^${name}=\\((.*)\\)$`, "m").exec(read(".ci/run")) ?? [];
  return words?.split(" ") ?? [];
}

test("AGENTS.md has at most 120 lines, and each file and script that it names exists", () => {
  const page = read("AGENTS.md");
  expect(page.split("\n").length).toBeLessThanOrEqual(120);
  const quoted = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text!);
  const paths = quoted.filter((text) => /^[\w.-]+\/[\w./-]+$/.test(text));
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(paths.length).toBeGreaterThan(20);
  const named = quoted.flatMap((text) => /^npm run (\S+)/.exec(text)?.[1] ?? []);
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  expect(named.length).toBeGreaterThan(10);
});

test("each step of .ci/run is a script, and all of them but the slow suites are in verify", () => {
  const steps = [...listOf("SUITES"), ...listOf("CHECKS")];
  expect(steps.filter((step) => scripts[step] === undefined)).toEqual([]);
  const verified = scripts["verify"]!.split(" && ").map((command) => command.replace(/^npm (run )?/, ""));
  expect(verified.filter((step) => step !== "build").toSorted()).toEqual(
    ["test", ...listOf("CHECKS")].toSorted(),
  );
  expect(listOf("BUILT").filter((step) => !listOf("CHECKS").includes(step))).toEqual([]);
});

test("the workflow has a job for each step of .ci/run, which runs it by .ci/run", () => {
  type Workflow = {
    readonly jobs: {
      readonly step: {
        readonly strategy: { readonly matrix: { readonly step: readonly string[] } };
        readonly steps: readonly { readonly run?: string }[];
      };
    };
  };
  const { jobs } = parse(read(".github/workflows/checks.yml")) as Workflow;
  expect(jobs.step.strategy.matrix.step).toEqual([...listOf("SUITES"), ...listOf("CHECKS")]);
  expect(jobs.step.steps.flatMap(({ run }) => run ?? [])).toEqual([
    "sudo --preserve-env=PATH .ci/run ${{ matrix.step }}",
  ]);
});

test("the changelog is one screen", () => {
  expect(read("CHANGELOG.md").split("\n").length).toBeLessThanOrEqual(60);
});

test("the paths of CODEOWNERS exist", () => {
  const lines = read(".github/CODEOWNERS")
    .split("\n")
    .filter((line) => line.startsWith("/"));
  const paths = lines.map((line) => line.split(" ")[0]!);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
