import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

test.each(["main", "sessions", "inspect", "knowledge", "bursts", "workers", "resting", "unstreamed"])(
  "bench/%s.ts runs to its end and measures every figure that it reports",
  async (name) => {
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
  },
);
