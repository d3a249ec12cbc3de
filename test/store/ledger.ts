import { expect } from "vitest";
import type { Lease, SessionStore } from "../../src/store/port.ts";
import { partitionHash, type Partition } from "../../src/store/partitioned.ts";

const HALF = 0x7f_ff_ff_ff;

/** A store whose upper half moves to another one, or has been moved. */
export function partitionsOf(
  former: SessionStore,
  next: SessionStore,
  isMoving = true,
): readonly Partition[] {
  return [
    { store: former, upTo: HALF },
    { store: next, upTo: 0xff_ff_ff_ff, ...(isMoving && { movesFrom: former }) },
  ];
}

/** Ids of sessions that stay in their store, and of some that move. */
export function stayingAndMoving(staying: number, moving: number): readonly string[] {
  const all = Array.from({ length: 40 + 8 * (staying + moving) }, (_, n) => `s${n}`);
  const isLow = (id: string): boolean => partitionHash(id) <= HALF;
  return [...all.filter(isLow).slice(0, staying), ...all.filter((id) => !isLow(id)).slice(0, moving)];
}

/** Wraps stores whose process ends at their operation number `at`: it never answers, and no later one begins. */
export function killable(at: number, when: "before" | "after") {
  let count = 0;
  const { promise: killed, resolve } = Promise.withResolvers<"killed">();
  const never = (): Promise<never> => {
    resolve("killed");
    return new Promise(() => {});
  };
  const wrap = (store: SessionStore): SessionStore =>
    new Proxy(store, {
      get: (target, name: keyof SessionStore) => {
        const method: unknown = target[name];
        if (typeof method !== "function" || name === "read") return method;
        return async (...args: unknown[]): Promise<unknown> => {
          const mine = ++count;
          if (mine > at || (mine === at && when === "before")) return never();
          const result: unknown = await (method as (...given: unknown[]) => unknown).apply(target, args);
          return mine === at ? never() : result;
        };
      },
    });
  return { wrap, killed };
}

type Written = { inputs: Map<string, "accepted" | "taken">; entries: string[]; lastFence: number };

/** Knows what stores have acknowledged, and compares it with what they have. */
export class Ledger {
  store: SessionStore;
  readonly #sessions = new Map<string, Written>();
  #count = 0;

  constructor(store: SessionStore) {
    this.store = store;
  }

  #of(sessionId: string): Written {
    const found = this.#sessions.get(sessionId) ?? { inputs: new Map(), entries: [], lastFence: 0 };
    this.#sessions.set(sessionId, found);
    return found;
  }

  async put(sessionId: string): Promise<void> {
    const id = `input ${++this.#count}`;
    expect(await this.store.putInput(sessionId, { id, data: { id } })).toBe("accepted");
    this.#of(sessionId).inputs.set(id, "accepted");
  }

  /** Writes one entry, which acknowledges the first input. */
  async append(lease: Lease): Promise<void> {
    const { sessionId, fence } = lease;
    const written = this.#of(sessionId);
    expect(fence).toBeGreaterThan(written.lastFence);
    written.lastFence = fence;
    const [input] = await this.store.takeInputs(sessionId, 1);
    if (!input) return;
    const { seq = 0 } = (await this.store.load(sessionId)) ?? {};
    const entry = { seq: seq + 1, at: 0, type: "took", data: { id: input.id } };
    await this.store.append(sessionId, {
      expectedSeq: seq,
      fence,
      entries: [entry],
      position: { phase: "stopped", meta: { sessionId } },
      checkpoint: { upTo: seq + 1 },
      ackInputs: [input.id],
    });
    written.entries.push(input.id);
    written.inputs.set(input.id, "taken");
  }

  /** Makes a session of three entries, with an input that waits. */
  async begin(sessionId: string): Promise<void> {
    for (let n = 0; n < 4; n++) await this.put(sessionId);
    for (let n = 0; n < 3; n++) {
      const lease = (await this.store.acquire(sessionId, { owner: "begin", ttlMs: 60_000 }))!;
      await this.append(lease);
      await this.store.release(lease);
    }
  }

  /** Does what a dispatcher and a worker do, unless another process has the session. */
  async work(sessionId: string): Promise<void> {
    await this.put(sessionId);
    const lease = await this.store.acquire(sessionId, { owner: "worker", ttlMs: 60_000 });
    if (!lease) return;
    await this.append(lease);
    await this.store.release(lease);
  }

  /** Fails unless the store has each entry and each input once. */
  async check(when: string): Promise<void> {
    const listed = (await this.store.list()).sessions;
    expect(
      listed.map(({ sessionId }) => sessionId),
      when,
    ).toEqual([...this.#sessions.keys()].toSorted());
    for (const { sessionId, meta } of listed) {
      const { inputs, entries } = this.#sessions.get(sessionId)!;
      expect(meta, when).toEqual({ sessionId });
      const read: unknown[] = [];
      for await (const { seq, data } of this.store.read(sessionId)) expect(read.push(data["id"])).toBe(seq);
      expect(read, when).toEqual(entries);
      expect(await this.store.load(sessionId), when).toMatchObject({
        seq: read.length,
        checkpoint: { upTo: read.length },
      });
      const waiting = [...inputs].filter(([, state]) => state === "accepted").map(([id]) => id);
      const found = (await this.store.takeInputs(sessionId, 1_000)).map(({ id }) => id);
      expect(found.toSorted(), when).toEqual(waiting.toSorted());
      for (const id of inputs.keys())
        expect(await this.store.putInput(sessionId, { id, data: {} }), when).toBe("duplicate");
    }
  }
}
