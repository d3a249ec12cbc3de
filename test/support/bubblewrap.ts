import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderWorkspace } from "../../src/kit/workspace/folder-workspace.ts";

function problem(): string | undefined {
  if (process.platform !== "linux") return `bubblewrap is for Linux, and this is ${process.platform}`;
  try {
    execFileSync("bwrap", ["--version"], { stdio: "ignore" });
  } catch {
    return "no sandbox: install bubblewrap (apt-get install bubblewrap)";
  }
  return undefined;
}

async function whyNot(): Promise<string | undefined> {
  const missing = problem();
  if (missing !== undefined) return missing;
  const root = mkdtempSync(join(tmpdir(), "agentchart-bwrap-"));
  try {
    await (await folderWorkspace({ root })).close();
    return undefined;
  } catch (error) {
    return `no sandbox on this machine: ${(error as Error).message}`;
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Why no sandbox can be made here, for the title of what is skipped; undefined if one can. */
export const NO_BUBBLEWRAP = await whyNot();
