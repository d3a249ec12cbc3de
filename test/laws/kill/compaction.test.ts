// A process that is killed at each append of a compaction.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openSession } from "agentchart/session";
import { chatCompletionsServer } from "agentchart/testing";
import { historyProblem } from "../../support/history.ts";
import { answerTo, CODES, tokensOf, TOKENIZERS, type Window } from "../../support/long-talk.ts";
import { openStore, type StoreSpec } from "../../support/open-store.ts";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import type { TalkOrders, Told } from "./compaction-worker.ts";
import type { DieAt } from "./dying-store.ts";
import { each, isSoak, live } from "./live.ts";

const WORKER = join(import.meta.dirname, "compaction-worker.ts");
const folder = mkdtempSync(join(tmpdir(), "agentchart-kill-compaction-"));

/** Enough for results to be cleared several times, and then for a summary. */
const ROUNDS = 70;

/** What a session came to, and the requests of each of its lives, with the same id for every session. */
type Run = { readonly told: Told; readonly lives: readonly (readonly string[])[] };

let sessions = 0;

/** Runs a session to its end against a server of its own; its first life dies if it is told to. */
async function run(store: StoreSpec, window: Window, dieAt?: DieAt): Promise<Run> {
  const server = await chatCompletionsServer((request) => answerTo(request, window), {
    countUsage: (request) => ({ prompt_tokens: tokensOf(request, window), completion_tokens: 20 }),
  });
  const sessionId = `session-${++sessions}`;
  const opened = await openStore(store);
  const orders: TalkOrders = {
    store,
    sessionId,
    ledger: "",
    baseURL: server.baseURL,
    window: window.tokens,
    rounds: ROUNDS,
  };
  try {
    const lives: string[][] = [];
    let done: string | undefined;
    while (done === undefined) {
      const { length } = server.requests;
      const life = await live(WORKER, {
        ...orders,
        ...(dieAt && lives.length === 0 && { dieAt }),
      });
      if (life.done === undefined && !life.wasKilled)
        throw new Error(`a life ended without an answer: ${life.errors}`);
      const bodies = server.requests.slice(length).map((request) => JSON.stringify(request));
      lives.push(bodies.map((body) => body.replaceAll(sessionId, "session")));
      expect(lives.length).toBeLessThan(4);
      done = life.done;
    }
    const { messages } = await (await openSession(opened, sessionId)).at();
    expect(historyProblem(messages)).toBeUndefined();
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
    return { told: JSON.parse(done) as Told, lives };
  } finally {
    await opened.close();
    await server.close();
  }
}

const server = isSoak ? await startPostgres() : undefined;
afterAll(() => server?.stop());
const STORES: { readonly name: string; readonly spec: StoreSpec }[] = [
  { name: "SQLite", spec: { kind: "sqlite", path: join(folder, "sessions.sqlite") } },
  { name: "files", spec: { kind: "file", dir: join(folder, "files") } },
];
if (server) {
  const { connectionString } = server;
  STORES.push({ name: "Postgres", spec: { kind: "postgres", connectionString } });
} else if (isSoak) test.skip(`a compaction on Postgres (${NO_POSTGRES})`, () => {});
/** One of all, unless there is time for more. */
const CELLS = STORES.flatMap((store) =>
  Object.values(TOKENIZERS).map((charactersPerToken) => ({ ...store, charactersPerToken })),
).slice(0, isSoak ? undefined : 1);

describe.each(CELLS)(
  "a compaction on $name, for a provider with a token of $charactersPerToken characters",
  ({ spec, charactersPerToken }) => {
    test(
      "that is killed at any of its appends leads to the same requests and the same answer",
      {
        timeout: 900_000,
      },
      async () => {
        const window: Window = { tokens: 8_000, charactersPerToken };
        const whole = await run(spec, window);
        const { compactions, answer } = whole.told;
        const firsts = ["clear", "summarise"].map((did) => compactions.find((one) => one.did === did)!);
        expect(firsts).not.toContain(undefined);
        for (const code of CODES) expect(answer).toContain(code);
        // from the last append before it to the first one that stores what it did
        const appends = (isSoak ? compactions : firsts).flatMap(({ from, to }) =>
          Array.from({ length: to - from + 2 }, (_, index) => from + index),
        );
        const deaths = [...new Set(appends)].flatMap((append): DieAt[] => [
          { append, when: "before" },
          { append, when: "after" },
        ]);
        await each(deaths, async (dieAt) => {
          const killed = await run(spec, window, dieAt);
          const [before, after] = killed.lives as [readonly string[], readonly string[]];
          const [all] = whole.lives as [readonly string[]];
          const where = JSON.stringify(dieAt);
          expect(killed.lives, where).toHaveLength(2);
          expect(killed.told.answer, where).toBe(answer);
          // the second life goes on where the first was, or repeats what was not stored, byte by byte
          const from = all.length - after.length;
          expect(
            before.findIndex((body, index) => body !== all[index]),
            where,
          ).toBe(-1);
          expect(
            after.findIndex((body, index) => body !== all[from + index]),
            where,
          ).toBe(-1);
          expect(from, where).toBeLessThanOrEqual(before.length);
          expect(from, where).toBeGreaterThanOrEqual(before.length - 3);
        });
      },
    );
  },
);
