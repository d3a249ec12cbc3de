// Specifies the habits of the repository: AGENTS.md names what exists, and CI runs the steps of .ci/run, each in a job of its own.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ROOT, sourceFiles } from "./source-files.ts";

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

test("each test file begins with what it specifies, in at most three lines", () => {
  const files = sourceFiles("test/**/*.test.ts{,x}", "visualizer/test/**/*.test.ts{,x}");
  const begins = /^(?:\/\/ .+\n){1,3}(?!\/\/)/;
  expect(files.flatMap(({ path, text }) => (begins.test(text) ? [] : [path]))).toEqual([]);
  expect(files.length).toBeGreaterThan(600);
});

test("no test sets a limit of time that is shorter than that of all tests, which a busy machine would break", () => {
  const places = ["test", "examples/*/test", "visualizer/test"].map((place) => `${place}/**/*.ts{,x}`);
  const limits =
    /\b(?:timeout|testTimeout|hookTimeout): ([\d_]+)|^ *\}, ([\d_]+)\);$|\bvi\.wait(?:For|Until)\(/gm;
  const msOf = (digits = "1000"): number => Number(digits.replaceAll("_", "")); // what `vi.waitFor` waits
  const shortIn = (text: string): string[] =>
    [...text.matchAll(limits)].flatMap(([found, option, argument]) => {
      const ms = msOf(option ?? argument);
      return ms >= 1_000 && ms < TEST_TIMEOUT ? [found.trim()] : [];
    });
  const TEST_TIMEOUT = msOf(/\btestTimeout: ([\d_]+)/.exec(read("vitest.config.ts"))?.[1]);
  expect(TEST_TIMEOUT).toBeGreaterThanOrEqual(600_000);
  const made = ["test(name, { timeout: 60_000 }, f)", "}, 5_000);", "vi.setConfig({ hookTimeout: 60_000 })"];
  expect(made.map((text) => shortIn(text).length)).toEqual([1, 1, 1]);
  const files = sourceFiles(...places).filter(({ path }) => !path.endsWith("habits.test.ts"));
  expect(files.flatMap(({ path, text }) => shortIn(text).map((found) => `${path}: ${found}`))).toEqual([]);
});

test("the code of a turn has no closure that V8 keeps, with all that it refers to, until it collects the old objects", () => {
  // V8 allocates a function that is assigned to a property among the old objects: it takes it for a method
  const assigned =
    /^ .*[\w)\]]\.#?\w+ (?:=|\?\?=|\|\|=) (?:async )?(?:function\b|\w+ =>|\([^()]*\)(?:: [^=]+)? =>).*$/gm;
  const found = (text: string): readonly string[] => text.match(assigned) ?? [];
  const bad = [
    "  this.#stop = () => {",
    "  query.callback = (error, rows) => end(error);",
    "  a.b ??= async x => x;",
  ];
  const good = ["  this.#stop = stop;", "  const stop = () => {", "  if (a.b === c) return () => d;"];
  expect([...bad, ...good].map((line) => found(line).length)).toEqual([1, 1, 1, 0, 0, 0]);
  const rooms = ["agent", "core", "models", "session", "worker"].map((room) => `src/${room}/**/*.ts`);
  const files = sourceFiles(...rooms, "machines/**/*.ts", "src/store/*.ts");
  expect(files.flatMap(({ path, text }) => found(text).map((line) => `${path}: ${line.trim()}`))).toEqual([]);
  expect(files.length).toBeGreaterThan(300);
});

test("what waits for some time at most ends its timer as it ends", () => {
  const races = sourceFiles("src/**/*.ts").flatMap(({ path, text }) =>
    [...text.matchAll(/Promise\.race\(\[[^\]]*\b(?:sleep|setTimeout|delay)\(/g)].map(() => path),
  );
  expect(races).toEqual([]); // `endsWithin` does
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
  expect(jobs.step.steps.flatMap(({ run }) => run ?? [])).toEqual([".ci/run ${{ matrix.step }}"]);
});

/** Runs .ci/run where npm and apt-get only write down what they are asked for; `fails` is what npm refuses. */
function runCi(args: readonly string[], fails = "nothing") {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-ci-"));
  cpSync(join(ROOT, ".ci"), join(folder, ".ci"), { recursive: true });
  mkdirSync(join(folder, "bin"));
  const npm = `#!/bin/sh\necho "$*" >> "${folder}/asked"\n[ "$*" != "${fails}" ]\n`;
  writeFileSync(join(folder, "bin/npm"), npm, { mode: 0o755 });
  writeFileSync(join(folder, "bin/apt-get"), "#!/bin/sh\n", { mode: 0o755 });
  const env = { ...process.env, PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter) };
  const { status, stdout } = spawnSync(join(folder, ".ci/run"), args, { env, encoding: "utf8" });
  const asked = existsSync(join(folder, "asked")) ? readFileSync(join(folder, "asked"), "utf8") : "";
  return { status, last: stdout.trimEnd().split("\n").at(-1), asked: asked.trimEnd().split("\n") };
}

test(".ci/run STEP runs one step, with a build where it reads dist, and without a step all of them", () => {
  expect(runCi(["lint"])).toEqual({
    status: 0,
    last: "0 passed, 0 failed",
    asked: ["ci", "run --silent lint"],
  });
  expect(runCi(["test"]).asked).toEqual(["ci", "test"]);
  expect(runCi(["check:size"]).asked).toEqual(["ci", "run --silent build", "run --silent check:size"]);
  const [, ...suites] = listOf("SUITES");
  expect(runCi([]).asked).toEqual([
    "ci",
    "test",
    ...suites.map((suite) => `run ${suite}`),
    ...listOf("CHECKS").map((check) => `run --silent ${check}`),
  ]);
});

test(".ci/run fails with its step, and refuses a step that it does not have", () => {
  expect(runCi(["lint"], "run --silent lint")).toMatchObject({ status: 1, last: "0 passed, 1 failed" });
  expect(runCi(["nothing"])).toMatchObject({ status: 2, asked: [""] });
});

test("the changelog is one screen", () => {
  expect(read("CHANGELOG.md").split("\n").length).toBeLessThanOrEqual(60);
});
