// Two processes on one store.
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionStore } from "../../src/store/port.ts";
import { openStore, type StoreSpec } from "../support/open-store.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { askAll, startRival, type Rival } from "./rivals.ts";
import { scratch } from "./scratch.ts";

const ROUNDS = 100;
const server = await startPostgres();
const { dir, remove } = scratch();
afterAll(async () => {
  await server?.stop();
  remove();
});

const specs: readonly StoreSpec[] = [
  { kind: "file", dir: join(dir, "files") },
  { kind: "sqlite", path: join(dir, "sessions.db") },
  ...(server ? [{ kind: "postgres" as const, connectionString: server.connectionString }] : []),
];
if (!server) test.skip(`two processes on Postgres (${NO_POSTGRES})`, () => {});

const sessionId = `rivals ${Date.now()}`;
const pounded = `${sessionId} pounded`;
const LOST = /^session\/(?:conflict|lease-lost)$/u;

describe.each(specs)("two processes on one $kind storage", (spec) => {
  let store: SessionStore;
  let rivals: Rival[];
  beforeAll(async () => {
    store = await openStore(spec);
    rivals = await Promise.all(["anna", "ben"].map((name) => startRival(spec, name)));
  });
  afterAll(async () => {
    for (const { process } of rivals) process.disconnect();
    for (const id of [sessionId, pounded]) await store.delete(id);
    await store.close();
  });

  test(`of two processes exactly one appends to the session, and the other gets an error, ${ROUNDS} times`, async () => {
    const winners: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // In even rounds they share a lease, in odd ones each takes it from the other.
      const lease = round % 2 === 0 && (await store.acquire(sessionId, { owner: "both", ttlMs: 0 }));
      const order = {
        do: "append",
        sessionId,
        expectedSeq: round,
        ...(lease && { fence: lease.fence }),
      } as const;
      const answers = await askAll(rivals, order);
      const won = answers.map((answer) => answer === "advanced");
      expect(won.toSorted(), String(answers)).toEqual([false, true]);
      expect(answers[won.indexOf(false)]).toMatch(LOST);
      winners.push(`${round + 1} ${won[0] ? "anna" : "ben"}`);
    }
    expect(await askAll(rivals, { do: "read", sessionId })).toEqual([winners, winners]);
    expect(await store.load(sessionId)).toMatchObject({ seq: ROUNDS });
  });

  test("of two processes one gets the lease, and one has its input accepted, 20 times", async () => {
    for (let round = 0; round < 20; round++) {
      const fresh = `${sessionId} ${round}`;
      const leases = await askAll(rivals, { do: "acquire", sessionId: fresh });
      expect(leases.toSorted()).toEqual(["leased", "refused"]);
      const puts = await askAll(rivals, { do: "put", sessionId: fresh, id: "1" });
      expect(puts.toSorted()).toEqual(["accepted", "duplicate"]);
      expect(await store.takeInputs(fresh, 9)).toHaveLength(1);
      await store.delete(fresh);
    }
  });

  test("a writer killed at any instant has lost no acknowledged entry", async () => {
    for (let round = 0; round < 3; round++) {
      const rival = await startRival(spec, "anna");
      let told = 0;
      const enough = Promise.withResolvers<void>();
      rival.process.on("message", ({ seq }: { seq: number }) => {
        told = seq;
        if (told % 7 === round) enough.resolve();
      });
      rival.process.send({ do: "pound", sessionId: pounded, at: 0, bytes: 60_000 });
      await enough.promise;
      rival.process.kill("SIGKILL");
      await Promise.all([once(rival.process, "exit"), once(rival.process, "disconnect")]);
      expect((await store.load(pounded))!.seq).toBeGreaterThanOrEqual(told);
      let read = 0;
      for await (const entry of store.read(pounded)) expect(entry.seq).toBe(++read);
      expect(read).toBeGreaterThanOrEqual(told);
    }
  });
});
