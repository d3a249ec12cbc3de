import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { start, type Started } from "./agentchart.ts";

export const AGENTS = fileURLToPath(new URL("./fixtures/agents.ts", import.meta.url));
export const TOKEN = "bearer-token-of-the-test";
const TOKENS = JSON.stringify([{ tenant: "acme", scopes: ["read", "write", "decide"], token: TOKEN }]);

/** A running process of the program. */
export type Running = Started & {
  /** The lines of its log so far whose message is this event. */
  readonly logged: (event: string) => readonly { readonly [field: string]: unknown }[];
  readonly log: () => string;
};

export type WorkerFixture = {
  readonly folder: string;
  readonly env: { [name: string]: string };
  /** Starts `agentchart <args>` with the store and the queue. */
  readonly run: (...args: readonly string[]) => Running;
  /** Starts a worker and waits until it takes sessions. */
  readonly worker: (...args: readonly string[]) => Promise<Running>;
  /** Starts a server and waits until it listens. */
  readonly serve: (...args: readonly string[]) => Promise<{
    readonly url: string;
    readonly request: Request;
    readonly running: Running;
  }>;
  /** What the tools did in any process, one entry per step. */
  readonly toolLog: () => readonly string[];
};

/** Sends a request to the server. Rejects with the body of a response that is an error. */
export type Request = (method: string, path: string, body?: unknown) => Promise<ServerResponse>;
type ServerResponse = {
  readonly id: string;
  readonly messages: readonly object[];
  readonly sessions: readonly { readonly id: string; readonly phase: string }[];
};

/** A folder, and functions that start the program with one store and one queue. Everything ends with the test. */
export function workerFixture(store: string | undefined, queue: string, extraEnv = {}): WorkerFixture {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-workers-"));
  const env = {
    TOOL_LOG: join(folder, "tool-log"),
    SURVIVE_FILE: join(folder, "survive"),
    AGENTCHART_TOKENS: TOKENS,
    ...extraEnv,
  };
  const started: Started[] = [];
  onTestFinished(async () => {
    for (const { child } of started) child.kill("SIGKILL");
    await Promise.all(started.map(({ finished }) => finished));
    rmSync(folder, { recursive: true, force: true });
  });
  const backend = ["--store", store ?? `sqlite:${join(folder, "sessions.db")}`, "--queue", queue];

  const run = (...args: readonly string[]): Running => {
    const process = start([...args, ...backend], { env });
    started.push(process);
    let text = "";
    process.child.stderr!.on("data", (piece: string) => (text += piece));
    const lines = () =>
      text
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as { readonly msg: string });
    return { ...process, log: () => text, logged: (event) => lines().filter(({ msg }) => msg === event) };
  };
  return {
    folder,
    env,
    run,
    async worker(...args) {
      const running = run("worker", "--agents", AGENTS, "--sweep-ms", "300", ...args);
      await running.printed('"state":"running"');
      return running;
    },
    async serve(...args) {
      const running = run("serve", "--port", "0", ...args);
      await running.printed('"listening"');
      const { url } = running.logged("listening")[0] as unknown as { readonly url: string };
      const request: Request = async (method, path, body) => {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        if (!response.ok) throw new Error(await response.text());
        return (await response.json()) as ServerResponse;
      };
      return { url, request, running };
    },
    toolLog: () => (existsSync(env.TOOL_LOG) ? readFileSync(env.TOOL_LOG, "utf8").trimEnd().split("\n") : []),
  };
}

/** Creates sessions of an agent and returns their ids. */
export async function createSessions(
  request: Request,
  agent: string,
  count: number,
): Promise<readonly string[]> {
  const created = Array.from({ length: count }, (_, index) =>
    request("POST", "/v1/sessions", { agent, input: `Question ${index}` }),
  );
  return (await Promise.all(created)).map(({ id }) => id);
}
