import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { AskerArgs } from "./asker.ts";

/** What a process says when it rests. */
export type Said = {
  readonly reason: string;
  readonly text: string;
  readonly pending: readonly string[];
  readonly results: readonly string[];
};

/** Runs a process with an agent until it rests, and kills it there. */
export async function restOf(args: AskerArgs): Promise<Said> {
  const program = join(import.meta.dirname, "asker.ts");
  const child = spawn(process.execPath, ["--conditions=agentchart-source", program, JSON.stringify(args)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const [line] = (await Promise.race([once(createInterface(child.stdout), "line"), exit])) as [unknown];
  child.kill("SIGKILL");
  await exit;
  return JSON.parse(String(line)) as Said;
}
