import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [ROOT, HERE] = [join(import.meta.dirname, "../../.."), import.meta.dirname];

/** A worker of the desk, running in its own process. */
export type DeskWorker = {
  readonly name: string;
  /** Ends it: SIGTERM lets it save what it runs, SIGKILL does not. */
  kill(signal: NodeJS.Signals): void;
  /** Its exit code; null if a signal killed it. */
  readonly ended: Promise<number | null>;
};

/** One line of a worker's log. */
export type LogLine = { readonly msg: string; readonly [field: string]: unknown };

/** Starts `agentchart worker` with the agents of the desk. Resolves when it accepts sessions; rejects if it ends before that. */
export async function startWorker(
  name: string,
  databaseUrl: string,
  onLog: (line: LogLine) => void,
): Promise<DeskWorker> {
  const cli = join(ROOT, "src/cli/main.ts");
  const flags = ["--agents", join(HERE, "../agents.ts"), "--store", "postgres", "--queue", "postgres"];
  const tuned = ["--lease-ms", "3000", "--sweep-ms", "1000"]; // soon noticed when one dies
  const child = spawn(
    process.execPath,
    [...process.execArgv, "--import", join(HERE, "end-with-parent.ts"), cli, "worker", ...flags, ...tuned],
    { env: { ...process.env, DATABASE_URL: databaseUrl }, stdio: ["ignore", "ignore", "pipe", "ipc"] },
  );
  const ended = once(child, "exit").then(([code]) => code as number | null);
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  let last = "";
  createInterface({ input: child.stderr! }).on("line", (text) => {
    last = text;
    if (!text.startsWith("{")) return;
    const line = JSON.parse(text) as LogLine;
    if (line.msg === "worker.state" && line["state"] === "running") resolve();
    onLog(line);
  });
  const failed = ended.then((code) => {
    throw new Error(`${name} ended with ${code}: ${last}`);
  });
  failed.catch(() => {}); // heard of by the race only
  await Promise.race([ready, failed]);
  return { name, ended, kill: (signal) => void child.kill(signal) };
}
