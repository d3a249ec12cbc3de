// A process that is killed at each append of a run with breakpoints.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findBreaks } from "agentchart/inspect";
import { openStore, type StoreSpec } from "../../support/open-store.ts";
import type { DieAt } from "./dying-store.ts";
import { deathsAt, each, live, type Orders } from "./live.ts";

const WORKER = join(import.meta.dirname, "breakpoints-worker.ts");
const folder = mkdtempSync(join(tmpdir(), "agentchart-kill-breakpoints-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const STOPS = ["c1.0", "c2.0", "c3.0"];
let sessions = 0;

/** Runs a session to its end, and returns what was done in which order, and the calls that the breakpoints find in it. */
async function run(kind: "sqlite" | "file", dieAt?: DieAt) {
  const name = `session-${++sessions}`;
  const store = (
    kind === "sqlite" ? { kind, path: join(folder, `${name}.sqlite`) } : { kind, dir: join(folder, name) }
  ) as StoreSpec;
  const orders: Orders = { store, sessionId: name, ledger: join(folder, `${name}.ledger`) };
  for (let lives = 0; lives < 3; lives++) {
    const { done, appends, wasKilled, errors } = await live(WORKER, {
      ...orders,
      ...(dieAt && lives === 0 && { dieAt }),
    });
    if (done === undefined && !wasKilled) throw new Error(`a life ended without an answer: ${errors}`);
    if (done === undefined) continue;
    const opened = await openStore(store);
    const found = await findBreaks(opened, name, [
      { tool: "refund", same: 2 },
      { state: "reasoning.backingOff" },
    ]);
    await opened.close();
    const ledger = readFileSync(orders.ledger, "utf8").trim().split("\n");
    return { ledger, appends, found: found.map(({ callId }) => callId) };
  }
  throw new Error("the session did not end");
}

test.each(["sqlite", "file"] as const)(
  "no call runs that a breakpoint stops, whatever append the process is killed at, and all others do (%s)",
  { timeout: 600_000 },
  async (kind) => {
    const { ledger: undisturbed, appends } = await run(kind);
    const stopped = undisturbed.filter((line) => line.startsWith("approved")).map((line) => line.slice(9));
    expect(stopped).toEqual(STOPS);
    await each(deathsAt(appends, 6), async (dieAt) => {
      const { ledger, found } = await run(kind, dieAt);
      const where = `${JSON.stringify(dieAt)}: ${ledger.join()}`;
      for (const id of STOPS) {
        expect(ledger.indexOf(`approved ${id}`), where).toBeGreaterThanOrEqual(0);
        expect(ledger.indexOf(`ran ${id}`), where).toBeGreaterThan(ledger.indexOf(`approved ${id}`));
      }
      for (const id of ["c0.0", "c0.1", "c1.1"]) {
        expect(ledger, where).toContain(`ran ${id}`);
        expect(ledger, where).not.toContain(`approved ${id}`);
      }
      expect(found, where).toEqual(["c2.0", "c3.0"]);
    });
  },
);
