// A process that is killed at each append of a call that asks twice.
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StoreSpec } from "../../support/open-store.ts";
import { deathsAt, each, live, type Orders } from "./live.ts";

const WORKER = join(import.meta.dirname, "asking-worker.ts");
const folder = mkdtempSync(join(tmpdir(), "agentchart-asking-"));

let sessions = 0;
function ordersFor(store: StoreSpec): Orders {
  const sessionId = `s${++sessions}`;
  return { store, sessionId, ledger: join(folder, `${sessionId}.ledger`) };
}

const linesOf = ({ ledger }: Orders): readonly string[] =>
  existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : [];

/** Lives until the call has its result, whatever dies on the way, and returns the lines of the ledger. */
async function finish(
  orders: Orders,
): Promise<{ readonly appends: number; readonly lines: readonly string[] }> {
  let life = await live(WORKER, orders);
  if (life.done === undefined) {
    expect(life.wasKilled, life.errors).toBe(true);
    const { dieAt: _, ...rest } = orders;
    life = await live(WORKER, rest);
  }
  expect(life.done, life.errors).toBe(
    JSON.stringify(
      Object.fromEntries(
        ["city", "nights", "card"].map((id) => [id, JSON.stringify({ respond: `call_1/${id}` })]),
      ),
    ),
  );
  return { appends: life.appends, lines: linesOf(orders) };
}

/** Every round ran, none ran again once the next had begun, and a round ran twice only after its outcome was unknown. */
function checkRounds(lines: readonly string[]): void {
  const rounds = lines.filter((line) => line !== "unknown").map((line) => Number(line.slice("run ".length)));
  expect(rounds).toEqual(rounds.toSorted());
  expect([...new Set(rounds)]).toEqual([0, 1, 2]);
  for (const [index, line] of lines.entries())
    if (line === lines[index - 1]) expect.fail(`${line} was repeated although its outcome was not unknown`);
}

describe.each<readonly [string, StoreSpec]>([
  ["files", { kind: "file", dir: join(folder, "files") }],
  ["SQLite", { kind: "sqlite", path: join(folder, "sessions.sqlite") }],
])("kill -9 on %s", (_, store) => {
  test(
    "at appends of a call that asks twice loses no answer and repeats no round",
    { timeout: 900_000 },
    async () => {
      const whole = await finish(ordersFor(store));
      expect(whole.lines).toEqual(["run 0", "run 1", "run 2"]);
      await each(deathsAt(whole.appends, 5), async (dieAt) =>
        checkRounds((await finish({ ...ordersFor(store), dieAt })).lines),
      );
    },
  );
});
