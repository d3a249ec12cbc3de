import { fork } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { Cell } from "./scenarios.ts";

/** After this a script counts as endless, ms. */
const SCRIPT_MS = 180_000;

/** A public thread, and what a run says about it: a cell of the matrix, or a script of its own. */
export type Thread = {
  readonly id: string;
  readonly what: string;
  readonly system: string;
  readonly by: { readonly row: string } | { readonly script: string };
  readonly reproduced: string;
  readonly mended: string;
};

export const THREADS: readonly Thread[] = [
  {
    id: "mastra-ai/mastra#22636",
    what: "a run that was killed in a tool is not recovered",
    system: "mastra-durable",
    by: { row: "parallel" },
    reproduced:
      "reproduced: the tools run again, then the recovery fails with “Cannot read properties of undefined (reading 'messages')”",
    mended: "not reproduced",
  },
  {
    id: "mastra-ai/mastra#24561",
    what: "an approval's data do not reach the tool of a durable agent",
    system: "mastra-durable",
    by: { script: "approval-data" },
    reproduced: "reproduced: the tool of an agent gets them, that of a durable agent gets none",
    mended: "mended: both tools get them",
  },
  {
    id: "mastra-ai/mastra#23626",
    what: "an approval within a background sub-agent begins it again",
    system: "mastra",
    by: { script: "background-clerk" },
    reproduced: "reproduced: it begins again",
    mended: "mended within one process: it goes on, and each tool runs once",
  },
  {
    id: "mastra-ai/mastra#19301",
    what: "a durable run that waits cannot be resumed after a restart",
    system: "mastra-durable",
    by: { row: "restart" },
    reproduced: "not mended",
    mended: "mended: it is resumed",
  },
  {
    id: "mastra-ai/mastra#12552",
    what: "approvals of tools of sub-agents do not surface",
    system: "mastra",
    by: { row: "sub-agent" },
    reproduced: "not mended",
    mended: "mended: the approval surfaces, with the tool and the arguments of the sub-agent",
  },
  {
    id: "openai/openai-agents-js#680",
    what: "an approved call of a nested agent does not run",
    system: "openai-agents",
    by: { row: "sub-agent" },
    reproduced: "not mended",
    mended: "mended: it runs once",
  },
  {
    id: "langchain-ai/langgraphjs#1552",
    what: "a sub-graph with branches that is resumed begins again",
    system: "langgraph",
    by: { script: "nested-branches" },
    reproduced: "reproduced: what has ended runs again",
    mended: "mended with `interrupt()`: nothing that has ended runs again",
  },
  {
    id: "langchain-ai/deepagentsjs#725",
    what: "a sub-agent that is resumed begins again",
    system: "deepagents",
    by: { script: "sub-agent-steps" },
    reproduced: "reproduced: it begins again",
    mended:
      "not reproduced: in six forms of its case a sub-agent goes on where it waits, and each tool runs once; the thread is open, without a reply of the project",
  },
];

/** Runs the script of a thread with the packages that are installed in `root`, and says whether what it tells is mended. */
export function runScript(root: string, runs: string, script: string): Promise<boolean> {
  const folder = mkdtempSync(join(runs, `${script}-`));
  return new Promise((resolve, reject) => {
    const child = fork(join(root, "thread.mjs"), [script, folder], {
      cwd: root,
      execArgv: ["--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const late = setTimeout(() => child.kill("SIGKILL"), SCRIPT_MS);
    let isMended: boolean | undefined;
    child.once("message", (message) => {
      ({ isMended } = message as { isMended: boolean });
      child.kill("SIGKILL");
    });
    child.once("exit", () => {
      clearTimeout(late);
      if (isMended === undefined) reject(new Error(`The script ${script} came to no end.`));
      else resolve(isMended);
    });
  });
}

/** True for a cell that shows no fault: a restart after which only the arguments are missing is resumed. */
export const isCellMended = ({ grade }: Cell, row: string): boolean =>
  grade === "good" || (row === "restart" && grade === "safe");
