import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { BARE_ENV } from "../support/bare-env.ts";

/** The entry of the program, as source. */
export const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** The built program, if AGENTCHART_BUILT says that it is as the sources are: it starts in half of the time. */
const BUILT =
  process.env["AGENTCHART_BUILT"] === "1"
    ? [fileURLToPath(new URL("../../dist/cli/main.mjs", import.meta.url))]
    : undefined;

/** Files for `--tools`. */
export const TOOLS = {
  weather: fileURLToPath(new URL("./fixtures/weather.ts", import.meta.url)),
  defaultExport: fileURLToPath(new URL("./fixtures/default-export.ts", import.meta.url)),
  waiting: fileURLToPath(new URL("./fixtures/waiting-tool.ts", import.meta.url)),
  noTools: fileURLToPath(new URL("./fixtures/no-tools.ts", import.meta.url)),
  mixedExport: fileURLToPath(new URL("./fixtures/mixed-export.ts", import.meta.url)),
  floatingPromise: fileURLToPath(new URL("./fixtures/floating-promise.ts", import.meta.url)),
  approval: fileURLToPath(new URL("./fixtures/approval-tools.ts", import.meta.url)),
  throws: fileURLToPath(new URL("./fixtures/throws.ts", import.meta.url)),
};

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type Started = {
  readonly child: ChildProcess;
  /** Resolves when stdout or stderr contains the text. Rejects if the process ends before. */
  readonly printed: (text: string) => Promise<void>;
  readonly finished: Promise<Finished>;
};

export type ProcessOptions = {
  /** The entry of an installed package to start instead. */
  readonly installed?: string;
  /** True to start the sources, also if the program is built. */
  readonly isSource?: boolean;
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly node?: readonly string[];
  /** What the process reads from stdin; default: nothing. */
  readonly stdin?: string;
};

/** Starts the program, built or from its sources, in a process that inherits only PATH from the environment. */
export function start(
  args: readonly string[],
  { installed, isSource = false, cwd, env = {}, node = [], stdin = "" }: ProcessOptions = {},
): Started {
  const sources = ["--conditions=agentchart-source", MAIN];
  const main = installed ? [installed] : isSource ? sources : (BUILT ?? sources);
  const child = spawn(process.execPath, [...node, ...main, ...args], {
    ...(cwd !== undefined && { cwd }),
    env: { ...BARE_ENV, ...env },
    stdio: "pipe",
  });
  child.stdin.on("error", () => {}); // the process may end without reading it
  child.stdin.end(stdin);
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  }
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...output }));
  });
  const hasPrinted = (text: string): boolean => `${output.stdout}${output.stderr}`.includes(text);
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => void (hasPrinted(text) && resolve());
      child.stdout.on("data", check);
      child.stderr.on("data", check);
      child.on("close", () =>
        reject(new Error(`The process ended without "${text}": ${JSON.stringify(output)}`)),
      );
      check();
    });
  return { child, printed, finished };
}

/** Runs the program and resolves when it has ended. */
export function agentchart(args: readonly string[], options?: ProcessOptions): Promise<Finished> {
  return start(args, options).finished;
}
