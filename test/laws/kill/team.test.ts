// A process that is killed at each append of an agent with agents inside of its calls.
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openSession } from "agentchart/session";
import { historyProblem } from "../../support/history.ts";
import { openStore, type StoreSpec } from "../../support/open-store.ts";
import { startPostgres } from "../../support/postgres.ts";
import { deathsAt, each, live, type Orders } from "./live.ts";

const WORKER = join(import.meta.dirname, "team-worker.ts");
const folder = mkdtempSync(join(tmpdir(), "agentchart-team-"));

/** The sessions of a run, and the keys of its two effects, by the id of the outermost one. */
const SESSIONS = ["", "/a", "/a/c7", "/b"];
const EFFECTS = ["/a/c7/c9", "/b/c9"];

let sessions = 0;
function ordersFor(store: StoreSpec, hasWorker: boolean): Orders {
  const sessionId = `s${++sessions}`;
  const ledger = join(folder, `${sessionId}.ledger`);
  return { store: hasWorker ? ownStore(store, sessionId) : store, sessionId, ledger, hasWorker };
}

/** A store for one session: a worker takes whatever it finds in its store. */
function ownStore(store: StoreSpec, sessionId: string): StoreSpec {
  if (store.kind === "postgres") return { ...store, schema: sessionId };
  return { kind: "sqlite", path: join(folder, `${sessionId}.sqlite`) };
}

const server = await startPostgres();
afterAll(() => server?.stop());

/** Lives until the outermost turn has its answer, whatever dies on the way, and returns the number of appends of a whole life. */
async function finish(orders: Orders): Promise<number> {
  let life = await live(WORKER, orders);
  if (life.done === undefined) {
    expect(life.wasKilled, life.errors).toBe(true);
    const { dieAt: _, ...rest } = orders;
    life = await live(WORKER, rest);
  }
  expect(life.done, life.errors).toBe("(((wiped)) (wiped))");
  return life.appends;
}

/** No effect came twice, none is missing unless its outcome is unknown, and every history is valid. */
async function check({ store: spec, sessionId, ledger }: Orders): Promise<void> {
  const lines = existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : [];
  for (const effect of EFFECTS) {
    const runs = lines.filter((line) => line === `wipe ${sessionId}${effect}`).length;
    const isUnknown = lines.includes(`unknown ${sessionId}${effect}`);
    expect(runs, lines.join("; ")).toBeLessThanOrEqual(1);
    expect(runs === 1 || isUnknown, lines.join("; ")).toBe(true);
  }
  const store = await openStore(spec);
  for (const part of SESSIONS) {
    const { messages } = await (await openSession(store, `${sessionId}${part}`)).at();
    expect(historyProblem(messages)).toBeUndefined();
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
  }
  await store.close();
}

const files: StoreSpec = { kind: "file", dir: join(folder, "files") };
const sqlite: StoreSpec = { kind: "sqlite", path: join(folder, "sessions.sqlite") };
const postgres: StoreSpec = { kind: "postgres", connectionString: server?.connectionString ?? "" };

describe.each<readonly [string, StoreSpec, boolean]>([
  ["files", files, false],
  ["SQLite", sqlite, false],
  ...(server ? ([["Postgres", postgres, false]] as const) : []),
  ["SQLite, driven by workers", sqlite, true],
  ...(server ? ([["Postgres, driven by workers", postgres, true]] as const) : []),
])("kill -9 on %s", (_, store, hasWorker) => {
  test(
    "at appends of an agent and of those inside of its calls loses nothing and repeats no effect",
    { timeout: 900_000 },
    async () => {
      const whole = ordersFor(store, hasWorker);
      const appends = await finish(whole);
      await check(whole);
      await each(deathsAt(appends, 5), async (dieAt) => {
        const orders = { ...ordersFor(store, hasWorker), dieAt };
        await finish(orders);
        await check(orders);
      });
    },
  );
});
