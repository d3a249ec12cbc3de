// The queue over Restate keeps the contract of queues, in a folder of its own with the packages of its own.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../project/source-files.ts";
import { BARE_ENV } from "../support/bare-env.ts";

// It installs 230 MB: `SOAK=1 npx vitest run test/examples/restate.test.ts`.
test.runIf(process.env["SOAK"] === "1")("examples/restate passes its test", () => {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-restate-"));
  cpSync(join(ROOT, "examples/restate"), folder, { recursive: true });
  const run = (program: string, ...args: readonly string[]): string =>
    execFileSync(program, args, {
      cwd: folder,
      env: { ...BARE_ENV, RESTATE_LOGGING: "ERROR" },
      encoding: "utf8",
    });
  run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefer-offline");
  symlinkSync(ROOT, join(folder, "node_modules/agentchart"));
  const report = run(process.execPath, "--conditions=agentchart-source", "--test", "--test-reporter=tap");
  expect(report).toContain("# pass 16\n");
});
