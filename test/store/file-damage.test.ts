// Damage of the files of a session.
import {
  constants,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  appendFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { AgentError } from "../../src/core/base/error.ts";
import { commit, tailOf, type LineDraft, type JournalHead } from "../../src/store/file-journal.ts";
import { FileAccess } from "../../src/store/file-access.ts";
import { fileStore } from "../../src/store/file.ts";
import type { SessionStore } from "../../src/store/port.ts";
import { collectAll, batchOf, acquireLease } from "../../src/testing/store-contract-kit.ts";
import { scratch, type Scratch } from "./scratch.ts";

const made: Scratch[] = [];
afterEach(() => made.splice(0).forEach(({ remove }) => remove()));

/** A session `s` of four entries with a checkpoint, two inputs and one of them acknowledged. */
async function storedSession() {
  const folder = scratch();
  made.push(folder);
  const open = () => fileStore({ dir: folder.dir, fsync: "never" });
  const store = open();
  const lease = await acquireLease(store, "s");
  for (const id of ["1", "2"]) await store.putInput("s", { id, data: {} });
  await store.append("s", batchOf(lease, 0, 2, { checkpoint: { c: 1 }, ackInputs: ["1"] }));
  await store.append("s", batchOf(lease, 2));
  await store.append("s", batchOf(lease, 3));
  const journal = join(folder.dir, "s", "journal.ndjson");
  const inbox = join(folder.dir, "s", "inbox.ndjson");
  return { dir: folder.dir, open, store, lease, journal, inbox };
}

const view = async (store: SessionStore) => ({
  loaded: await store.load("s"),
  entries: await collectAll(store.read("s")),
  inputs: await store.takeInputs("s", 9),
});

const codeOf = (error: unknown) => (AgentError.is(error) ? error.code : String(error));

describe("a torn last line", () => {
  test("a torn last line counts as never written, wherever it was cut, and the next append succeeds", async () => {
    const { open, lease, journal } = await storedSession();
    const whole = readFileSync(journal);
    const lastLine = whole.lastIndexOf("\n", -2) + 1;
    // With all but its newline there, the line may count; nobody was told that it is written.
    for (let size = lastLine; size < whole.length - 1; size += 3) {
      writeFileSync(journal, whole.subarray(0, size));
      expect((await open().load("s"))?.seq).toBe(3);
      expect(await open().append("s", batchOf(lease, 3, 2))).toBe(5);
      const stored = await view(open());
      expect([stored.loaded?.seq, stored.entries.length]).toEqual([5, 5]);
    }
  });

  test("a torn last line is ended by the next append, also when that is torn too", async () => {
    const { open, lease, journal } = await storedSession();
    for (let round = 0; round < 3; round++) {
      truncateSync(journal, statSync(journal).size - 20);
      await open().append("s", batchOf(lease, 3));
    }
    appendFileSync(journal, '{"off":#to');
    await open().append("s", batchOf(lease, 4));
    expect((await view(open())).entries).toHaveLength(5);
  });

  test("a torn last line of the inbox is not an input, and an input with the same id is accepted", async () => {
    const { open, inbox } = await storedSession();
    truncateSync(inbox, statSync(inbox).size - 10);
    expect((await view(open())).inputs).toEqual([]);
    expect(await open().putInput("s", { id: "2", data: { again: true } })).toBe("accepted");
    expect((await view(open())).inputs).toEqual([{ id: "2", data: { again: true } }]);
  });
});

describe("a flipped byte", () => {
  test("a flipped byte anywhere gives session/damaged or changes nothing, and never loses an entry silently", async () => {
    const { open, journal, inbox } = await storedSession();
    const before = await view(open());
    for (const path of [journal, inbox]) {
      const whole = readFileSync(path);
      for (const [index, byte] of whole.entries()) {
        const flipped = Buffer.from(whole);
        flipped[index] = byte ^ (1 << (index % 8));
        writeFileSync(path, flipped);
        const found = await view(open()).catch(codeOf);
        if (typeof found === "string") expect(found).toBe("session/damaged");
        else expect(found, `byte ${index}`).toEqual(before);
      }
      writeFileSync(path, whole);
    }
  });

  test("a flipped byte in the last line refuses every append; the session is listed as quarantined and can be deleted", async () => {
    const { open, lease, journal } = await storedSession();
    const bytes = readFileSync(journal);
    bytes[bytes.length - 30]! ^= 1;
    writeFileSync(journal, bytes);
    const store = open();
    const attempts = [
      store.append("s", batchOf(lease, 4)),
      store.acquire("s", { owner: "anna", ttlMs: 1 }),
      store.renew(lease, 1),
      store.load("s"),
    ];
    await Promise.all(
      attempts.map((attempt) => expect(attempt).rejects.toMatchObject({ code: "session/damaged" })),
    );
    expect((await store.list()).sessions).toMatchObject([{ sessionId: "s", phase: "quarantined" }]);
    expect(await store.delete("s")).toBe(true);
    expect((await acquireLease(store, "s")).fence).toBeGreaterThan(lease.fence);
  });

  test("a flipped byte in the middle is found by a read that reaches it, and the entries before it are read", async () => {
    const { open, journal } = await storedSession();
    const text = readFileSync(journal, "utf8");
    writeFileSync(journal, text.replace('"data":{"n":3}', '"data":{"n":9}'));
    const store = open();
    expect(await store.load("s")).toMatchObject({ seq: 4, checkpoint: { c: 1 } });
    const seqs: number[] = [];
    const reading = (async () => {
      for await (const { seq } of store.read("s")) seqs.push(seq);
    })();
    await expect(reading).rejects.toMatchObject({ code: "session/damaged" });
    expect(seqs).toEqual([1, 2]);
  });

  test("a flipped byte in a journal that an editor changed elsewhere gives session/damaged, not a shorter session", async () => {
    const { open, journal } = await storedSession();
    const text = readFileSync(journal, "utf8");
    const [first, second, ...rest] = text.split("\n");
    for (const changed of [
      ` ${text}`,
      [first, ...rest].join("\n"),
      [first, second, second, ...rest].join("\n"),
    ]) {
      writeFileSync(journal, changed);
      await expect(view(open())).rejects.toMatchObject({ code: "session/damaged" });
    }
  });
});

describe("a missing end", () => {
  /** A session of three entries, the first two synced. */
  async function synced() {
    const folder = scratch();
    made.push(folder);
    const open = () => fileStore({ dir: folder.dir });
    const store = open();
    const lease = await acquireLease(store, "s");
    await store.putInput("s", { id: "1", data: {} });
    await store.append("s", batchOf(lease, 0));
    await store.append("s", batchOf(lease, 1, 1, { position: { phase: "stopped" } }));
    await store.append("s", batchOf(lease, 2));
    return { open, folder: join(folder.dir, "s"), dir: folder.dir };
  }
  const linesOf = (path: string) => readFileSync(path, "utf8").split(/(?<=\n)/u);

  test("Z1 lines that are missing after the last sync count as never written, others are session/damaged", async () => {
    const { open, folder } = await synced();
    const journal = join(folder, "journal.ndjson");
    const lines = linesOf(journal);
    writeFileSync(journal, lines.slice(0, -1).join(""));
    expect((await open().load("s"))?.seq).toBe(2);
    for (let count = lines.length - 2; count >= 0; count--) {
      writeFileSync(journal, lines.slice(0, count).join(""));
      const store = open();
      const attempts = [
        store.load("s"),
        collectAll(store.read("s")),
        store.acquire("s", { owner: "ben", ttlMs: 1 }),
      ];
      await Promise.all(
        attempts.map((attempt) => expect(attempt).rejects.toMatchObject({ code: "session/damaged" })),
      );
    }
    rmSync(journal);
    await expect(open().load("s")).rejects.toMatchObject({ code: "session/damaged" });
  });

  test("Z1 a synced line that lost its end, and what followed it, is not a line that a writer did not finish", async () => {
    const { open, folder } = await synced();
    const journal = join(folder, "journal.ndjson");
    const lines = linesOf(journal);
    const kept = lines.slice(0, -2).join("");
    const length = readFileSync(journal).length;
    // as long as it was, without a newline behind the damage
    writeFileSync(journal, (kept + lines.at(-2)!.slice(0, -20)).padEnd(length, "x"));
    await expect(open().load("s")).rejects.toMatchObject({ code: "session/damaged" });
    const { sessions } = await open().list();
    expect(sessions).toMatchObject([{ sessionId: "s", phase: "quarantined" }]);
    const taking = open().acquire("s", { owner: "ben", ttlMs: 1 });
    await expect(taking).rejects.toMatchObject({ code: "session/damaged" });
  });

  test("Z1 a missing input is session/damaged", async () => {
    const { open, folder } = await synced();
    writeFileSync(join(folder, "inbox.ndjson"), "");
    await expect(open().takeInputs("s", 9)).rejects.toMatchObject({ code: "session/damaged" });
    await expect(open().putInput("s", { id: "2", data: {} })).rejects.toMatchObject({
      code: "session/damaged",
    });
  });

  test("Z2 a note of a deleted session says nothing about the next session of its id", async () => {
    const { open, folder } = await synced();
    const note = readFileSync(join(folder, "journal.ndjson.end"));
    await open().delete("s");
    await acquireLease(open(), "s");
    writeFileSync(join(folder, "journal.ndjson.end"), note);
    expect(await open().load("s")).toBeUndefined();
    await acquireLease(open(), "s");
  });

  test("Z3 a note that a power loss left empty says nothing", async () => {
    const { open, folder } = await synced();
    writeFileSync(join(folder, "journal.ndjson.end"), "");
    expect((await open().load("s"))?.seq).toBe(3);
  });
});

describe("a writer whose lease was taken between its read and its write", () => {
  const APPEND = constants.O_RDWR | constants.O_APPEND;
  const access = new FileAccess();
  const draftOf = (head: JournalHead | undefined): LineDraft => ({
    fields: { kind: "append", time: 0, from: 4, entries: [], position: {} },
    headAt: () => ({ ...head!, seq: 99 }),
  });

  test("a writer that lost its lease between read and write has written a line that is ignored", async () => {
    const { open, lease, journal } = await storedSession();
    const tail = await access.withFile(journal, APPEND, (file) => tailOf(file, "s"));
    await open().append("s", batchOf(lease, 4));
    expect(
      await access.withFile(journal, APPEND, (file) => commit(file, tail, draftOf(tail.head))),
    ).toBeUndefined();
    expect((await view(open())).entries).toHaveLength(5);
    expect(await open().append("s", batchOf(lease, 5))).toBe(6);
    expect((await view(open())).loaded?.seq).toBe(6);
  });

  test("a writer that lost its lease does no harm if it took an unfinished write for a torn one", async () => {
    const { open, lease, journal } = await storedSession();
    const before = readFileSync(journal);
    await open().append("s", batchOf(lease, 4));
    const after = readFileSync(journal);
    const half = before.length + 40;
    writeFileSync(journal, after.subarray(0, half));
    const tail = await access.withFile(journal, APPEND, (file) => tailOf(file, "s"));
    appendFileSync(journal, after.subarray(half));
    expect(
      await access.withFile(journal, APPEND, (file) => commit(file, tail, draftOf(tail.head))),
    ).toBeUndefined();
    expect((await view(open())).entries).toHaveLength(5);
    expect(await open().append("s", batchOf(lease, 5))).toBe(6);
    expect((await view(open())).entries).toHaveLength(6);
  });

  test("a writer that lost its lease does no harm if its line follows a torn one", async () => {
    const { open, lease, journal } = await storedSession();
    const line = readFileSync(journal, "utf8").split("\n").at(-2)!;
    appendFileSync(journal, `${line.slice(0, 50)}${line}\n`);
    expect((await view(open())).entries).toHaveLength(4);
    expect(await open().append("s", batchOf(lease, 4))).toBe(5);
    expect((await view(open())).entries).toHaveLength(5);
  });
});

test("a session's folder holds a journal, an inbox and a lease, one JSON object a line", async () => {
  const { dir, store, lease } = await storedSession();
  await store.renew(lease, 1_000);
  expect(readdirSync(join(dir, "s")).toSorted()).toEqual(["inbox.ndjson", "journal.ndjson", "lease.json"]);
  for (const name of readdirSync(join(dir, "s"))) {
    const lines = readFileSync(join(dir, "s", name), "utf8")
      .trimEnd()
      .split("\n");
    for (const line of lines) expect(JSON.parse(line)).toBeTypeOf("object");
    expect(statSync(join(dir, "s", name)).mode & 0o077).toBe(0);
  }
});
