// Each benchmark runs to its end and measures what it reports.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

const BENCHES = ["main", "sessions", "inspect", "knowledge", "bursts", "workers", "resting", "unstreamed"];
/** Every other one in one run, the others on the next day; all of them with SOAK=1. */
const DAY = Math.floor(Date.now() / 86_400_000);
const CHOSEN = BENCHES.filter((_, place) => process.env["SOAK"] === "1" || (place + DAY) % 2 === 0);

test.each(CHOSEN)("bench/%s.ts runs to its end and measures every figure that it reports", async (name) => {
  const script = join(ROOT, "bench", `${name}.ts`);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", "--conditions=agentchart-source", script],
    {
      cwd: ROOT,
      env: { ...process.env, BENCH_SMOKE: "1" },
    },
  );
  expect(stdout).toMatch(/^# \w/);
  expect(stdout).toMatch(/^\|.*\d.*\|$/m);
  expect(stdout).not.toMatch(/NaN|undefined|Infinity/);
});
