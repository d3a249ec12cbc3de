// The search of sessions, on each store.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createAgent, redactSecrets, type SessionStore } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { withDeadlines } from "../../src/store/deadlines.ts";
import { toolOf } from "../support/agents.ts";
import { scratch, smallDisk } from "./scratch.ts";

/** A session that has looked at something and answered. */
async function talk(store: SessionStore, sessionId: string, text: string, more = {}): Promise<void> {
  const agent = createAgent({
    name: "clerk",
    store,
    sessionId,
    model: scriptedModel([
      { calls: [{ name: "look_up", input: { at: "shelf", token: "tok-9" } }] },
      "It is there.",
    ]),
    tools: [toolOf("look_up", () => "seen in the cellar")],
    ...more,
  });
  await agent.call(text);
  await agent.close();
}
const idsOf = async (store: SessionStore, text: string): Promise<readonly string[]> =>
  (await store.search!({ text })).sessions.map(({ sessionId }) => sessionId);

function folder(): string {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  return dir;
}

test("a progress that throws fails no search, and none that shares the work", async () => {
  const store = memoryStore();
  await talk(store, "s-1", "Is it on the shelf?");
  const onProgress = (): never => {
    throw new Error("The terminal is gone.");
  };
  const found = await Promise.all([store.search!({ onProgress }), store.search!()]);
  expect(found.map(({ total }) => total)).toEqual([1, 1]);
});

describe("an agent's session is found", () => {
  test("by what was said, asked and returned, and with its summary", async () => {
    const store = memoryStore();
    await talk(store, "s-1", "Is it on the shelf?", { meta: { title: "Stocktaking" } });
    for (const text of ["cellar", "look_up", "there shelf", "stocktaking", "clerk"])
      expect(await idsOf(store, text), text).toEqual(["s-1"]);
    expect((await store.search!({ tool: "look_up", reasons: ["MODEL_STOP"] })).sessions).toMatchObject([
      { agent: "clerk", title: "Is it on the shelf?", tools: ["look_up"], usage: { estimated: true } },
    ]);
    expect((await withDeadlines(store).search!({ text: "cellar" })).total).toBe(1);
  });

  test("not by values of keys that are named like secrets, nor by what `redact` has removed", async () => {
    const store = memoryStore();
    await talk(store, "plain", "Hello");
    await talk(store, "redacted", "My card is 4711", {
      sessionOptions: {
        redact: (value: never) =>
          JSON.parse(JSON.stringify(redactSecrets(value)).replaceAll("4711", "····")) as never,
      },
    });
    expect(await idsOf(store, "tok-9")).toEqual([]);
    expect(await idsOf(store, "4711")).toEqual([]);
    expect(await idsOf(store, "my card is")).toEqual(["redacted"]);
  });
});

describe("the index of files", () => {
  const indexOf = (dir: string): string => join(dir, "~search.sqlite");

  test("is made by the first search, for this user only, and goes with the text of a deleted session", async () => {
    const dir = folder();
    const store = fileStore({ dir });
    onTestFinished(() => store.close());
    await talk(store, "s", "Find the zebra");
    expect(existsSync(indexOf(dir))).toBe(false);
    expect(await idsOf(store, "zebra")).toEqual(["s"]);
    expect(statSync(indexOf(dir)).mode & 0o777).toBe(0o600);
    const other = fileStore({ dir }); // which has not searched
    await other.delete("s");
    await other.close();
    const db = new DatabaseSync(indexOf(dir));
    for (const table of ["search_sessions", "search_texts", "search_labels"])
      expect(db.prepare(`SELECT * FROM ${table}`).all(), table).toEqual([]);
    expect(db.prepare("SELECT rowid FROM search_words WHERE search_words MATCH 'zebra'").all()).toEqual([]);
    db.close();
  });

  test("is not made where there are no sessions", async () => {
    const dir = join(folder(), "none");
    const store = fileStore({ dir });
    onTestFinished(() => store.close());
    expect(await store.search!({})).toEqual({ sessions: [], total: 0 });
    expect(existsSync(dir)).toBe(false);
  });

  const damages: readonly (readonly [string, (path: string) => void])[] = [
    ["is not a database", (path) => writeFileSync(path, "nonsense ".repeat(1_000))],
    ["was cut off", (path) => truncateSync(path, 5_000)],
    [
      "has overwritten pages",
      (path) => {
        const bytes = readFileSync(path);
        bytes.fill(7, 4_096);
        writeFileSync(path, bytes);
      },
    ],
    [
      "is of a later release",
      (path) => {
        const db = new DatabaseSync(path);
        db.exec("PRAGMA user_version = 99");
        db.close();
      },
    ],
  ];
  test.each(damages)("is made anew if it %s", async (_, damage) => {
    const dir = folder();
    const before = fileStore({ dir });
    await talk(before, "s", "Find the zebra");
    expect(await idsOf(before, "zebra")).toEqual(["s"]);
    await before.close();
    damage(indexOf(dir));
    const store = fileStore({ dir });
    onTestFinished(() => store.close());
    expect(await idsOf(store, "zebra")).toEqual(["s"]);
    await talk(store, "t", "Another zebra");
    expect([...(await idsOf(store, "zebra"))].toSorted()).toEqual(["s", "t"]);
  });

  test("is kept in memory on a disk that is read-only", async ({ skip }) => {
    const disk = smallDisk(2_000);
    if (!disk) return skip("no right to mount a disk");
    onTestFinished(() => disk.remove());
    const before = fileStore({ dir: disk.dir });
    await talk(before, "s", "Find the zebra");
    await before.close();
    disk.makeReadOnly();
    const store = fileStore({ dir: disk.dir });
    expect(await idsOf(store, "zebra")).toEqual(["s"]);
    await store.close();
    expect(existsSync(indexOf(disk.dir))).toBe(false);
  });

  test("has a damaged session up to its damage", async () => {
    const dir = folder();
    const store = fileStore({ dir });
    onTestFinished(() => store.close());
    await talk(store, "s", "Find the zebra");
    await talk(store, "t", "Find the gnu");
    const journal = join(dir, "s", "journal.ndjson");
    writeFileSync(journal, readFileSync(journal, "utf8").replace("cellar", "CELLAR"));
    expect(await idsOf(store, "find")).toContain("t");
    expect((await store.search!({ phases: ["quarantined"] })).sessions.length).toBeLessThanOrEqual(1);
  });
});

describe("the index of a SQLite database", () => {
  test("is made of the sessions of a database that had none, and counts them", async () => {
    const path = join(folder(), "s.db");
    const store = sqliteStore({ path });
    for (const id of ["a", "b", "c"]) await talk(store, id, `Find the zebra ${id}`);
    await store.close();
    const db = new DatabaseSync(path);
    db.exec(`DROP TABLE search_words; DROP TABLE search_texts; DROP TABLE search_labels; DROP TABLE search_sessions;
      DROP INDEX sessions_unsearched; ALTER TABLE sessions DROP COLUMN searched; PRAGMA user_version = 3`);
    db.close();
    const later = sqliteStore({ path });
    onTestFinished(() => later.close());
    const seen: number[] = [];
    const { total } = await later.search!({ text: "zebra", onProgress: (done, of) => seen.push(done / of) });
    expect(total).toBe(3);
    expect(seen).toEqual([1 / 3, 2 / 3, 1]);
  });

  test("is made anew if it is damaged, and the sessions stay", async () => {
    const path = join(folder(), "s.db");
    const store = sqliteStore({ path });
    onTestFinished(() => store.close());
    await talk(store, "s", "Find the zebra");
    expect(await idsOf(store, "zebra")).toEqual(["s"]);
    const db = new DatabaseSync(path, { defensive: false });
    db.exec("DELETE FROM search_words_data WHERE id > 10"); // all but its root
    db.close();
    expect(await idsOf(store, "zebra")).toEqual(["s"]);
    expect((await store.load("s"))!.seq).toBeGreaterThan(0);
  });

  test("two processes that index the same sessions at once add them once", async () => {
    const path = join(folder(), "s.db");
    const stores = [sqliteStore({ path }), sqliteStore({ path })];
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
    for (let n = 0; n < 5; n++) await talk(stores[0]!, `s${n}`, `Find ${randomUUID()}`);
    const pages = await Promise.all(stores.flatMap((store) => [store.search!({}), store.search!({})]));
    expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5]);
    const db = new DatabaseSync(path);
    expect(db.prepare("SELECT count(*) AS n FROM search_texts").get()).toEqual({ n: 5 });
    db.close();
  });
});
