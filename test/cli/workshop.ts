import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { start, type Started } from "./agentchart.ts";

export const AGENTS = fileURLToPath(new URL("./fixtures/agents.ts", import.meta.url));
export const TOKEN = "desk-token-that-nobody-guesses";
const TOKENS = JSON.stringify([{ tenant: "acme", scopes: ["read", "write", "decide"], token: TOKEN }]);

/** A process of the program that goes with the test. */
export type Running = Started & {
  /** The lines of its log so far that have this event as their message. */
  readonly logged: (event: string) => readonly { readonly [field: string]: unknown }[];
  readonly log: () => string;
};

export type Workshop = {
  readonly folder: string;
  readonly env: { readonly [name: string]: string };
  /** `agentchart <args>` on the store and the queue of the workshop. */
  readonly run: (...args: readonly string[]) => Running;
  readonly worker: (...args: readonly string[]) => Promise<Running>;
  /** A server, and a way to ask it. */
  readonly serve: () => Promise<{ readonly url: string; readonly ask: Ask; readonly running: Running }>;
  /** What the tools did, in any process. */
  readonly ledger: () => readonly string[];
};

export type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;
type Answer = {
  readonly id: string;
  readonly messages: readonly object[];
  readonly sessions: readonly { readonly id: string; readonly phase: string }[];
};

/** A folder, and processes of the program on one store and one queue; all gone when the test is over. */
export function openWorkshop(store: string | undefined, queue: string, more = {}): Workshop {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-workers-"));
  const env = {
    LEDGER: join(folder, "ledger"),
    ANTIDOTE: join(folder, "antidote"),
    AGENTCHART_TOKENS: TOKENS,
    ...more,
  };
  const all: Started[] = [];
  onTestFinished(async () => {
    for (const { child } of all) child.kill("SIGKILL");
    await Promise.all(all.map(({ finished }) => finished));
    rmSync(folder, { recursive: true, force: true });
  });
  const place = ["--store", store ?? `sqlite:${join(folder, "sessions.db")}`, "--queue", queue];

  const run = (...args: readonly string[]): Running => {
    const started = start([...args, ...place], { env });
    all.push(started);
    let text = "";
    started.child.stderr!.on("data", (piece: string) => (text += piece));
    const lines = () =>
      text
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as { readonly msg: string });
    return { ...started, log: () => text, logged: (event) => lines().filter(({ msg }) => msg === event) };
  };
  return {
    folder,
    env,
    run,
    async worker(...args) {
      const running = run("worker", "--agents", AGENTS, "--sweep-ms", "300", ...args);
      await running.seen('"state":"running"');
      return running;
    },
    async serve() {
      const running = run("serve", "--port", "0");
      await running.seen('"listening"');
      const { url } = running.logged("listening")[0] as unknown as { readonly url: string };
      const ask: Ask = async (method, path, body) => {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        if (!response.ok) throw new Error(await response.text());
        return (await response.json()) as Answer;
      };
      return { url, ask, running };
    },
    ledger: () => (existsSync(env.LEDGER) ? readFileSync(env.LEDGER, "utf8").trimEnd().split("\n") : []),
  };
}

/** Begins sessions of an agent and gives their ids. */
export async function beginSessions(ask: Ask, agent: string, count: number): Promise<readonly string[]> {
  const made = Array.from({ length: count }, (_, index) =>
    ask("POST", "/v1/sessions", { agent, input: `Question ${index}` }),
  );
  return (await Promise.all(made)).map(({ id }) => id);
}
