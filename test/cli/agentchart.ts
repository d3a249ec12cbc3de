import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { BARE_ENV } from "../support/bare-env.ts";

/** The sources of the program. */
export const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** Files for `--tools`. */
export const TOOLS = {
  weather: fileURLToPath(new URL("./fixtures/weather.ts", import.meta.url)),
  listed: fileURLToPath(new URL("./fixtures/listed.ts", import.meta.url)),
  endless: fileURLToPath(new URL("./fixtures/endless.ts", import.meta.url)),
  noTools: fileURLToPath(new URL("./fixtures/no-tools.ts", import.meta.url)),
  halfAList: fileURLToPath(new URL("./fixtures/half-a-list.ts", import.meta.url)),
  careless: fileURLToPath(new URL("./fixtures/careless.ts", import.meta.url)),
  desk: fileURLToPath(new URL("./fixtures/desk.ts", import.meta.url)),
  throws: fileURLToPath(new URL("./fixtures/throws.ts", import.meta.url)),
};

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type Started = {
  readonly child: ChildProcess;
  /** Settles once the text was seen on stdout or stderr. */
  readonly seen: (text: string) => Promise<void>;
  readonly finished: Promise<Finished>;
};

export type Surroundings = {
  readonly env?: { readonly [name: string]: string };
  readonly node?: readonly string[];
};

/** Starts the sources of the program in a process of their own, which inherits none of our environment but PATH. */
export function start(args: readonly string[], { env = {}, node = [] }: Surroundings = {}): Started {
  const child = spawn(process.execPath, ["--conditions=agentchart-source", ...node, MAIN, ...args], {
    env: { ...BARE_ENV, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  }
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...output }));
  });
  const hasSeen = (text: string): boolean => `${output.stdout}${output.stderr}`.includes(text);
  const seen = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => void (hasSeen(text) && resolve());
      child.stdout.on("data", look);
      child.stderr.on("data", look);
      child.on("close", () =>
        reject(new Error(`The process ended without "${text}": ${JSON.stringify(output)}`)),
      );
      look();
    });
  return { child, seen, finished };
}

/** Runs the program to its end. */
export function agentchart(args: readonly string[], surroundings?: Surroundings): Promise<Finished> {
  return start(args, surroundings).finished;
}
