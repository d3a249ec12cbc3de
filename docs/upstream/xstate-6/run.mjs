// npm run spike:xstate-6 [-- files]: runs tests of the charts and of agents on XState 6, which it installs into a temporary folder. It
// fails unless the tests that fail are those that cannot-run.json lists.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

const VERSION = "6.0.0-alpha.52";

const root = join(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "xstate-6-"));
const tests = process.argv.slice(2);
const module = join(folder, "node_modules/xstate/dist/xstate.development.esm.js");
try {
  execFileSync("npm", ["install", "--prefix", folder, "--ignore-scripts", "--silent", `xstate@${VERSION}`], {
    stdio: "inherit",
  });
  // what the inspector shows of its actors, and how it pauses them
  for (const file of ["inspects.mjs", "holds.mjs"])
    execFileSync(process.execPath, ["--conditions=agentchart-source", join(import.meta.dirname, file)], {
      stdio: "inherit",
      env: { ...process.env, XSTATE_6: module },
    });
  const args = [
    "run",
    "--config",
    join(import.meta.dirname, "vitest.config.ts"),
    "--reporter=default",
    "--reporter=json",
  ];
  args.push(`--outputFile.json=${join(folder, "results.json")}`, ...tests);
  spawnSync(join(root, "node_modules/.bin/vitest"), args, {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      XSTATE_6: module,
      NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, "in-threads.mjs")).href}`,
    },
  });
  const listed = JSON.parse(readFileSync(join(import.meta.dirname, "cannot-run.json"), "utf8"));
  const { testResults } = JSON.parse(readFileSync(join(folder, "results.json"), "utf8"));
  const wrong = testResults.length === 0 ? ["no test ran"] : [];
  for (const { name, status, assertionResults } of testResults) {
    const file = relative(root, name);
    const reasons = listed[file] ?? [];
    const expected = reasons.flatMap((each) => each.tests);
    const failed = assertionResults.filter((each) => each.status === "failed").map((each) => each.fullName);
    if (status !== "passed" && failed.length === 0) wrong.push(`${file} does not load`);
    wrong.push(...failed.filter((each) => !expected.includes(each)).map((each) => `${file} fails: ${each}`));
    wrong.push(...expected.filter((each) => !failed.includes(each)).map((each) => `${file} passes: ${each}`));
    for (const { why, tests: cannot } of reasons)
      console.log([`${file}: ${why}`, ...cannot].join("\n  cannot run: "));
  }
  if (tests.length === 0) {
    const ran = new Set(testResults.map(({ name }) => relative(root, name)));
    wrong.push(
      ...Object.keys(listed)
        .filter((file) => !ran.has(file))
        .map((file) => `${file} is not there`),
    );
  }
  for (const each of wrong) console.error(`Not as cannot-run.json says: ${each}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
