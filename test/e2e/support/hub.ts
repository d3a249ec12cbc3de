import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAddressFile } from "../../../src/inspect/protocol/hub-address.ts";
import { BARE_ENV } from "../../support/bare-env.ts";

const MAIN = join(import.meta.dirname, "../../../src/cli/main.ts");

/** A process that runs `agentchart inspect`. */
export type Hub = {
  readonly url: string;
  /** Link that opens the page, with the token. */
  readonly link: string;
  readonly token: string;
  readonly workerToken: string;
  /** Address for `createAgent({ inspect })`, with the token of workers. */
  readonly address: string;
  readonly pid: number;
  /** Returns what the process has printed so far. */
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

/** A temporary home folder, with the stores and the address file of the tests. */
export type Home = { readonly path: string; readonly sessions: string; remove(): void };

export function makeHome(): Home {
  const path = mkdtempSync(join(tmpdir(), "agentchart-e2e-"));
  return {
    path,
    sessions: join(path, "sessions"),
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Starts `agentchart inspect` with these flags and waits until it listens. */
export async function startHub(home: Home, flags: readonly string[] = []): Promise<Hub> {
  const store = flags.includes("--store") ? [] : ["--store", `file:${home.sessions}`];
  const child = spawn(
    process.execPath,
    ["--conditions=agentchart-source", MAIN, "inspect", ...store, ...flags],
    { env: { ...BARE_ENV, HOME: home.path }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      output += String(data);
      if (output.includes("#t=")) resolve();
    });
  }
  const ended = once(child, "exit").then(() => reject(new Error(`The hub ended: ${output}`)));
  await promise;
  const { url, token, workerToken, pid } = (await readAddressFile(home.path))!;
  return {
    url,
    link: `${url}/#t=${token}`,
    token,
    workerToken,
    address: `${url}#w=${workerToken}`,
    pid,
    output: () => output,
    stop: (signal = "SIGTERM") => end(child, ended, signal),
  };
}

async function end(child: ChildProcess, ended: Promise<unknown>, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  await ended;
}
