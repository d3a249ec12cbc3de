import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openSession } from "agentchart/session";
import { historyProblem } from "../../support/history.ts";
import { openStore, type StoreSpec } from "../../support/open-store.ts";
import { deathsAt, each, live, type Orders } from "./live.ts";

const WORKER = join(import.meta.dirname, "team-worker.ts");
const folder = mkdtempSync(join(tmpdir(), "agentchart-team-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The sessions of a run, and the keys of its two effects, by the id of the outermost one. */
const SESSIONS = ["", "/a", "/a/c7", "/b"];
const EFFECTS = ["/a/c7/c9", "/b/c9"];

let sessions = 0;
function ordersFor(store: StoreSpec): Orders {
  const sessionId = `s${++sessions}`;
  return { store, sessionId, ledger: join(folder, `${sessionId}.ledger`) };
}

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

describe.each<readonly [string, StoreSpec]>([
  ["files", { kind: "file", dir: join(folder, "files") }],
  ["SQLite", { kind: "sqlite", path: join(folder, "sessions.sqlite") }],
])("kill -9 on %s", (_, store) => {
  test(
    "at appends of an agent and of those inside of its calls loses nothing and repeats no effect",
    { timeout: 900_000 },
    async () => {
      const whole = ordersFor(store);
      const appends = await finish(whole);
      await check(whole);
      await each(deathsAt(appends, 8), async (dieAt) => {
        const orders = { ...ordersFor(store), dieAt };
        await finish(orders);
        await check(orders);
      });
    },
  );
});
