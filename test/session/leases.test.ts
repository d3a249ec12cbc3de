// The leases of all agents of a process.
import { expect, test } from "vitest";
import type { SessionStore } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { memoryStore } from "agentchart/store/memory";
import { Journal, type LeaseEvent } from "../../src/session/journal.ts";
import { READER_SETTINGS } from "../../src/session/reader-settings.ts";
import type { Lease } from "../../src/store/port.ts";
import { leaseLost } from "../../src/store/shared.ts";
import { scripted } from "../support/agents.ts";

/** A store that tells how often leases were renewed. */
function counting(store: SessionStore): {
  readonly store: SessionStore;
  readonly renewals: (readonly string[])[];
} {
  const renewals: (readonly string[])[] = [];
  const counted: Pick<SessionStore, "renew" | "renewAll"> = {
    renew: (lease, ttlMs) => (renewals.push([lease.sessionId]), store.renew(lease, ttlMs)),
    renewAll: (leases, ttlMs) => (
      renewals.push(leases.map(({ sessionId }) => sessionId)),
      store.renewAll!(leases, ttlMs)
    ),
  };
  const get = (target: SessionStore, key: string): unknown =>
    (counted as never)[key] ?? (Reflect.get(target, key, target) as unknown);
  return { renewals, store: new Proxy(store, { get: get as never }) };
}

test("the leases of all idle agents of a process are renewed in one operation, and those lost end their agents", async () => {
  const { store, renewals } = counting(sqliteStore({ path: ":memory:" }));
  const agents = Array.from(
    { length: 5 },
    (_, index) =>
      scripted([{ text: "Hi" }], { store, sessionId: `s${index}`, sessionOptions: { leaseMs: 90 } }).agent,
  );
  for (const agent of agents) await agent.call("Hello");
  renewals.length = 0;
  await expect.poll(() => renewals.length).toBeGreaterThan(1);
  expect(renewals.find((ids) => ids.length === 5)?.toSorted()).toEqual(["s0", "s1", "s2", "s3", "s4"]);
  await store.delete("s3");
  await expect
    .poll(() => agents[3]!.call("Again").catch((error: unknown) => error))
    .toMatchObject({
      code: "session/lease-lost",
    });
  expect((await agents[4]!.call("Again").catch((error: unknown) => error)) as object).not.toMatchObject({
    code: "session/lease-lost",
  });
  for (const agent of agents) await agent.close();
  const after = renewals.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(renewals.length).toBe(after);
  await store.close();
});

test("a renewal that ends after its lease was given back changes nothing of the next one", async () => {
  const events: LeaseEvent[] = [];
  const journal = new Journal({
    store: memoryStore(),
    session: {
      settings: { ...READER_SETTINGS, sessionId: "s" },
      now: Date.now,
      journalState: () => {
        throw new Error("nothing is written");
      },
      committed: () => {},
      leaseChanged: (event) => void events.push(event),
    },
  });
  for (const end of ["resolve", "reject"] as const) {
    await journal.open();
    const former = journal.lease!;
    const renewal = Promise.withResolvers<Lease>();
    const renewed = journal.renewedBy(renewal.promise);
    journal.discard();
    await journal.open();
    const next = journal.lease;
    if (end === "resolve") renewal.resolve(former);
    else renewal.reject(leaseLost("s", former.fence));
    await renewed;
    expect([journal.lease, events]).toEqual([next, []]);
    expect(next!.fence).toBeGreaterThan(former.fence);
    journal.discard();
  }
});
