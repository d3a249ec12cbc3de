// Operations of a store over several ones, during each of which the session is moved to another one.
import { expect, test } from "vitest";
import type { SessionInfo, SessionStore } from "../../src/store/port.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { movePartitions, partitionedStore, type MoveProgress } from "../../src/store/partitioned.ts";
import { pagesOf } from "../../src/store/pages.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { Ledger, partitionsOf, stayingAndMoving } from "./ledger.ts";

const QUICK = { settleMs: 0, pollMs: 0 };
const [id = "", other = "", newId = ""] = stayingAndMoving(0, 3);

/** Wraps stores so that `meanwhile` is done before their operation number `at`. */
function interrupted(at: number, meanwhile: () => Promise<unknown>) {
  let count = 0;
  const next = async (): Promise<void> => {
    if (++count === at) await meanwhile();
  };
  const wrap = (store: SessionStore): SessionStore =>
    new Proxy(store, {
      get: (target, name: keyof SessionStore) => {
        const method: unknown = target[name];
        if (typeof method !== "function") return method;
        if (name === "read")
          return async function* (...args: Parameters<SessionStore["read"]>) {
            await next();
            for await (const entry of target.read(...args)) {
              yield entry;
              await next();
            }
          };
        return async (...args: unknown[]): Promise<unknown> => {
          await next();
          return (method as (...given: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  return { wrap, isOver: () => count < at };
}

const entriesOf = async (store: SessionStore): Promise<number[]> => {
  const seqs: number[] = [];
  for await (const { seq } of store.read(id)) seqs.push(seq);
  return seqs;
};

const idsOf = (sessions: readonly SessionInfo[]) =>
  sessions.map(({ sessionId, seq, phase }) => `${sessionId} ${seq} ${phase}`);

const asked: { readonly [name: string]: (store: SessionStore) => Promise<unknown> } = {
  load: async (store) => (await store.load(id))?.seq,
  peek: async (store) => (await store.peek?.(id, 9))?.inputs.length ?? 1,
  takeInputs: async (store) => (await store.takeInputs(id, 9)).length,
  read: entriesOf,
  list: async (store) => idsOf((await store.list()).sessions),
  pages: async (store) => {
    const pages = [];
    for await (const { sessions } of pagesOf((from) => store.list({ limit: 1, ...from })))
      pages.push(idsOf(sessions));
    return pages;
  },
  search: async (store) => idsOf((await store.search!()).sessions),
  listDue: async (store) => (await store.listDue({ before: Number.MAX_SAFE_INTEGER })).sessionIds,
  prune: async (store) => store.prune({ olderThan: 0, dryRun: true }),
  put: async (store) => [
    await store.putInput(id, { id: "late", data: {} }),
    (await store.takeInputs(id, 9)).map((each) => each.id),
  ],
  again: async (store) => store.putInput(id, { id: "input 1", data: {} }),
  born: async (store) => [
    await store.putInput(newId, { id: "1", data: {} }),
    (await store.takeInputs(newId, 9)).length,
  ],
  delete: async (store) => [
    await store.delete(id),
    await store.load(id),
    (await store.takeInputs(id, 9)).length,
  ],
  watch: async (store) => {
    const stop = new AbortController();
    for await (const seq of store.watch!(id, { signal: stop.signal })) return seq;
    return undefined;
  },
  holder: async (store) => store.holder!(id),
  work: async (store) => {
    const lease = await store.acquire(id, { owner: "w", ttlMs: 60_000 });
    if (!lease) return true;
    const { seq = 0 } = (await store.load(id)) ?? {};
    const batch = { expectedSeq: seq, fence: lease.fence, entries: [], position: { phase: "stopped" } };
    const done = await store.append(id, batch).then(
      (now) => now === 3,
      (error: { code: string }) => error.code === "session/lease-lost",
    );
    await store.release(lease);
    return done;
  },
};

const clock = { now: () => 1_000 };
const kinds = [
  ["memory", () => memoryStore(clock)],
  ["SQLite", () => sqliteStore({ ...clock, path: ":memory:" })],
] as const;

/** The answer of a store whose sessions are moved before its operation number `at`; `isOver`: it had fewer. */
async function answerOf(
  ask: (store: SessionStore) => Promise<unknown>,
  open: () => SessionStore,
  at: number,
) {
  const [former, next] = [open(), open()];
  const ledger = new Ledger(former);
  for (const each of [id, other]) await ledger.begin(each);
  const end = new AbortController();
  const onProgress = ({ busy }: MoveProgress): void => void (busy > 0 && end.abort()); // it would wait for the lease
  const move = () => movePartitions(partitionsOf(former, next), { ...QUICK, onProgress, signal: end.signal });
  const { wrap, isOver } = interrupted(at, () => move().catch(() => {}));
  const store = partitionedStore(partitionsOf(wrap(former), wrap(next)), { now: () => 2_000 });
  const answer = await ask(store);
  await Promise.all([former.close(), next.close()]);
  return { answer, isOver: isOver() };
}

test.each(kinds.flatMap(([kind, open]) => Object.keys(asked).map((name) => [name, kind, open] as const)))(
  "%s has the same outcome whenever the session is moved, in %s",
  async (name, _, open) => {
    const { answer: unmoved } = await answerOf(asked[name]!, open, 0);
    for (let at = 1, isDone = false; !isDone; at++) {
      const { answer, isOver } = await answerOf(asked[name]!, open, at);
      expect(answer, `moved before operation ${at}`).toEqual(unmoved);
      isDone = isOver;
    }
  },
);
