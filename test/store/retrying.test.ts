// Appends and inputs whose outcome is unknown.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AgentError, type SessionStore } from "agentchart";
import { memoryStore } from "../../src/store/memory.ts";
import { retryingStore } from "../../src/store/retrying.ts";
import { storeContract } from "../../src/testing/store-contract.ts";

storeContract(
  "a patient store",
  () => {
    let shared: SessionStore | undefined;
    return {
      open: (options) => (shared ??= retryingStore(memoryStore(options), { timeoutMs: 1_000 })),
    };
  },
  { describe, test, outlivesClose: false },
);

const passing = () => new AgentError("store/failed", "The connection was lost.", { isRetryable: true });

/** A store whose appends, or other calls, fail as told: before anything is written, or after, when only the answer gets lost. */
function failing(
  store: SessionStore,
  failures: ("before" | "after")[],
  which: keyof SessionStore = "append",
): SessionStore {
  return new Proxy(store, {
    get(target, key) {
      const member = Reflect.get(target, key, target) as (...args: unknown[]) => Promise<unknown>;
      if (key !== which) return member;
      return async (...args: unknown[]) => {
        const when = failures.shift();
        if (when === "before") throw passing();
        const seq = await Reflect.apply(member, target, args);
        if (when === "after") throw passing();
        return seq;
      };
    },
  });
}

const entry = (seq: number) => ({ seq, at: 0, type: "fact", data: { n: seq } });

async function seqs(store: SessionStore): Promise<number[]> {
  const found: number[] = [];
  for await (const { seq } of store.read("s")) found.push(seq);
  return found;
}

describe("an append whose outcome is unknown", () => {
  test.each([
    ["was written, and has ended the lease", "none", true],
    ["was written, and has ended the lease that another process has by now", "lease", true],
    ["was written, and others have written more since", "entries", true],
    ["was not written, and another process has written as much", "other", false],
  ] as const)("an append that is to end the lease and %s", async (_, meanwhile, isWritten) => {
    const clock = { now: 0 };
    const inner = memoryStore({ now: () => clock.now });
    const rival = async (expectedSeq: number, at: number): Promise<void> => {
      const { fence } = (await inner.acquire("s", { owner: "rival", ttlMs: 1_000 }))!;
      if (meanwhile === "lease") return;
      const entries = [entry(expectedSeq + 1), entry(expectedSeq + 2)].map((each) => ({ ...each, at }));
      await inner.append("s", { expectedSeq, fence, entries, position: { phase: "running" } });
    };
    const once = failing(inner, [isWritten ? "after" : "before"]);
    const store = retryingStore(
      new Proxy(once, {
        get(target, key) {
          const member = Reflect.get(target, key, target) as (...args: unknown[]) => Promise<unknown>;
          if (key !== "append") return member;
          return async (...args: unknown[]) => {
            const appended = Reflect.apply(member, target, args);
            await appended.catch(async () => {
              if (once === target && meanwhile !== "none" && clock.now === 0) {
                clock.now = 10_000; // the lease is over
                await rival(isWritten ? 2 : 0, 1);
              }
            });
            return appended;
          };
        },
      }),
      { timeoutMs: 5_000 },
    );
    const { fence } = (await store.acquire("s", { owner: "a", ttlMs: 1_000 }))!;
    const entries = [entry(1), entry(2)];
    const told: boolean[] = [];
    const onRelease = (isReleased: boolean): void => void told.push(isReleased);
    const batch = { expectedSeq: 0, fence, entries, position: { phase: "stopped" }, onRelease };
    if (!isWritten) {
      await expect(store.append("s", batch)).rejects.toMatchObject({ code: "session/lease-lost" });
      expect(told).toEqual([]);
      return;
    }
    expect(await store.append("s", batch)).toBe(2);
    expect(told.at(-1)).toBe(true);
    expect(await seqs(inner)).toEqual(meanwhile === "entries" ? [1, 2, 3, 4] : [1, 2]);
  });

  test.each([
    ["was not written", ["before", "before"]],
    ["was written", ["after"]],
    ["was written at the second try, and the third is unknown too", ["before", "after", "after"]],
  ] as const)("an append with unknown outcome that %s is stored once", async (_, failures) => {
    const heard: AgentError[] = [];
    const inner = memoryStore();
    const store = retryingStore(failing(inner, [...failures]), {
      timeoutMs: 5_000,
      onRetry: (error) => heard.push(error),
    });
    const { fence } = (await store.acquire("s", { owner: "a", ttlMs: 1_000 }))!;
    const entries = [entry(1), entry(2)];
    expect(await store.append("s", { expectedSeq: 0, fence, entries, position: { phase: "stopped" } })).toBe(
      2,
    );
    expect(await seqs(inner)).toEqual([1, 2]);
    expect(heard.length).toBeGreaterThan(0);
    expect(await store.append("s", { expectedSeq: 2, fence, entries: [entry(3)], position: {} })).toBe(3);
  });

  test("an append with unknown outcome gives session/lease-lost if another process took the session", async () => {
    let now = 1_000;
    const inner = memoryStore({ now: () => now });
    const store = retryingStore(failing(inner, ["before"]), { timeoutMs: 60_000 });
    const { fence } = (await store.acquire("s", { owner: "a", ttlMs: 1_000 }))!;
    const writing = store.append("s", { expectedSeq: 0, fence, entries: [entry(1)], position: {} });
    now += 1_000;
    expect(await inner.acquire("s", { owner: "b", ttlMs: 1_000 })).toBeDefined();
    await expect(writing).rejects.toMatchObject({ code: "session/lease-lost" });
    expect(await seqs(inner)).toEqual([]);
  });

  test("an append with unknown outcome fails when the retry time ends; other failures are not retried", async () => {
    const inner = memoryStore();
    const store = retryingStore(
      failing(
        inner,
        Array.from({ length: 50 }, () => "before" as const),
      ),
      { timeoutMs: 60 },
    );
    const { fence } = (await store.acquire("s", { owner: "a", ttlMs: 1_000 }))!;
    const batch = { expectedSeq: 0, fence, entries: [entry(1)], position: {} };
    await expect(store.append("s", batch)).rejects.toMatchObject({
      code: "session/lease-lost",
      cause: { code: "store/failed" },
    });
    const patient = retryingStore(inner, { timeoutMs: 60_000 });
    await expect(patient.append("s", { ...batch, fence: 99 })).rejects.toMatchObject({
      code: "session/lease-lost",
    });
    await patient.close();
    await expect(patient.load("s")).rejects.toMatchObject({ code: "store/failed" });
  });
});

describe("an input whose outcome is unknown", () => {
  const input = { id: "key", data: { text: "hello", at: 1 } };
  const outcomes = async (
    failures: ("before" | "after")[],
    prepare?: (inner: SessionStore) => Promise<unknown>,
  ) => {
    const stored = memoryStore();
    const offerInput = async () => ({ state: await stored.putInput("s", input), isWoken: false });
    const inner: SessionStore = { ...stored, offerInput };
    await prepare?.(inner);
    const put = retryingStore(failing(inner, [...failures], "putInput"), { timeoutMs: 5_000 });
    const state = await put.putInput("s", input);
    if (!prepare) await inner.delete("s");
    const offer = retryingStore(failing(inner, [...failures], "offerInput"), { timeoutMs: 5_000 });
    return [state, (await offer.offerInput!("s", input, { isKnown: false }))!.state];
  };

  test("it is accepted if a former attempt has stored it, or the last one has", async () => {
    for (const failures of [["before"], ["after"], ["before", "after"]] as const)
      expect(await outcomes([...failures])).toEqual(["accepted", "accepted"]);
  });

  test("it is a duplicate if what is there is another one, or was taken", async () => {
    const other = (inner: SessionStore) => inner.putInput("s", { id: "key", data: { text: "hello", at: 2 } });
    const taken = async (inner: SessionStore) => {
      await inner.putInput("s", input);
      const { fence } = (await inner.acquire("s", { owner: "a", ttlMs: 1_000 }))!;
      await inner.append("s", { expectedSeq: 0, fence, entries: [], position: {}, ackInputs: ["key"] });
    };
    for (const prepare of [other, taken])
      for (const failures of [["before"], ["after"]] as const)
        expect(await outcomes([...failures], prepare)).toEqual(["duplicate", "duplicate"]);
  });
});

test("a deletion whose answer was lost has deleted", async () => {
  const inner = memoryStore();
  const store = retryingStore(failing(inner, ["after"], "delete"), { timeoutMs: 5_000 });
  await inner.putInput("s", { id: "1", data: {} });
  expect(await store.delete("s")).toBe(true);
  expect(await store.delete("s")).toBe(false);
});

describe("a read that is interrupted", () => {
  const COUNT = 7;
  /** Reads a session whose connection is lost behind each third entry; `meanwhile` is done before it is there again. */
  const readings = async (meanwhile: (inner: SessionStore, lost: number) => Promise<unknown>) => {
    const inner = memoryStore();
    const write = async (at: number): Promise<void> => {
      const { fence } = (await inner.acquire("s", { owner: "a", ttlMs: 1_000 }))!;
      const entries = Array.from({ length: COUNT }, (_, n) => ({ ...entry(n + 1), at }));
      await inner.append("s", { expectedSeq: 0, fence, entries, position: {} });
    };
    await write(0);
    let lost = 0;
    const store = retryingStore(
      {
        ...inner,
        async *read(...args) {
          let read = 0;
          for await (const each of inner.read(...args)) {
            if (++read > 3) {
              await meanwhile({ ...inner, putInput: async () => (await write(1), "accepted") }, ++lost);
              throw passing();
            }
            yield each;
          }
        },
      },
      { timeoutMs: 5_000 },
    );
    return { store, lost: () => lost };
  };

  test("goes on where it was", async () => {
    const { store, lost } = await readings(async () => {});
    expect(await seqs(store)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(lost()).toBe(2);
    const some: number[] = [];
    for await (const { seq } of store.read("s", { after: 1, limit: 5 })) some.push(seq);
    expect(some).toEqual([2, 3, 4, 5, 6]);
  });

  test("says so if the session was deleted meanwhile, also if it was begun again", async () => {
    const { store: gone } = await readings((inner) => inner.delete("s"));
    await expect(seqs(gone)).rejects.toMatchObject({ code: "session/not-found" });
    const { store: another } = await readings(async (inner) => {
      await inner.delete("s");
      await inner.putInput("s", { id: "1", data: {} });
    });
    await expect(seqs(another)).rejects.toMatchObject({ code: "session/not-found" });
  });
});

test("the time for which an operation is repeated passes while the clock of the machine stands", async () => {
  const inner = memoryStore({ now: () => 0 });
  const failures = Array.from({ length: 3 }, () => "before" as const);
  const store = retryingStore(failing(inner, failures), { timeoutMs: 200 });
  const { fence } = (await store.acquire("s", { owner: "a", ttlMs: 1_000 }))!;
  const clock = vi.spyOn(Date, "now").mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const batch = { expectedSeq: 0, fence, entries: [entry(1)], position: {} };
  await expect(store.append("s", batch)).rejects.toMatchObject({ code: "session/lease-lost" });
});
