import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../../test/project/source-files.ts";
import { BARE_ENV } from "../../../test/support/bare-env.ts";

const MAIN = join(ROOT, "examples/newsroom/main.ts");

/** Runs the newsroom in a process, which is killed when it has printed `killAt`. Returns the lines that it has printed. */
async function run(cwd: string, args: readonly string[], killAt?: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, ["--conditions=agentchart-source", MAIN, ...args], {
    cwd,
    env: BARE_ENV,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [printed, failed] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    if (killAt !== undefined && printed.includes(killAt)) child.kill("SIGKILL");
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (failed += text));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  expect({ code, signal, failed }).toEqual(
    killAt === undefined
      ? { code: 0, signal: null, failed: "" }
      : { code: null, signal: "SIGKILL", failed: "" },
  );
  return printed.trimEnd().split("\n");
}

test("a newsroom that is killed while it works goes on in other processes, and publishes once", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "agentchart-newsroom-"));
  await run(cwd, ["harbour"], '"street":"asking"');
  await run(cwd, [], '"writing"');
  const [question] = (await run(cwd, [])).slice(-1);
  expect(question).toMatch(/^May publish run with \{"text":"The harbour was built in 1912/u);
  expect((await run(cwd, ["be shorter"])).at(-1)).toContain("(be shorter)");
  await run(cwd, ["approve"], '"editing"');
  const next = await run(cwd, []);
  const end = next.at(-1)!.startsWith("May publish") ? await run(cwd, ["approve"]) : next; // the decision may be lost
  expect(end.at(-1)).toMatch(/^Published: .*\(be shorter\)$/u);
  expect(readdirSync(join(cwd, "published"))).toHaveLength(1);
});
