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

/** The stores a session may live in, as `--store` names them in a folder. */
export const STORES = [
  ["file", (folder: string) => `file:${join(folder, "sessions")}`],
  ["sqlite", (folder: string) => `sqlite:${join(folder, "sessions.db")}`],
] as const;

/** A user's message such as `pay {"euros":7}` is a call of that tool; several come on lines of their own. */
const CALL = /^(lookup|pay|slow) (\{.*\})$/g;

/** Calls what it is told to, reads results out, and otherwise numbers its answers. */
const respond: ChatCompletionsResponder = ({ messages }) => {
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== "tool") + 1);
  if (results.length > 0)
    return { content: `It says: ${results.map(({ content }) => content as string).join(", ")}` };
  const questions = messages.filter(({ role }) => role === "user").map(({ content }) => content as string);
  const calls = questions
    .at(-1)!
    .split("\n")
    .flatMap((line) => [...line.matchAll(CALL)]);
  if (calls.length === 0) return { content: `Answer ${questions.length}` };
  return { tool_calls: calls.map(([, name, input]) => ({ function: { name: name!, arguments: input! } })) };
};

export type Desk = {
  readonly folder: string;
  readonly store: string;
  readonly server: ChatCompletionsServer;
  /** What the flags of a run are, without its question. */
  readonly flags: readonly string[];
  /** `agentchart run --session <id> <question>`. */
  run(sessionId: string, ...args: readonly string[]): Promise<Finished>;
  /** The same, not waited for. */
  start(sessionId: string, ...args: readonly string[]): Started;
  resume(sessionId: string, ...args: readonly string[]): Promise<Finished>;
  /** `agentchart sessions <args>` with the store. */
  sessions(...args: readonly string[]): Promise<Finished>;
  /** What the user, the tools and the model said last, as the model was told. */
  told(): readonly string[];
  /** The next request fails for good. */
  refuseNext(): void;
  /** What the tools did, in any process. */
  ledger(): readonly string[];
  readonly env: { readonly [name: string]: string };
};

/** A model, a folder with a store, and a command line for both; gone when the test is over. */
export async function openDesk(storeIn: (folder: string) => string): Promise<Desk> {
  let refusals = 0;
  const server = await chatCompletionsServer((request, context) =>
    refusals-- > 0 ? { status: 400, message: "no luck" } : respond(request, context),
  );
  const folder = mkdtempSync(join(tmpdir(), "agentchart-sessions-"));
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, "home"));
  const store = storeIn(folder);
  const env = { HOME: join(folder, "home"), LEDGER: join(folder, "ledger") };
  const flags = ["--store", store, "--base-url", server.baseURL, "--model", "m", "--tools", TOOLS.desk];
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
    refuseNext: () => void (refusals = 1),
    told: () => server.requests.at(-1)!.messages.map(({ role, content }) => `${role}: ${content as string}`),
    ledger: () => (existsSync(env.LEDGER) ? readFileSync(env.LEDGER, "utf8").trimEnd().split("\n") : []),
  };
}

/** The command on the line that begins so. */
export function commandAfter(line: string, { stderr }: Finished): string {
  const found = stderr.split("\n").find((each) => each.startsWith(line));
  if (found === undefined) throw new Error(`There is no line "${line}" in ${stderr}`);
  return found.slice(found.indexOf("agentchart "));
}

/** The line that a failed command ends with. */
export function lastLine({ stderr }: Finished): string {
  return stderr.trimEnd().split("\n").at(-1)!;
}

/** The lines of a command that prints JSON when it is read by a program. */
export function jsonLines<T>({ stdout }: Finished): readonly T[] {
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}
