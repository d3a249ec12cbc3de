import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  chatCompletionsServer,
  type ChatCompletionsResponder,
  type ChatCompletionsServer,
} from "../../src/testing/chat-completions-server.ts";
import { agentchart, start, TOOLS, type Finished, type Started } from "./agentchart.ts";

/** Each kind of store in files, with the value of `--store` for a store in a folder. */
export const STORES = [
  ["file", (folder: string) => `file:${join(folder, "sessions")}`],
  ["sqlite", (folder: string) => `sqlite:${join(folder, "sessions.db")}`],
] as const;

/** A user message such as `pay {"euros":7}`, which makes the model call that tool; one call per line. */
const CALL = /^(lookup|pay|slow|book) (\{.*\})$/g;

/** A model that calls the tools of the user message, then repeats their results. It numbers its other answers. */
const respond: ChatCompletionsResponder = ({ messages }) => {
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== "tool") + 1);
  if (results.length > 0)
    return { content: `Results: ${results.map(({ content }) => content as string).join(", ")}` };
  const questions = messages.filter(({ role }) => role === "user").map(({ content }) => content as string);
  const calls = questions
    .at(-1)!
    .split("\n")
    .flatMap((line) => [...line.matchAll(CALL)]);
  if (calls.length === 0) return { content: `Answer ${questions.length}` };
  return { tool_calls: calls.map(([, name, input]) => ({ function: { name: name!, arguments: input! } })) };
};

export type SessionFixture = {
  readonly folder: string;
  /** The value of `--store`. */
  readonly store: string;
  readonly server: ChatCompletionsServer;
  /** The flags of `agentchart run`: store, server, model and tools. */
  readonly flags: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** `agentchart run --session <id> <args>`. */
  run(sessionId: string, ...args: readonly string[]): Promise<Finished>;
  /** As `run`, but returns the running process. */
  start(sessionId: string, ...args: readonly string[]): Started;
  /** `agentchart sessions resume <id> <args>`. */
  resume(sessionId: string, ...args: readonly string[]): Promise<Finished>;
  /** `agentchart sessions <args>` with the store. */
  sessions(...args: readonly string[]): Promise<Finished>;
  /** The messages of the last request to the model, as "role: content". */
  lastRequest(): readonly string[];
  /** Makes the next request to the model fail with status 400. */
  failNextRequest(): void;
  /** What the tools did in any process, one entry per step. */
  toolLog(): readonly string[];
};

/** A model server, a folder with a store, and functions that run the program with both. It is removed after the test. */
export async function sessionFixture(storeIn: (folder: string) => string): Promise<SessionFixture> {
  let failures = 0;
  const server = await chatCompletionsServer((request, context) =>
    failures-- > 0 ? { status: 400, message: "no luck" } : respond(request, context),
  );
  const folder = mkdtempSync(join(tmpdir(), "agentchart-sessions-"));
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, "home"));
  const store = storeIn(folder);
  const env = { HOME: join(folder, "home"), TOOL_LOG: join(folder, "tool-log") };
  const flags = ["--store", store, "--base-url", server.baseURL, "--model", "m", "--tools", TOOLS.approval];
  return {
    folder,
    store,
    server,
    flags,
    env,
    run: (sessionId, ...args) => agentchart(["run", ...flags, `--session=${sessionId}`, ...args], { env }),
    start: (sessionId, ...args) => start(["run", ...flags, `--session=${sessionId}`, ...args], { env }),
    resume: (sessionId, ...args) =>
      agentchart(["sessions", "resume", ...flags, ...args, "--", sessionId], { env }),
    sessions: (command = "", ...args) =>
      agentchart(["sessions", command, "--store", store, ...args], { env }),
    failNextRequest: () => void (failures = 1),
    lastRequest: () =>
      server.requests.at(-1)!.messages.map(({ role, content }) => `${role}: ${content as string}`),
    toolLog: () => (existsSync(env.TOOL_LOG) ? readFileSync(env.TOOL_LOG, "utf8").trimEnd().split("\n") : []),
  };
}

/** The command in the line of stderr that begins with `prefix`. */
export function commandAfter(prefix: string, { stderr }: Finished): string {
  const line = stderr.split("\n").find((each) => each.startsWith(prefix));
  if (line === undefined) throw new Error(`No line begins with "${prefix}" in ${stderr}`);
  return line.slice(line.indexOf("agentchart "));
}

/** The last line of stderr, which is the error of a failed command. */
export function lastLine({ stderr }: Finished): string {
  return stderr.trimEnd().split("\n").at(-1)!;
}

/** The JSON lines that a command prints outside a terminal. */
export function jsonLines<T>({ stdout }: Finished): readonly T[] {
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}
