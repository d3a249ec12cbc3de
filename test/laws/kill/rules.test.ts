// A process that is killed at each append of a run under rules.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { StoreSpec } from "../../support/open-store.ts";
import type { DieAt } from "./dying-store.ts";
import { startPostgres } from "../../support/postgres.ts";
import { deathsAt, each, live, type Orders } from "./live.ts";

const WORKER = join(import.meta.dirname, "rules-worker.ts");
const folder = mkdtempSync(join(tmpdir(), "agentchart-kill-rules-"));

const postgres = process.env["SOAK"] === "1" ? await startPostgres() : undefined;
afterAll(() => postgres?.stop());
const STORES = {
  sqlite: (name: string): StoreSpec => ({ kind: "sqlite", path: join(folder, `${name}.sqlite`) }),
  file: (name: string): StoreSpec => ({ kind: "file", dir: join(folder, name) }),
  postgres: (): StoreSpec => ({ kind: "postgres", connectionString: postgres!.connectionString }),
};
type Kind = keyof typeof STORES;

let sessions = 0;

/** Runs a session to its end, and returns what was really done. */
async function run(
  kind: Kind,
  dieAt?: DieAt,
): Promise<{ readonly ledger: readonly string[]; readonly appends: number }> {
  const name = `session-${++sessions}`;
  const orders: Orders = {
    store: STORES[kind](name),
    sessionId: name,
    ledger: join(folder, `${name}.ledger`),
  };
  for (let lives = 0; lives < 3; lives++) {
    const { done, appends, wasKilled, errors } = await live(WORKER, {
      ...orders,
      ...(dieAt && lives === 0 && { dieAt }),
    });
    if (done === undefined && !wasKilled) throw new Error(`a life ended without an answer: ${errors}`);
    if (done === undefined) continue;
    const ledger = readFileSync(orders.ledger, "utf8").trim().split("\n");
    return { ledger: ledger.map((line) => line.split(" ")[0]!), appends };
  }
  throw new Error("the session did not end");
}

const kinds: readonly Kind[] = ["sqlite", "file", ...(postgres ? (["postgres"] as const) : [])];

test.each(kinds)(
  "no rule is broken whatever append the process is killed at, although people let all be repeated (%s)",
  async (kind) => {
    const { ledger: undisturbed, appends } = await run(kind);
    expect(undisturbed).toEqual(["verify", "payout"]);
    await each(deathsAt(appends, 5), async (dieAt) => {
      const { ledger } = await run(kind, dieAt);
      const where = `${JSON.stringify(dieAt)}: ${ledger.join()}`;
      expect(ledger.filter((name) => name === "payout").length, where).toBeLessThanOrEqual(1);
      expect(ledger.slice(0, 1), where).toEqual(["verify"]);
    });
  },
);
