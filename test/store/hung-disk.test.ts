// Files that do not answer.
import { mkdirSync, readdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { stuckFileCalls } from "../../src/store/file-access.ts";
import type { SessionStore } from "../../src/store/port.ts";
import { acquireLease, batchOf, collectAll, createSession } from "../../src/testing/store-contract-kit.ts";
import { hang, type HungFile } from "./fifo.ts";
import { scratch, type Scratch } from "./scratch.ts";

const places: Scratch[] = [];
const hung: HungFile[] = [];
afterEach(async () => {
  // A place that becomes free may be taken by a call that waited for it.
  const stuck = (): number => {
    for (const file of hung) file.answer();
    return stuckFileCalls();
  };
  await expect.poll(stuck).toBe(0);
  hung.length = 0;
  for (const { remove } of places.splice(0)) remove();
});

function place(): string {
  const made = scratch();
  places.push(made);
  return made.dir;
}
function hangAt(...path: string[]): HungFile {
  const file = hang(join(...path));
  hung.push(file);
  return file;
}
const NOTE = "journal.ndjson.end";
const INPUTS = "inbox.ndjson.end";

/** Sessions with a journal and an inbox whose notes hang, in a store that has read nothing of them yet. */
async function hungStore(timeoutMs: number, ids: readonly string[] = ["s"], files = [NOTE, INPUTS]) {
  const dir = place();
  const healthy = fileStore({ dir });
  const leases = [];
  for (const id of ids) {
    leases.push(await createSession(healthy, id, { phase: "running" }));
    await healthy.putInput(id, { id: "1", data: {} });
  }
  const notes = ids.flatMap((id) => files.map((file) => hangAt(dir, id, file)));
  const answer = (): void => notes.forEach((note) => note.answer());
  return { dir, store: fileStore({ dir, timeoutMs }), lease: leases[0]!, answer };
}

describe("a file system that does not answer", () => {
  type Hung = Awaited<ReturnType<typeof hungStore>>;
  const OPERATIONS: readonly [string, (hung: Hung) => Promise<unknown>][] = [
    ["acquire a lease", ({ store }) => acquireLease(store, "s")],
    ["renew a lease", ({ store, lease }) => store.renew(lease, 1_000)],
    ["release a lease", ({ store, lease }) => store.release(lease)],
    ["read a lease", ({ store }) => store.holder!("s")],
    ["append", ({ store, lease }) => store.append("s", batchOf(lease, 1))],
    ["read", ({ store }) => collectAll(store.read("s"))],
    ["load", ({ store }) => store.load("s")],
    ["put an input", ({ store }) => store.putInput("s", { id: "2", data: {} })],
    ["take inputs", ({ store }) => store.takeInputs("s", 9)],
    ["list", ({ store }) => store.list()],
    ["list", ({ store }) => store.listDue({ before: 1 })],
    ["delete", ({ store }) => store.delete("s")],
    ["list", ({ store }) => store.prune({ olderThan: 0 })],
    [
      "watch",
      async ({ store }) => {
        const watched = store.watch!("s", { signal: new AbortController().signal });
        return watched[Symbol.asyncIterator]().next();
      },
    ],
  ];

  test.each(OPERATIONS)(
    'ends the operation "%s" with a time-out that can be retried',
    async (name, operate) => {
      const found = await hungStore(30);
      await expect(operate(found)).rejects.toMatchObject({
        code: "store/failed",
        message: `The store did not answer within 30 ms: could not ${name}.`,
        isRetryable: true,
        data: { operation: name, timeoutMs: 30 },
      });
      await found.store.close();
    },
  );

  test("stops nothing else, and the operation goes on once there is an answer", async () => {
    const { store, answer } = await hungStore(600_000);
    let isAnswered = false;
    const loading = store.load("s").finally(() => (isAnswered = true));
    const other = fileStore({ dir: place() });
    await createSession(other, "t");
    expect((await other.load("t"))?.seq).toBe(1);
    await createSession(store, "u"); // another session of the same store
    expect(isAnswered).toBe(false);
    await expect.poll(() => (answer(), isAnswered)).toBe(true);
    expect((await loading)?.seq).toBe(1);
  });

  test("takes two threads for one store and three for all, and leaves one to everything else", async () => {
    const ids = ["a", "b", "c", "d"];
    const [first, second] = [await hungStore(600_000, ids), await hungStore(600_000, ids)];
    const loads = [first, second].flatMap(({ store }) => ids.map((id) => store.load(id)));
    expect((await stat(first.dir)).isDirectory()).toBe(true);
    const third = place();
    const load = () => fileStore({ dir: third, timeoutMs: 30 }).load("t");
    await expect.poll(() => load().catch((error: unknown) => error)).toMatchObject({ isRetryable: true });
    let answers = 0;
    for (const load of loads) void load.then(() => answers++);
    const answered = (): number => {
      first.answer();
      second.answer();
      return answers;
    };
    await expect.poll(answered).toBe(8);
    expect(await fileStore({ dir: third }).load("t")).toBeUndefined();
  });

  test("an operation that was given up while it waited for its turn changes nothing later", async () => {
    const { dir, store, answer } = await hungStore(30, ["a", "b"]);
    const stuck = async (): Promise<number> => {
      await Promise.allSettled([store.load("a"), store.load("b")]);
      await sleep(100); // what was only slow has ended
      return stuckFileCalls();
    };
    await expect.poll(stuck).toBe(2);
    await expect(acquireLease(store, "new")).rejects.toMatchObject({ code: "store/failed" });
    await expect.poll(() => (answer(), stuckFileCalls())).toBe(0);
    await fileStore({ dir: place() }).load("t"); // whatever waited for its turn has had it
    expect(readdirSync(dir).toSorted()).toEqual(["a", "b"]);
  });

  test("one session after another: appends of one session stay in the order of their calls", async () => {
    const store = fileStore({ dir: place() });
    const lease = await acquireLease(store, "s");
    const seqs = await Promise.all(
      Array.from({ length: 20 }, (_, seq) => store.append("s", batchOf(lease, seq))),
    );
    expect(seqs).toEqual(Array.from({ length: 20 }, (_, seq) => seq + 1));
  });
});

test("an agent whose file system does not answer ends its call and its shutdown, and the next one goes on", async () => {
  const dir = place();
  mkdirSync(join(dir, "s"));
  const note = hangAt(dir, "s", NOTE);
  const agentOn = (store: SessionStore) =>
    createAgent({ name: "a", model: scriptedModel(["Hello."]), store, sessionId: "s" });
  const agent = agentOn(fileStore({ dir, timeoutMs: 30 }));
  await expect(agent.call("Hi")).rejects.toMatchObject({ code: "store/failed", isRetryable: true });
  await agent.shutdown({ deadlineMs: 10 });
  await expect.poll(() => (note.answer(), stuckFileCalls())).toBe(0);
});
