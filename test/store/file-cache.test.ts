// Journal files that stay open during a turn.
import fs, { appendFileSync, constants, readFileSync, renameSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { FileAccess } from "../../src/store/file-access.ts";
import { FileCache } from "../../src/store/file-cache.ts";
import { fileStore } from "../../src/store/file.ts";
import type { FileStoreOptions } from "../../src/store/store-options.ts";
import { acquireLease, batchOf, collectAll, entryOf } from "../../src/testing/store-contract-kit.ts";
import { scratch } from "./scratch.ts";

const AT_REST = { position: { phase: "stopped" } };
const LOST = { code: "session/lease-lost" };

/** The journals that are open, by the sessions' folders, and how often one was opened. */
const open = new Map<number, string>();
let openings = 0;
const openSessions = () => [...open.values()].toSorted();

beforeEach(() => {
  openings = 0;
  open.clear();
  const { open: opening, close } = fs;
  vi.spyOn(fs, "open").mockImplementation(((path: string, flags: number, mode: number, done: OpenDone) =>
    opening(path, flags, mode, (error, fd) => {
      const [, session] = /([^/]+)\/journal\.ndjson$/u.exec(path) ?? [];
      if (!error && session !== undefined) {
        openings++;
        open.set(fd, session);
      }
      done(error, fd);
    })) as unknown as typeof fs.open);
  vi.spyOn(fs, "close").mockImplementation(((fd: number, done: () => void) => {
    open.delete(fd);
    close(fd, done);
  }) as unknown as typeof fs.close);
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(openSessions()).toEqual([]);
});
type StatDone = (error: NodeJS.ErrnoException | null, stats: Stats) => void;
type OpenDone = (error: NodeJS.ErrnoException | null, fd: number) => void;

function storage() {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  return { dir, opened: (options: FileStoreOptions = {}) => fileStore({ dir, ...options }) };
}

/** A store in which session `s` runs: its journal is left open. */
async function running() {
  const { dir, opened } = storage();
  const store = opened();
  const lease = await acquireLease(store, "s");
  for (const seq of [0, 1]) await store.append("s", batchOf(lease, seq));
  expect(openSessions()).toEqual(["s"]);
  return { dir, opened, store, lease };
}

describe("the journal of a session that runs", () => {
  test("is opened once for all appends of a turn, and closed when the session comes to rest", async () => {
    const { store, lease } = await running();
    const before = openings;
    for (let seq = 2; seq < 20; seq++) await store.append("s", batchOf(lease, seq));
    expect(openings).toBe(before);
    await store.append("s", batchOf(lease, 20, 1, AT_REST));
    expect(openSessions()).toEqual([]);
    expect((await store.load("s"))?.seq).toBe(21);
  });

  test("is closed when the lease is released, the session is deleted, or the store is closed", async () => {
    const { store, lease } = await running();
    await store.release(lease);
    expect(openSessions()).toEqual([]);

    const again = await acquireLease(store, "s");
    await store.append("s", batchOf(again, 2));
    expect(openSessions()).toEqual(["s"]);
    await store.delete("s");
    expect(openSessions()).toEqual([]);

    const other = await acquireLease(store, "t");
    await store.append("t", batchOf(other, 0));
    await store.append("t", batchOf(other, 1));
    expect(openSessions()).toEqual(["t"]);
    await store.close();
  });

  test("is not cached with fsync: always, where each append is synced", async () => {
    const store = storage().opened({ fsync: "always" });
    const lease = await acquireLease(store, "s");
    for (const seq of [0, 1]) await store.append("s", batchOf(lease, seq));
    expect(openSessions()).toEqual([]);
  });

  test("is closed for another one when 64 are open, that of the longest pause first", async () => {
    const store = storage().opened();
    const ids = Array.from({ length: 66 }, (_, index) => `s${100 + index}`);
    for (const id of ids) {
      const lease = await acquireLease(store, id);
      await store.append(id, batchOf(lease, 0));
      if (id === "s163") await store.append("s100", batchOf({ fence: 1 }, 1));
    }
    expect(openSessions()).toEqual(ids.filter((id) => id !== "s101" && id !== "s102"));
    expect(await store.append("s101", batchOf({ fence: 1 }, 1))).toBe(2);
    await store.close();
  });
});

test("a journal that is put back when the store has closed all of them is closed", async () => {
  const files = new FileCache();
  const access = new FileAccess();
  await files.closeAll(access);
  const { dir } = storage();
  const file = await access.open(join(dir, "journal.ndjson"), constants.O_CREAT | constants.O_RDWR);
  const { ino } = await file.stat();
  await files.put({ file, ino });
  expect(files.take(access, join(dir, "journal.ndjson"))).toBeUndefined();
  await expect(file.stat()).rejects.toMatchObject({ code: "EBADF" });
});

test("a journal is written where the file system says of a file that it was made when it was last written", async () => {
  const stated = <S extends Stats | undefined>(stats: S): S =>
    stats && Object.assign(stats, { birthtimeMs: stats.ctimeMs + stats.size });
  const { statSync: stat, fstat } = fs;
  vi.spyOn(fs, "statSync").mockImplementation(((path: string, options: object) =>
    stated(stat(path, options) as Stats)) as unknown as typeof fs.statSync);
  vi.spyOn(fs, "fstat").mockImplementation(((fd: number, done: StatDone) =>
    fstat(fd, (error, stats) => done(error, stated(stats)))) as unknown as typeof fs.fstat);
  const { store, lease } = await running();
  for (const seq of [2, 3]) await store.append("s", batchOf(lease, seq));
  await store.append("s", batchOf(lease, 4, 1, AT_REST));
  expect(await collectAll(store.read("s"))).toEqual([1, 2, 3, 4, 5].map((seq) => entryOf(seq)));
});

describe("an append to a journal that was left open", () => {
  test("is refused once another process has deleted the session, and a new session of that id has nothing of it", async () => {
    const { opened, store, lease } = await running();
    const other = opened();
    await other.delete("s");
    await expect(store.append("s", batchOf(lease, 2))).rejects.toMatchObject(LOST);
    expect(openSessions()).toEqual([]);
    expect(await other.load("s")).toBeUndefined();
  });

  test("is refused if another process has made the session anew", async () => {
    const { opened, store, lease } = await running();
    const other = opened();
    await other.delete("s");
    const anew = await acquireLease(other, "s", "ben");
    await other.append("s", batchOf(anew, 0, 1, AT_REST));
    await expect(store.append("s", batchOf(lease, 2))).rejects.toMatchObject(LOST);
    expect(await collectAll(opened().read("s"))).toEqual([entryOf(1)]);
  });

  test("is written to the session that was made anew, also if its journal is as long as the former one", async () => {
    const { dir, opened, store, lease } = await running();
    for (let seq = 2; seq < 6; seq++) await store.append("s", batchOf(lease, seq));
    const path = join(dir, "s", "journal.ndjson");
    const length = statSync(path).size;
    const other = opened();
    /** Makes the session anew, and returns how much longer the journal must be. */
    const made = async (padding: number): Promise<number> => {
      await other.delete("s");
      const anew = await acquireLease(other, "s", "ben");
      const entries = [entryOf(1, { text: "x".repeat(padding) })];
      await other.append("s", { ...batchOf(anew, 0), entries });
      await other.release(anew);
      return length - statSync(path).size;
    };
    let padding = 0;
    for (let lacks = await made(0); lacks !== 0; lacks = await made(padding)) padding += lacks;
    await store.load("s");
    await acquireLease(store, "s", "ann");
    expect(await opened().holder!("s")).toMatchObject({ owner: "ann" });
  });

  test("is refused if a process was killed while it deleted the session", async () => {
    const { dir, store, lease } = await running();
    renameSync(join(dir, "s"), join(dir, "~trash-of-a-killed-process"));
    await expect(store.append("s", batchOf(lease, 2))).rejects.toMatchObject(LOST);
    expect(await store.load("s")).toBeUndefined();
  });

  test("is refused once another process has taken the lease, and changes nothing", async () => {
    const { opened, store, lease } = await running();
    const other = opened({ now: () => Date.now() + 60_000 });
    const taken = await acquireLease(other, "s", "ben");
    await expect(store.append("s", batchOf(lease, 2))).rejects.toMatchObject(LOST);
    expect(await other.append("s", batchOf(taken, 2, 1, AT_REST))).toBe(3);
    expect(await collectAll(opened().read("s"))).toEqual([1, 2, 3].map((seq) => entryOf(seq)));
    expect(await store.holder!("s")).toMatchObject({ owner: "ben" });
  });

  test("comes after a line that another process has begun and not finished", async () => {
    const { dir, opened, store, lease } = await running();
    appendFileSync(join(dir, "s", "journal.ndjson"), '{"off":12,"kind":"app');
    expect(await store.append("s", batchOf(lease, 2))).toBe(3);
    expect(await store.append("s", batchOf(lease, 3, 1, AT_REST))).toBe(4);
    expect(await collectAll(opened().read("s"))).toEqual([1, 2, 3, 4].map((seq) => entryOf(seq)));
  });

  test("that comes too early or too late is refused, and the next one succeeds", async () => {
    const { dir, store, lease } = await running();
    const journal = () => readFileSync(join(dir, "s", "journal.ndjson"), "utf8");
    const before = journal();
    for (const seq of [1, 3])
      await expect(store.append("s", batchOf(lease, seq))).rejects.toMatchObject({
        code: "session/conflict",
      });
    expect(journal()).toBe(before);
    expect(await store.append("s", batchOf(lease, 2, 1, AT_REST))).toBe(3);
  });
});
