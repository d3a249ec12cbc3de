import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { createDispatcher, inProcessQueue } from "agentchart/worker";
import type { AnalystDatabase } from "../tools/analyst-tools.ts";
import type { ModelChoice } from "./choose-model.ts";
import { openData } from "./open-data.ts";
import type { DemoOptions } from "./options.ts";
import type { Surroundings } from "./run-demo.ts";
import { formatCall, formatResult } from "./show-events.ts";
import { planLine } from "./show-plan.ts";
import type { Terminal } from "./terminal.ts";

/** What a worker process works on. */
export type WorkerTask = {
  readonly choice: ModelChoice;
  readonly database: AnalystDatabase;
  readonly outDir: string;
  /** The store that the workers share. */
  readonly path: string;
};

type Said = { readonly type: "took"; readonly isTakeover: boolean } | { readonly type: "query" };

const SESSION = "demo";
/** When a query is in its middle, and all before it has been shown. */
const MIDDLE_MS = 400;
const [DONE, FAILED, INTERRUPTED] = [0, 1, 130];

/** Starts a worker, shows what it says, and kills the first one that asks to run a query. */
function startWorkers(task: WorkerTask, count: number, terminal: Terminal): Workers {
  const all: ChildProcess[] = [];
  let [isKilled, holder] = [false, ""];
  const hear = (child: ChildProcess, name: string, said: Said): void => {
    if (said.type === "took") {
      holder = name;
      terminal.line(`${name} took the session${said.isTakeover ? " over" : ""}.`, "bold");
    } else if (isKilled) child.send("go on");
    else {
      isKilled = true;
      setTimeout(() => {
        child.kill("SIGKILL");
        terminal.line(`${name} was killed (SIGKILL) in the middle of a query. The others find out.`, "red");
      }, MIDDLE_MS);
    }
  };
  for (let number = 1; number <= count; number++) {
    const child = fork(join(import.meta.dirname, "worker-process.ts"), [JSON.stringify(task)]);
    child.on("message", (said: Said) => hear(child, `Worker ${number}`, said));
    all.push(child);
  }
  return {
    holder: () => holder,
    end: () => all.forEach((child) => child.kill("SIGKILL")),
    died: Promise.all(all.map((child) => new Promise((resolve) => child.once("exit", resolve)))),
  };
}

type Workers = {
  /** Who had the session last. */
  readonly holder: () => string;
  readonly end: () => void;
  /** None is left. */
  readonly died: Promise<unknown>;
};

/** Shows a fact of the session. */
function show(event: AgentEvent, worker: string, terminal: Terminal): void {
  const plan = planLine(event);
  if (plan !== undefined) terminal.line(plan, "bold");
  if (event.type === "tool.end") {
    const ok = event.result.state === "success";
    const line = `${worker}  ${ok ? "✓" : "✗"} ${event.result.name}  ${formatResult(event.result)}`;
    terminal.line(line, ok ? "green" : "red");
  }
  if (event.type !== "message" || event.message.role !== "assistant") return;
  for (const block of event.message.content) {
    if (block.type === "text") terminal.line(block.text);
    if (block.type === "tool_use") terminal.line(`${worker}  → ${formatCall(block)}`, "cyan");
  }
}

/** Works on the question in several processes, one of which is killed in the middle of it. Returns the exit code. */
export async function handOver(
  options: DemoOptions,
  choice: ModelChoice,
  terminal: Terminal,
  { onInterrupt }: Pick<Surroundings, "onInterrupt">,
): Promise<number> {
  const data = await openData(options);
  const dir = mkdtempSync(join(tmpdir(), "agentchart-workers-"));
  const path = join(dir, "sessions.sqlite");
  const store = sqliteStore({ path });
  const dispatcher = createDispatcher({ store, queue: inProcessQueue() });
  terminal.line(`Data: ${data.note}`, "dim");
  terminal.line(`Question: ${options.question}`, "bold");
  const task: WorkerTask = { choice, database: data.database, outDir: options.out, path };
  const ended = new AbortController();
  let isInterrupted = false;
  const stopListening = onInterrupt(() => {
    isInterrupted = true;
    ended.abort();
  });
  const workers = startWorkers(task, options.workers!, terminal);
  void workers.died.then(() => ended.abort());
  try {
    await dispatcher.dispatch(SESSION, options.question, { agent: "analyst" });
    for await (const event of dispatcher.subscribe(SESSION, { signal: ended.signal })) {
      show(event, workers.holder(), terminal);
      if (event.type !== "turn.end") continue;
      if (event.error) terminal.line(`Error: ${event.error.message}`, "red");
      else terminal.line(`The turn ended with ${event.reason}, in ${workers.holder()}.`, "dim");
      return event.error ? FAILED : DONE;
    }
    if (isInterrupted) return INTERRUPTED;
    throw new Error("No worker is left.");
  } finally {
    stopListening();
    workers.end();
    await workers.died;
    await store.close();
    rmSync(dir, { recursive: true, force: true });
    data.close();
  }
}
