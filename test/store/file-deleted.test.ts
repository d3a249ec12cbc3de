// Deletions that are cut off, in folders of sessions.
import fs, { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { fileStore } from "../../src/store/file.ts";
import { acquireLease, batchOf } from "../../src/testing/store-contract-kit.ts";
import { scratch } from "./scratch.ts";

const SOON = { before: Number.MAX_SAFE_INTEGER };

/** A store with a clock that can be moved, and a session with three inputs of which the second is acknowledged. */
async function withInputs(sessionId: string) {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  let at = 1_000_000;
  const opened = () => fileStore({ dir, now: () => at });
  const store = opened();
  for (const id of ["1", "2", "3"]) await store.putInput(sessionId, { id, data: { id } });
  const lease = await acquireLease(store, sessionId);
  await store.append(sessionId, batchOf(lease, 0, 1, { position: { phase: "stopped" }, ackInputs: ["2"] }));
  await store.release(lease);
  return { dir, store, opened, later: (ms: number) => void (at += ms) };
}

const left = (dir: string): string[] => readdirSync(dir).filter((name) => name.startsWith("~inputs-"));

/** Deletes the session, and is killed as soon as its folder is moved away. */
async function deleteAndDie({ store }: Awaited<ReturnType<typeof withInputs>>, sessionId: string) {
  const { rename } = fs;
  const die = () => new Error("The process was killed.");
  const killed = vi
    .spyOn(fs, "rename")
    .mockImplementationOnce((from, to, done) => rename(from, to, () => done(die())));
  await expect(store.delete(sessionId, { keepsInputs: true })).rejects.toMatchObject({
    code: "store/failed",
  });
  killed.mockRestore();
}

test.each([["s"], ["a long id ".repeat(20)]])(
  "the inputs of a session are put back whose deletion was killed (%s)",
  async (sessionId) => {
    const killed = await withInputs(sessionId);
    await deleteAndDie(killed, sessionId);
    const { dir, opened, later } = killed;
    expect(left(dir)).toHaveLength(1);
    const other = opened();
    expect(await other.takeInputs(sessionId, 9)).toEqual([]);
    later(other.timeoutMs! + 1);
    expect(await other.listDue(SOON)).toEqual({ sessionIds: [sessionId] });
    const inputs = await other.takeInputs(sessionId, 9);
    expect(inputs.map(({ id }) => id)).toEqual(["1", "3"]);
    expect(await other.load(sessionId)).toBeUndefined();
    expect(left(dir)).toEqual([]);
  },
);

test("inputs that were put back before the process was killed are not doubled", async () => {
  const killed = await withInputs("s");
  await deleteAndDie(killed, "s");
  const { store, opened, later, dir } = killed;
  await store.putInput("s", { id: "1", data: { id: "1" } });
  later(store.timeoutMs! + 1);
  await Promise.all([opened().listDue(SOON), opened().listDue(SOON)]);
  expect((await store.takeInputs("s", 9)).map(({ id }) => id)).toEqual(["1", "3"]);
  expect(left(dir)).toEqual([]);
});

test("a deletion that may still run is left alone", async () => {
  const running = await withInputs("s");
  await deleteAndDie(running, "s");
  const { store, later, dir } = running;
  later(store.timeoutMs! - 1);
  expect(await store.listDue(SOON)).toEqual({ sessionIds: [] });
  expect(left(dir)).toHaveLength(1);
});

test("of a folder whose inbox was put back, what is left is removed, and a damaged one stays and hinders nothing", async () => {
  const { dir, store, later } = await withInputs("s");
  later(store.timeoutMs! * 2);
  mkdirSync(join(dir, "~inputs-1-a"));
  writeFileSync(join(dir, "~inputs-1-a", "lease.json"), "{}");
  await store.putInput("d", { id: "1", data: {} });
  renameSync(join(dir, "d"), join(dir, "~inputs-1-d"));
  const inbox = join(dir, "~inputs-1-d", "inbox.ndjson");
  writeFileSync(inbox, readFileSync(inbox, "utf8").replace('"put"', '"pat"'));
  expect(await store.listDue(SOON)).toEqual({ sessionIds: ["s"] });
  expect(left(dir)).toEqual(["~inputs-1-d"]);
});
