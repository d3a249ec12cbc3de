import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { BARE_ENV } from "../../../test/support/bare-env.ts";
import { makeFolder } from "./open-desk.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

const LINK = /Refunds desk: (http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)/;

type Options = {
  readonly folder: string;
  /** A database that runs; default: one of the desk's own. */
  readonly databaseUrl?: string;
  /** How long the rules wait before each word, in ms; default 0. */
  readonly paceMs?: number;
};

/** Runs `npm run desk` until the test ends. */
export function run({ folder, databaseUrl = "", paceMs = 0 }: Options, ...args: readonly string[]) {
  const child = spawn(process.execPath, ["--conditions=agentchart-source", MAIN, ...args], {
    env: {
      ...BARE_ENV,
      LANG: "C.UTF-8",
      DESK_FOLDER: folder,
      DESK_PACE_MS: String(paceMs),
      ...(databaseUrl && { DESK_DATABASE_URL: databaseUrl }),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  return { child, output, ended };
}

/** A folder that is deleted after the test. */
export function newFolder(): string {
  const { folder, remove } = makeFolder();
  onTestFinished(remove);
  return folder;
}

/** Waits for the link of a desk. */
export async function opened({ output }: ReturnType<typeof run>) {
  await expect.poll(() => output.stdout).toContain("Ctrl-C ends it.");
  const [, url, token] = LINK.exec(output.stdout)!;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return { url: url!, token: token!, link: `${url}/#token=${token}`, headers };
}
