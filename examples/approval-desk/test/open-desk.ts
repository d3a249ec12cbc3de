import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";
import { NO_POSTGRES, startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { startDesk, type Desk } from "../desk/start-desk.ts";
import type { LogLine } from "../desk/start-worker.ts";

let postgres: Promise<TestPostgres | undefined> | undefined;

/** The database of this file's desks. */
export async function databaseUrl({ skip }: Pick<TestContext, "skip">): Promise<string> {
  postgres ??= startPostgres();
  const started = await postgres;
  if (!started) skip(NO_POSTGRES);
  return started!.connectionString;
}

export async function stopPostgres(): Promise<void> {
  await (await postgres)?.stop();
}

export type Case = {
  readonly phase: string;
  readonly reason?: string;
  readonly pending: readonly { readonly callId: string; readonly argsHash: string; readonly input: object }[];
};

export type TestDesk = Desk & {
  readonly lines: readonly (LogLine & { readonly worker: string })[];
  /** Sends a request as the page does and returns the JSON of the answer. */
  ask<T>(method: string, path: string, body?: object): Promise<T>;
  /** Opens a case with a customer's message and returns its id. */
  write(input: string): Promise<string>;
  find(id: string): Promise<Case>;
  /** Decides the one call that waits for approval. */
  decide(id: string, decision: unknown): Promise<void>;
  answerOf(id: string): Promise<string>;
};

/** The rules of the desk say nothing slowly. */
process.env["DESK_PACE_MS"] = "0";

/** An empty folder for a desk, and what deletes it. */
export function makeFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-desk-test-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts a desk that is closed when the test ends, or by `close` of one that is `kept`. */
export async function openDesk(
  context: Pick<TestContext, "skip">,
  { isKept = false } = {},
): Promise<TestDesk> {
  const { folder, remove } = makeFolder();
  const lines: (LogLine & { readonly worker: string })[] = [];
  const started = await startDesk({
    folder,
    databaseUrl: await databaseUrl(context),
    onLog: (worker, line) => void lines.push({ ...line, worker }),
  });
  const desk: Desk = { ...started, close: (signal) => started.close(signal).finally(remove) };
  if (!isKept) onTestFinished(() => desk.close());
  const ask: TestDesk["ask"] = async (method, path, body) => {
    const response = await fetch(`${desk.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${desk.token}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as never;
  };
  const find = (id: string): Promise<Case> => ask("GET", `/v1/sessions/${id}`);
  return {
    ...desk,
    lines,
    ask,
    find,
    async write(input) {
      const { id } = await ask<{ readonly id: string }>("POST", "/v1/sessions", { agent: "desk", input });
      return id;
    },
    async decide(id, decision) {
      const { pending } = await find(id);
      const { callId, argsHash } = pending[0]!;
      await ask("POST", `/v1/sessions/${id}/decisions`, { callId, argsHash, decision });
    },
    async answerOf(id) {
      type Page = {
        readonly messages: readonly { readonly content: readonly { readonly text?: string }[] }[];
      };
      const { messages } = await ask<Page>("GET", `/v1/sessions/${id}/messages`);
      return messages
        .at(-1)!
        .content.map(({ text = "" }) => text)
        .join("");
    },
  };
}
