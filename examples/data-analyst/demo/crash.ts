import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentConfig, Tool } from "agentchart";
import { fileStore } from "agentchart/store/file";
import type { DemoOptions } from "./options.ts";
import type { Terminal } from "./terminal.ts";

const MAIN = join(import.meta.dirname, "../main.ts");
/** The second life follows the first at once, so the lease of the first must not outlive it for long. */
const LEASE_MS = 3_000;

/** The session of one life: kept in files, so that the next process finds it. */
export function sessionOf({
  life,
}: DemoOptions): Pick<AgentConfig, "store" | "sessionId" | "sessionOptions"> {
  if (!life) return {};
  return {
    store: fileStore({ dir: life.dir }),
    sessionId: "demo",
    ...(life.dies && { sessionOptions: { leaseMs: LEASE_MS } }),
  };
}

/** The tools of a session whose process may die: each may run again, and in the life that is to die the first query
 *  kills the process while it runs. */
export function deadlyTools(tools: readonly Tool[], { life }: DemoOptions): readonly Tool[] {
  return tools.map((tool): Tool => {
    if (!life?.dies || tool.name !== "query_database") return { ...tool, onRestart: "retry" };
    return {
      ...tool,
      onRestart: "retry",
      execute: () => new Promise(() => setTimeout(() => process.kill(process.pid, "SIGKILL"), 300)),
    };
  });
}

function live(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly signal: string | null }> {
  const child = spawn(process.execPath, [...process.execArgv, MAIN, ...args], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
}

/** Runs the demo in a process that is killed in the middle of a tool, and then in a second one that goes on from what the
 *  first one stored. Returns the exit code of the second. */
export async function crashAndGoOn(args: readonly string[], terminal: Terminal): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), "agentchart-crash-"));
  const own = args.filter((arg) => arg !== "--crash");
  try {
    const first = await live([...own, "--life-in", dir, "--life-dies"]);
    if (first.signal !== "SIGKILL") return first.code ?? 1;
    terminal.line();
    terminal.line(
      "The process was killed (SIGKILL) while a tool was running. All that is left is the journal in",
      "red",
    );
    terminal.line(`${dir}. A new process goes on from it.`, "red");
    terminal.line();
    const second = await live([...own, "--life-in", dir]);
    return second.code ?? 1;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
