// The example of an approval over two processes.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { ROOT } from "../project/source-files.ts";
import { BARE_ENV } from "../support/bare-env.ts";

const EXAMPLE = join(ROOT, "examples/approval.ts");

/** Runs the example in a process of its own and returns the lines it prints. */
async function run(cwd: string, ...args: readonly string[]): Promise<readonly string[]> {
  const command = ["--conditions=agentchart-source", EXAMPLE, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd, env: BARE_ENV });
  return stdout.trimEnd().split("\n");
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "agentchart-approval-"));
  return path;
}

describe("examples/approval.ts", () => {
  test("asks in one process and pays in the next one that approves, as the README shows", async () => {
    const cwd = folder();
    const [, ...shown] = /^```sh\n(\$ [^]*?)^```/m
      .exec(readFileSync(join(ROOT, "README.md"), "utf8"))![1]!
      .split(/^\$ node approval\.ts/m)
      .map((part) => part.trim().split("\n"));
    expect(shown).toHaveLength(2);
    expect(await run(cwd)).toEqual(shown[0]);
    expect(["approve", ...(await run(cwd, "approve"))]).toEqual(shown[1]);
  });

  test("does not pay in a process that denies", async () => {
    const cwd = folder();
    await run(cwd);
    expect(await run(cwd, "deny")).toEqual(["Order 17 is settled."]);
  });

  test("says how it is run without a build", () => {
    const [first] = readFileSync(EXAMPLE, "utf8").split("\n");
    expect(first).toContain("npx node --conditions=agentchart-source examples/approval.ts");
  });
});
