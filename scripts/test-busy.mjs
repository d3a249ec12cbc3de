import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const HELP = `Runs the plain suite again and again while the machine is busy, and lists which tests failed how often.

npm run test:busy -- [options] [files]

  --times N     how often the suite runs (default: 10)
  --together N  how many of these runs go at once (default: 1)
  --loops N     busy loops beside them (default: 12)
  --help        prints this
  files         test files to run instead of all

Exits with 0 if all runs passed, with 1 if a test failed, with 2 for an unknown option.`;

const number = (text, name) => {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new TypeError(`Expected --${name} to be a whole number from 1 to 9999, got '${text}'.`);
};

function optionsOf(args) {
  const count = (name) => ({ [name]: { type: "string" } });
  const options = { ...count("times"), ...count("together"), ...count("loops"), help: { type: "boolean" } };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const { times = "10", together = "1", loops = "12", help = false } = values;
  return {
    times: number(times, "times"),
    together: number(together, "together"),
    loops: number(loops, "loops"),
    help,
    files: positionals,
  };
}

const ended = (child) => new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));

/** Runs the suite once. Returns the lines of its failures. */
async function run(files, log) {
  const args = ["vitest", "run", "--project", "plain", "--reporter=./scripts/ci-reporter.mjs", ...files];
  const code = await ended(
    spawn("npx", args, {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, CI_FAILURES: log },
    }),
  );
  const failures = existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : [];
  rmSync(log, { force: true });
  return code !== 0 && failures.length === 0 ? [`vitest ended with ${code}`] : failures;
}

async function main({ times, together, loops, files }) {
  const folder = mkdtempSync(join(tmpdir(), "test-busy-"));
  const busy = Array.from({ length: loops }, () => spawn(process.execPath, ["-e", "for (;;);"]));
  const stop = () => {
    for (const child of busy) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", stop);
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
  const count = new Map();
  let started = 0;
  const next = async () => {
    while (started < times) {
      const at = ++started;
      console.log(`\nRun ${at} of ${times}, beside ${loops} busy loops`);
      const failures = await run(files, join(folder, `failures-${at}`));
      for (const failure of failures) count.set(failure, (count.get(failure) ?? 0) + 1);
      console.log(`\nRun ${at} of ${times}: ${failures.length} failed`);
    }
  };
  await Promise.all(Array.from({ length: together }, next));
  for (const [failure, failed] of [...count].toSorted(([, a], [, b]) => b - a))
    console.log(`failed ${failed} of ${times} times: ${failure}`);
  if (count.size === 0) console.log(`\nAll ${times} runs passed beside ${loops} busy loops.`);
  return count.size === 0 ? 0 : 1;
}

let options;
try {
  options = optionsOf(process.argv.slice(2));
} catch (error) {
  console.error(`${error.message}\n\n${HELP}`);
  process.exit(2);
}
if (options.help) console.log(HELP);
else process.exit(await main(options));
