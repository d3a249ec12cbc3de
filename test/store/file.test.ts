// The contract of stores, on files.
import fs, { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { fileStore } from "../../src/store/file.ts";
import { storeContract } from "../../src/testing/store-contract.ts";
import { scratch } from "./scratch.ts";

storeContract(
  "files",
  () => {
    const { dir, remove } = scratch();
    return {
      open: (options) => fileStore({ ...options, dir: join(dir, "new folder"), watchEveryMs: 5 }),
      dispose: remove,
    };
  },
  { describe, test },
);

test("a new lease removes what a renewal of a former holder has left that was killed in it, and nothing of its own", async () => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  const store = fileStore({ dir });
  const acquire = (owner: string) => store.acquire("s", { owner, ttlMs: 60_000 });
  const former = (await acquire("a"))!;
  await store.renew(former, 60_000);
  const folder = join(dir, "s");
  const drafts = () => readdirSync(folder).filter((name) => name.startsWith("lease.json."));
  expect(drafts()).toEqual([]);
  writeFileSync(join(folder, `lease.json.${former.fence}`), "{");
  writeFileSync(join(folder, "lease.json.e6a9e2c0-0000-4000-8000-000000000000"), "{"); // of an earlier release
  writeFileSync(join(folder, `lease.json.${former.fence + 1}`), "{");
  await acquire("a");
  expect(drafts()).toEqual([`lease.json.${former.fence + 1}`]);
  expect(readdirSync(folder)).toContain("lease.json");
});

test.each([[{ keepsInputs: true }], [{}]])(
  "an input that is put while its session is deleted (%j) is accepted once and stays",
  async (options) => {
    const { dir, remove } = scratch();
    onTestFinished(remove);
    const store = fileStore({ dir });
    await store.acquire("s", { owner: "a", ttlMs: 60_000 });
    const isWritten = Promise.withResolvers<() => void>();
    const { fsync } = fs;
    vi.spyOn(fs, "fsync").mockImplementationOnce((fd, done) => isWritten.resolve(() => fsync(fd, done)));
    onTestFinished(() => void vi.restoreAllMocks());
    const putting = store.putInput("s", { id: "1", data: { n: 1 } });
    const sync = await isWritten.promise;
    await store.delete("s", options);
    sync();
    expect(await putting).toBe("accepted");
    expect(await store.takeInputs("s", 9)).toEqual([{ id: "1", data: { n: 1 } }]);
    expect(await store.putInput("s", { id: "1", data: {} })).toBe("duplicate");
  },
);

test("an input is accepted whose session is deleted, and begins again, while its place is noted", async () => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  const store = fileStore({ dir });
  const isNoted = Promise.withResolvers<() => void>();
  const { writeFile } = fs;
  vi.spyOn(fs, "writeFile").mockImplementationOnce((...args: unknown[]) =>
    isNoted.resolve(() => Reflect.apply(writeFile, fs, args)),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  const putting = store.putInput("s", { id: "1", data: { n: 1 } });
  const note = await isNoted.promise;
  await store.delete("s");
  await store.acquire("s", { owner: "a", ttlMs: 60_000 });
  note();
  expect(await putting).toBe("accepted");
  expect(await store.takeInputs("s", 9)).toEqual([{ id: "1", data: { n: 1 } }]);
});

test("renewals of one lease at the same time all succeed", async () => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  const store = fileStore({ dir });
  const lease = (await store.acquire("s", { owner: "a", ttlMs: 60_000 }))!;
  const renewed = await Promise.all(Array.from({ length: 20 }, () => store.renew(lease, 60_000)));
  expect(renewed.map(({ fence }) => fence)).toEqual(renewed.map(() => lease.fence));
  expect(readdirSync(join(dir, "s")).filter((name) => name.startsWith("lease.json"))).toEqual(["lease.json"]);
});

test("inputs that are taken behind one that waits make later appends no longer", async () => {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  const store = fileStore({ dir });
  const { fence } = (await store.acquire("s", { owner: "a", ttlMs: 60_000 }))!;
  await store.putInput("s", { id: "later", data: {}, dueAt: 1e15 });
  const append = async (n: number) => {
    const id = `${n}`.padStart(36, "-");
    await store.putInput("s", { id, data: {} });
    const entries = [{ seq: n, at: n, type: "fact", data: {} }];
    await store.append("s", {
      expectedSeq: n - 1,
      fence,
      entries,
      position: { phase: "running" },
      ackInputs: [id],
    });
  };
  for (let n = 1; n <= 30; n++) await append(n);
  const size = (): number => statSync(join(dir, "s", "journal.ndjson")).size;
  const before = size();
  for (let n = 31; n <= 60; n++) await append(n);
  expect((size() - before) / 30).toBeLessThan(400);
  expect((await store.takeInputs("s", 9)).map(({ id }) => id)).toEqual(["later"]);
});
