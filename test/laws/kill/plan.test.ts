// A process that is killed at each append of a run with a plan and a memory.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSession } from "agentchart/session";
import { outputOf, resultsOf } from "../../support/agents.ts";
import { historyProblem } from "../../support/history.ts";
import { openStore } from "../../support/open-store.ts";
import type { DieAt } from "./dying-store.ts";
import { deathsAt, each, live } from "./live.ts";
import type { PlanOrders, PlanTold } from "./plan-worker.ts";

const WORKER = join(import.meta.dirname, "plan-worker.ts");
const folder = mkdtempSync(join(tmpdir(), "agentchart-kill-plan-"));

let sessions = 0;

/** Runs a session to its end; its first life dies if it is told to. */
async function run(
  when: PlanOrders["when"],
  dieAt?: DieAt,
): Promise<{ readonly told: PlanTold; readonly appends: number }> {
  const name = `session-${++sessions}`;
  const orders: PlanOrders = {
    store: { kind: "sqlite", path: join(folder, `${name}.sqlite`) },
    sessionId: name,
    ledger: "",
    memory: join(folder, `${name}-memory.sqlite`),
    when,
  };
  for (let lives = 0; ; lives++) {
    expect(lives).toBeLessThan(2);
    const { done, appends, wasKilled, errors } = await live(WORKER, {
      ...orders,
      ...(dieAt && lives === 0 && { dieAt }),
    } as PlanOrders);
    if (done === undefined && !wasKilled) throw new Error(`a life ended without an answer: ${errors}`);
    if (done === undefined) continue;
    if (dieAt) expect(lives, JSON.stringify(dieAt)).toBe(1);
    const store = await openStore(orders.store);
    const { messages } = await (await openSession(store, name)).at();
    await store.close();
    expect(historyProblem(messages)).toBeUndefined();
    expect(resultsOf(messages).map(outputOf)).toEqual([
      expect.stringContaining("created successfully"),
      expect.stringContaining("marked as done"),
      expect.stringContaining("marked as done"),
      expect.stringContaining("done"),
    ]);
    return { told: JSON.parse(done) as PlanTold, appends };
  }
}

test.each(["postCall", "later"] as const)(
  "a plan is what its results say, and each turn is remembered once (%s), whatever append the process is killed at",
  async (when) => {
    const { appends } = await run(when);
    expect(appends).toBeGreaterThan(5);
    const behindLastAnswer: DieAt = { append: appends - 1, when: "after" };
    await each([...deathsAt(appends, 6), behindLastAnswer], async (dieAt) => {
      const { told } = await run(when, dieAt);
      const where = JSON.stringify(dieAt);
      expect(told.plan, where).toBeNull();
      expect(told.history, where).toMatchObject([
        {
          state: "done",
          outcome: "home",
          subtasks: [0, 1].map((at) => ({ state: "done", outcome: `outcome ${at}` })),
        },
      ]);
      const turns = told.facts.map((fact) => fact.slice(0, 6));
      expect(turns, where).toEqual(["Turn 1", "Turn 2", "Turn 3"]);
    });
  },
);
