// A process that is killed at each append of a run with breakpoints.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findBreaks, type Breakpoint } from "agentchart/inspect";
import { openStore, type StoreSpec } from "../../support/open-store.ts";
import type { DieAt } from "./dying-store.ts";
import { deathsAt, each, live, type Orders } from "./live.ts";

const WORKER = join(import.meta.dirname, "breakpoints-worker.ts");
const folder = mkdtempSync(join(tmpdir(), "agentchart-kill-breakpoints-"));

const STOPS = ["c1.0", "c2.0", "c3.0"];
let sessions = 0;

const CONDITIONS: readonly Breakpoint[] = [{ tool: "refund", same: 2 }, { state: "reasoning.backingOff" }];

/** Runs a session to its end, and returns what was done in which order, and the calls and requests that the breakpoints find in it. */
async function run(kind: "sqlite" | "file", dieAt?: DieAt, conditions?: readonly Breakpoint[]) {
  const name = `session-${++sessions}`;
  const store = (
    kind === "sqlite" ? { kind, path: join(folder, `${name}.sqlite`) } : { kind, dir: join(folder, name) }
  ) as StoreSpec;
  const orders = {
    store,
    sessionId: name,
    ledger: join(folder, `${name}.ledger`),
    ...(conditions && { conditions }),
  } satisfies Orders & { readonly conditions?: readonly Breakpoint[] };
  for (let lives = 0; lives < 3; lives++) {
    const { done, appends, wasKilled, errors } = await live(WORKER, {
      ...orders,
      ...(dieAt && lives === 0 && { dieAt }),
    });
    if (done === undefined && !wasKilled) throw new Error(`a life ended without an answer: ${errors}`);
    if (done === undefined) continue;
    const opened = await openStore(store);
    const found = await findBreaks(opened, name, conditions ?? CONDITIONS);
    await opened.close();
    const ledger = readFileSync(orders.ledger, "utf8").trim().split("\n");
    return { ledger, appends, found: found.map(({ callId = "request" }) => callId) };
  }
  throw new Error("the session did not end");
}

test.each(["sqlite", "file"] as const)(
  "no call runs that a breakpoint stops, whatever append the process is killed at, and all others do (%s)",
  async (kind) => {
    const { ledger: undisturbed, appends } = await run(kind);
    const stopped = undisturbed.filter((line) => line.startsWith("approved")).map((line) => line.slice(9));
    expect(stopped).toEqual(STOPS);
    await each(deathsAt(appends, 6), async (dieAt) => {
      const { ledger, found } = await run(kind, dieAt);
      const where = `${JSON.stringify(dieAt)}: ${ledger.join()}`;
      const isSooner = ledger.includes("held 3");
      for (const id of isSooner ? STOPS.slice(0, -1) : STOPS) {
        expect(ledger.indexOf(`approved ${id}`), where).toBeGreaterThanOrEqual(0);
        expect(ledger.indexOf(`ran ${id}`), where).toBeGreaterThan(ledger.indexOf(`approved ${id}`));
      }
      for (const id of ["c0.0", "c0.1", "c1.1"]) {
        expect(ledger, where).toContain(`ran ${id}`);
        expect(ledger, where).not.toContain(`approved ${id}`);
      }
      expect(
        [
          ["c2.0", "c3.0"],
          ["c2.0", "request"],
        ],
        where,
      ).toContainEqual(found);
    });
  },
);

/** A breakpoint of each kind, and where the session stops for it: at calls, and before the requests of rounds. */
const KINDS: readonly (readonly [Breakpoint, readonly string[]])[] = [
  [{ state: "reasoning.checkingLimits" }, ["held 0", "held 1", "held 2", "held 3", "held 4"]],
  [{ edge: { from: "acting", to: "reasoning" } }, ["held 1", "held 2", "held 3", "held 4"]],
  [{ guard: { name: "retryable", is: true } }, ["approved c3.0"]],
  [{ hook: { name: "stamps" } }, ["held 1", "held 2", "held 3"]],
  [{ tokens: 350 }, ["approved c3.0", "held 4"]],
  [{ cost: 3.5 }, ["approved c3.0", "held 4"]],
  [{ tool: "refund", where: [{ path: "cents", is: ">", value: 5_000 }] }, ["approved c1.0"]],
  [{ tool: "refund", same: 2 }, ["approved c2.0"]],
];

/** A request that failed and was cut off goes round the loop again, where the session can rest before its call. */
const SOONER: { readonly [stop: string]: string } = { "approved c3.0": "held 3" };

test.each(KINDS)(
  "%j stops where it would, whatever append the process is killed at, and nothing goes on before somebody says so",
  async (condition, stops) => {
    const stopsIn = (ledger: readonly string[]): readonly string[] => [
      ...new Set(ledger.filter((line) => /^(held|approved)/u.test(line))),
    ];
    const { ledger: undisturbed, appends } = await run("sqlite", undefined, [condition]);
    expect(stopsIn(undisturbed)).toEqual(stops);
    await each(deathsAt(appends, 4), async (dieAt) => {
      const { ledger, found } = await run("sqlite", dieAt, [condition]);
      const where = `${JSON.stringify(dieAt)}: ${ledger.join()}`;
      const stopped = stopsIn(ledger);
      const sooner = stops.map((stop) => ("guard" in condition && SOONER[stop]) || stop);
      expect([stops, sooner], where).toContainEqual(stopped);
      for (const stop of stopped) {
        const next = stop.replace("held", "asked").replace("approved", "ran");
        expect(ledger.lastIndexOf(next), where).toBeGreaterThan(ledger.indexOf(stop));
        const isFirst = stop !== "held 3" || stops.includes(stop); // else it is the request that failed
        if (isFirst) expect(ledger.indexOf(next), where).toBeGreaterThan(ledger.indexOf(stop));
      }
      const calls = stopped.flatMap((stop) => (stop.startsWith("approved") ? stop.slice(9) : []));
      expect(
        found.filter((id) => id !== "request"),
        where,
      ).toEqual(calls);
      // a life may be cut off behind its note, and a request that was cut off is held again
      const held = ledger.filter((line) => line.startsWith("held"));
      const requests = found.length - calls.length;
      expect(requests, where).toBeGreaterThanOrEqual(new Set(held).size);
      expect(requests, where).toBeLessThanOrEqual(held.length);
    });
  },
);
