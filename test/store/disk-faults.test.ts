// Disks that are full, read-only or gone.
import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { AgentError } from "../../src/core/base/error.ts";
import { exportSession, importSession } from "../../src/store/transfer.ts";
import { fileStore } from "../../src/store/file.ts";
import type { SessionStore } from "../../src/store/port.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import {
  collectAll,
  batchOf,
  createSession,
  entryOf,
  acquireLease,
} from "../../src/testing/store-contract-kit.ts";
import { scratch, smallDisk, type Scratch } from "./scratch.ts";

const made: Scratch[] = [];
const opened: SessionStore[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  for (const { remove } of made.splice(0)) remove();
});

function keep<T extends Scratch>(folder: T): T {
  made.push(folder);
  return folder;
}
function opening(store: SessionStore): SessionStore {
  opened.push(store);
  return store;
}

const KINDS = [
  {
    kind: "files",
    kilobytes: 64,
    canBeRead: true,
    make: (dir: string) => opening(fileStore({ dir: join(dir, "sessions") })),
  },
  {
    kind: "SQLite",
    kilobytes: 640,
    canBeRead: false,
    make: (dir: string) => opening(sqliteStore({ path: join(dir, "s.db") })),
  },
] as const;

const canMount = (() => {
  const disk = smallDisk(16);
  disk?.remove();
  return disk !== undefined;
})();
const onSmallDisk = canMount ? test : test.skip;
const why = canMount ? "" : " (skipped: this process may not mount a file system)";

async function failure(attempt: Promise<unknown>): Promise<AgentError> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!AgentError.is(error)) throw new Error(`no AgentError but ${String(error)}`);
  return error;
}

describe.each(KINDS)("$kind", ({ make, kilobytes, canBeRead }) => {
  onSmallDisk(
    `a full disk gives store/failed and changes nothing, and appends succeed once there is room${why}`,
    async () => {
      const { dir } = keep(smallDisk(kilobytes)!);
      writeFileSync(join(dir, "ballast"), Buffer.alloc(kilobytes * 256));
      const store = make(dir);
      const lease = await createSession(store, "s");
      const big = (seq: number) =>
        batchOf(lease, seq - 1, 0, { entries: [entryOf(seq, { text: "x".repeat(7_001) })] });
      let seq = 1;
      let error: AgentError | undefined;
      while (!error && seq < 200) {
        error = await store.append("s", big(seq + 1)).then(
          () => void seq++,
          (thrown: AgentError) => thrown,
        );
      }
      expect(error?.code).toBe("store/failed");
      expect(error?.cause).toBeInstanceOf(Error);
      expect(seq).toBeGreaterThan(2);
      expect((await failure(store.append("s", big(seq + 1)))).code).toBe("store/failed");
      expect((await store.load("s"))?.seq).toBe(seq);
      expect(await collectAll(store.read("s"))).toHaveLength(seq);
      rmSync(join(dir, "ballast"));
      expect(await store.append("s", big(seq + 1))).toBe(seq + 1);
      expect(await collectAll(make(dir).read("s"))).toHaveLength(seq + 1);
    },
  );

  onSmallDisk(`in a read-only folder every write is store/failed${why}`, async () => {
    const disk = keep(smallDisk(2_000)!);
    const before = make(disk.dir);
    const lease = await createSession(before, "s", { phase: "stopped", meta: { a: 1 } });
    await before.close();
    disk.makeReadOnly();
    const store = make(disk.dir);
    expect((await failure(store.append("s", batchOf(lease, 1)))).code).toBe("store/failed");
    expect((await failure(store.acquire("new", { owner: "anna", ttlMs: 1 }))).code).toBe("store/failed");
    expect((await failure(store.putInput("s", { id: "1", data: {} }))).code).toBe("store/failed");
    expect((await failure(store.delete("s"))).code).toBe("store/failed");
    if (!canBeRead) return; // SQLite cannot open a file in WAL mode without writing beside it
    expect((await store.load("s"))?.seq).toBe(1);
    expect(await collectAll(store.read("s"))).toEqual([entryOf(1)]);
    expect((await store.list({ meta: { a: 1 } })).sessions).toHaveLength(1);
  });

  test("a path that cannot be created gives store/failed with the reason as its cause", async () => {
    const { dir } = keep(scratch());
    writeFileSync(join(dir, "file"), "");
    const error = await failure(make(join(dir, "file", "below")).acquire("s", { owner: "anna", ttlMs: 1 }));
    expect([error.code, error.cause instanceof Error]).toEqual(["store/failed", true]);
    expect(JSON.stringify(error)).not.toContain(dir);
  });
});

describe("SQLite", () => {
  test("sqliteStore on a file that is not a database gives session/damaged", async () => {
    const { dir } = keep(scratch());
    writeFileSync(join(dir, "s.db"), "this is not a database, ".repeat(100));
    const store = opening(sqliteStore({ path: join(dir, "s.db") }));
    expect((await failure(store.load("s"))).code).toBe("session/damaged");
  });

  test("SQLite tables of a newer release give session/version", async () => {
    const { dir } = keep(scratch());
    const db = new DatabaseSync(join(dir, "s.db"));
    db.exec("PRAGMA user_version = 99");
    db.close();
    const store = opening(sqliteStore({ path: join(dir, "s.db") }));
    expect((await failure(store.load("s"))).code).toBe("session/version");
  });

  test("a session with an unreadable row is listed as quarantined and exported up to that row; others are not affected", async () => {
    const { dir } = keep(scratch());
    const store = opening(sqliteStore({ path: join(dir, "s.db") }));
    for (const id of ["a", "s", "t"]) await createSession(store, id, { phase: "stopped" });
    const db = new DatabaseSync(join(dir, "s.db"));
    db.exec("UPDATE sessions SET position = '{' WHERE session_id = 's'");
    db.close();
    const { sessions } = await store.list();
    expect(sessions.map(({ phase }) => phase)).toEqual(["stopped", "quarantined", "stopped"]);
    expect((await failure(store.load("s"))).code).toBe("session/damaged");
    expect(await importSession(store, exportSession(store, "s"), { sessionId: "copy" })).toBe("copy");
    expect((await store.load("copy"))?.position).toMatchObject({ phase: "quarantined" });
    expect(await collectAll(store.read("copy"))).toEqual(await collectAll(store.read("s")));
  });

  test("a missing entry in SQLite gives session/damaged", async () => {
    const { dir } = keep(scratch());
    const store = opening(sqliteStore({ path: join(dir, "s.db") }));
    const lease = await acquireLease(store, "s");
    for (let seq = 0; seq < 3; seq++) await store.append("s", batchOf(lease, seq));
    const db = new DatabaseSync(join(dir, "s.db"));
    db.exec("DELETE FROM entries WHERE seq = 2");
    db.close();
    expect((await failure(collectAll(store.read("s")))).code).toBe("session/damaged");
  });
});

describe("files", () => {
  test("a deletion of files that was cut off half-way leaves no listed session", async () => {
    const { dir } = keep(scratch());
    const store = opening(fileStore({ dir }));
    await createSession(store, "s");
    await createSession(store, "t");
    await store.delete("s");
    expect(readdirSync(dir).toSorted()).toEqual(["t", "~floor"]);
    renameSync(join(dir, "t"), join(dir, "~trash-of-a-killed-process"));
    expect(await store.list()).toEqual({ sessions: [] });
  });
});
