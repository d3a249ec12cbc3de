// The examples with MCP servers.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { ROOT } from "../project/source-files.ts";
import { scratch } from "../store/scratch.ts";
import { BARE_ENV } from "../support/bare-env.ts";
import { freePort } from "../support/free-port.ts";

const { dir, remove } = scratch();
afterAll(remove);

function run(
  file: string,
  args: readonly string[] = [],
  env: { readonly [name: string]: string } = {},
): string {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--conditions=agentchart-source", join(ROOT, "examples", file), ...args],
    { cwd: ROOT, env: { ...BARE_ENV, ...env }, encoding: "utf8" },
  );
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

test("examples/mcp.ts lists a folder with a server of files", () => {
  const printed = run("mcp.ts", [], { HOME: dir });
  expect(printed).toContain("files__list_directory");
  expect(printed).toContain("package.json");
  expect(printed).toContain("That is all of it.");
});

test("examples/mcp-approval pays once, after a second process has answered the bank", async () => {
  const ledger = join(dir, "ledger.txt");
  const port = String(await freePort());
  const bank = spawn(
    process.execPath,
    ["--conditions=agentchart-source", join(ROOT, "examples/mcp-approval/bank.ts"), ledger],
    { env: { ...BARE_ENV, BANK_PORT: port }, stdio: ["ignore", "pipe", "inherit"] },
  );
  const exit = once(bank, "exit");
  try {
    await once(createInterface(bank.stdout), "line");
    const env = { BANK_URL: `http://127.0.0.1:${port}`, SESSIONS: join(dir, "sessions") };
    expect(run("mcp-approval/clerk.ts", [], env)).toMatch(/^Pay 1250 cents to Ann\? \(\S+\/confirm\)\n$/);
    expect(existsSync(ledger)).toBe(false);
    expect(run("mcp-approval/clerk.ts", ["yes"], env)).toBe("The bank has answered.\n");
    expect(readFileSync(ledger, "utf8")).toBe("1250 cents to Ann. \n");
  } finally {
    bank.kill();
    await exit;
  }
});
