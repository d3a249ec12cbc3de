import { delayOf } from "../core/base/time.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentError, configError } from "../core/base/error.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import { newOwner } from "./leases.ts";
import {
  damagedMark,
  isMark,
  isMarkInfo,
  isMoving,
  moveSession,
  raiseFences,
  sendOn,
  type MoveState,
  type MovingRange,
  type Outcome,
} from "./moved.ts";
import { isIn, RECORD_PREFIX, rangesOf, type Partition } from "./partition-map.ts";
import type { Lease } from "./port.ts";
import { OWN_PREFIX } from "./shared.ts";
import { pagesOf } from "./pages.ts";

/** The progress of a move. */
export type MoveProgress = {
  /** The number of sessions that this call has moved. */
  readonly moved: number;
  /** The number of sessions that other processes had when it came to them last. It comes to them again. */
  readonly busy: number;
  /** The number of marks that {@link finishMove} has removed. */
  readonly removed: number;
};

/** Options of {@link movePartitions} and {@link finishMove}. */
export type MoveOptions = {
  /** Once aborted, no further session is moved, and the call rejects. The next call goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Called after some sessions each. */
  readonly onProgress?: ((progress: MoveProgress) => void) | undefined;
  /** The number of sessions that are moved at once; default 8. */
  readonly concurrency?: number | undefined;
  /** The time after which it comes again to the sessions that others have, ms; default 1,000. */
  readonly pollMs?: number | undefined;
  /** The time from the beginning of the move, ms, for which it looks for new sessions in the former store; default 600,000. A process may take
   *  so long from taking a new session to its first append. */
  readonly settleMs?: number | undefined;
};

/** The schema of {@link MoveOptions}. */
export const moveSchema = s.lazily(() =>
  s.options<MoveOptions>({
    signal: s.optional(s.having("addEventListener", "an AbortSignal")),
    onProgress: s.optional(s.func()),
    concurrency: s.optional(s.integer(1, 1_000)),
    pollMs: s.optional(s.atLeast(0)),
    settleMs: s.optional(s.atLeast(0)),
  }),
);

const LEASE_MS = 30_000;
const PER_PAGE = 500;
const AFTER_ALL = Number.MAX_SAFE_INTEGER;

/** The record of a move, in the former store. `copies`: the sessions of which the store of the range may have a copy that does not count. */
type MoveRecord = { readonly state: MoveState; readonly begunAt: number; readonly copies: readonly string[] };

class Mover {
  readonly #range: MovingRange;
  readonly #options: MoveOptions;
  readonly #progress: { moved: number; busy: number; removed: number };
  #lease: Lease;
  #record: MoveRecord | undefined;
  /** Sessions whose copy was cut off. */
  readonly #copies: Set<string>;

  private constructor(
    range: MovingRange,
    options: MoveOptions,
    progress: { moved: number; busy: number; removed: number },
    lease: Lease,
    record: MoveRecord | undefined,
  ) {
    this.#range = range;
    this.#options = options;
    this.#progress = progress;
    this.#lease = lease;
    this.#record = record;
    this.#copies = new Set(record?.copies);
  }

  /** Runs `work` while no other process moves sessions of the range. */
  static async with(
    range: MovingRange,
    options: MoveOptions,
    progress: { moved: number; busy: number; removed: number },
    work: (mover: Mover) => Promise<void>,
  ): Promise<void> {
    const { movesFrom, recordId } = range;
    const lease = await movesFrom.acquire(recordId, { owner: newOwner("mover"), ttlMs: LEASE_MS });
    if (!lease) {
      const message = `Another process moves these sessions, or was killed on another machine within ${LEASE_MS / 1_000} s.`;
      throw new AgentError("session/conflict", message);
    }
    const found = (await movesFrom.load(recordId))?.position as MoveRecord | undefined;
    const mover = new Mover(range, options, progress, lease, found);
    try {
      if ((await range.store.holder?.(recordId))?.owner === lease.owner)
        throw configError("Expected to move sessions into another store than the one that has them.");
      await work(mover);
    } finally {
      await movesFrom.release(mover.#lease).catch(() => {}); // it expires
    }
  }

  /** Undefined before the move has begun. */
  get state(): MoveState | undefined {
    return this.#record?.state;
  }

  async write(state: MoveState, copies: readonly string[] = [...this.#copies]): Promise<void> {
    const { movesFrom, recordId } = this.#range;
    this.#options.signal?.throwIfAborted();
    this.#lease = await movesFrom.renew(this.#lease, LEASE_MS);
    const begunAt = (this.#record?.state !== "finished" && this.#record?.begunAt) || Date.now();
    const record = { state, begunAt, copies };
    const position = { phase: "stopped", ...record };
    await movesFrom.append(recordId, { expectedSeq: 0, fence: this.#lease.fence, entries: [], position });
    this.#record = record;
  }

  get #begunAt(): number {
    return this.#record?.begunAt ?? Date.now();
  }

  /** Moves all sessions that are in the former store. */
  async moveAll(): Promise<void> {
    const { pollMs = 1_000, settleMs = 600_000, signal } = this.#options;
    for (;;) {
      const isSettled = Date.now() >= this.#begunAt + settleMs;
      this.#progress.busy = 0;
      let hasFound = false;
      for await (const chunk of this.#chunks(this.#unmoved())) {
        hasFound = true;
        await this.#move(chunk);
      }
      if (this.#copies.size > 0) await this.#move([...this.#copies]);
      if (isSettled && !hasFound && this.#copies.size === 0) return;
      if (hasFound && this.#progress.busy === 0) continue;
      await sleep(delayOf(pollMs), undefined, signal && { signal });
    }
  }

  /** Removes the marks of all sessions in the former store, and sends on what came to them. */
  async removeMarks(): Promise<void> {
    const { movesFrom } = this.#range;
    for await (const chunk of this.#chunks(this.#listed(true))) {
      await this.write("moved");
      const remove = async (sessionId: string): Promise<void> => {
        await sendOn(this.#range, sessionId);
        if (await movesFrom.delete(sessionId)) this.#progress.removed++;
      };
      await Promise.all(chunk.map(remove));
      this.#tell();
    }
  }

  async #move(chunk: readonly string[]): Promise<void> {
    const { store } = this.#range;
    const known = new Set(this.#copies);
    const add = async (sessionId: string): Promise<void> => {
      // What is there before the record names it is not a copy.
      if (!(await store.load(sessionId).catch(damagedMark))) this.#copies.add(sessionId);
    };
    await Promise.all(chunk.filter((sessionId) => !known.has(sessionId)).map(add));
    await this.write(this.state ?? "moving");
    const move = async (sessionId: string): Promise<void> => {
      const outcome = await this.#outcome(sessionId, known);
      if (outcome === "double") throw doubleError(sessionId);
      if (outcome === "moved") this.#progress.moved++;
      if (outcome === "busy") this.#progress.busy++;
      // One that another process has may have been copied before.
      if (outcome !== "busy" || !known.has(sessionId)) this.#copies.delete(sessionId);
    };
    const settled = await Promise.allSettled(chunk.map(move));
    this.#tell();
    for (const each of settled) if (each.status === "rejected") throw each.reason;
  }

  async #outcome(sessionId: string, copied: Set<string>): Promise<Outcome> {
    try {
      return await moveSession(this.#range, sessionId, { isCopied: copied.has(sessionId) });
    } catch (error) {
      if (!AgentError.is(error) || error.code !== "session/lease-lost") throw error;
      copied.add(sessionId);
      return await this.#outcome(sessionId, copied); // a worker has it now, or has had it
    }
  }

  /** Yields the ids of the sessions that a list of the former store shows: those that are marked, or the others. */
  async *#listed(isMarked: boolean): AsyncGenerator<string> {
    const { movesFrom } = this.#range;
    for (const prefix of ["", OWN_PREFIX])
      for await (const page of pagesOf((from) => movesFrom.list({ prefix, limit: PER_PAGE, ...from })))
        for (const info of page.sessions)
          if (isMarkInfo(info) === isMarked && this.#isMine(info.sessionId)) yield info.sessionId;
  }

  async *#unmoved(): AsyncGenerator<string> {
    const { movesFrom } = this.#range;
    yield* this.#listed(false);
    // Those that have inputs, and nothing else.
    const due = { before: AFTER_ALL, limit: PER_PAGE };
    for await (const { sessionIds } of pagesOf((from) => movesFrom.listDue({ ...due, ...from })))
      for (const sessionId of sessionIds) {
        if (!this.#isMine(sessionId)) continue;
        if (!isMark((await movesFrom.load(sessionId))?.position)) yield sessionId;
      }
  }

  async *#chunks(ids: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
    const { concurrency = 8 } = this.#options;
    let chunk: string[] = [];
    for await (const id of ids) {
      if (chunk.push(id) < concurrency) continue;
      yield chunk;
      chunk = [];
    }
    if (chunk.length > 0) yield chunk;
  }

  #isMine(sessionId: string): boolean {
    return isIn(this.#range, sessionId) && !sessionId.startsWith(RECORD_PREFIX);
  }

  #tell(): void {
    this.#options.onProgress?.({ ...this.#progress });
  }
}

function doubleError(sessionId: string): AgentError {
  const message = `Session '${sessionId}' is in both stores; expected one. Export and delete the one that is wrong.`;
  return new AgentError("session/conflict", message, { data: { sessionId } });
}

/** Runs `work` for each range that moves. */
async function eachRange(
  partitions: readonly Partition[],
  options: MoveOptions,
  from: string,
  work: (mover: Mover, range: MovingRange) => Promise<void>,
): Promise<MoveProgress> {
  check(moveSchema(), options, from);
  const ranges = rangesOf(partitions, from).filter((range) => isMoving(range));
  const expected = (what: string) => configError(`${from}: expected ${what}.`);
  if (ranges.length === 0) throw expected("a partition with `movesFrom`");
  if (ranges.some(({ movesFrom }) => !movesFrom.takenInputs))
    throw expected("`movesFrom` to be a store with `takenInputs`, such as that of SQLite or Postgres");
  const progress = { moved: 0, busy: 0, removed: 0 };
  for (const range of ranges) await Mover.with(range, options, progress, (mover) => work(mover, range));
  return progress;
}

/**
 * Moves the sessions of each partition with `movesFrom` out of that store while processes with the same partitions go on. It does so
 * session by session, under its lease. A session that another process has is moved once it is released. What it does may be killed at any instant: call it
 * again. Before it is called, each process that uses these stores must have these partitions; one with the former ones gets
 * `session/moved`, or does not get the lease. Once it has resolved, give all processes the partitions without `movesFrom`, and then call
 * {@link finishMove}. What is moved: entries, checkpoint, position, labels, waiting inputs, and the ids of those that were accepted;
 * fences become higher. Rejects `session/conflict` while another process moves, and for a session that both stores have.
 *
 * @example
 * ```ts
 * import { movePartitions } from "agentchart/store/partitioned";
 * import { sqliteStore } from "agentchart/store/sqlite";
 *
 * const former = sqliteStore({ path: "./sessions-0.db" });
 * const half = sqliteStore({ path: "./sessions-1.db" });
 * const partitions = [
 *   { store: former, upTo: 0x7fffffff },
 *   { store: half, upTo: 0xffffffff, movesFrom: former },
 * ];
 * await movePartitions(partitions, { onProgress: ({ moved, busy }) => console.log(moved, busy) });
 * ```
 */
export function movePartitions(
  partitions: readonly Partition[],
  options: MoveOptions = {},
): Promise<MoveProgress> {
  return eachRange(partitions, options, "movePartitions", async (mover, range) => {
    if (mover.state === "moved") return;
    await raiseFences(range);
    await mover.write("moving");
    await mover.moveAll();
    await mover.write("moved");
  });
}

/**
 * Removes what {@link movePartitions} has left in the former stores: the sessions, which are marked there. Call it with the same partitions,
 * once each process has those without `movesFrom`. May be killed, and called again. Rejects `config/invalid` if they are not moved yet.
 *
 * @example
 * ```ts
 * import { finishMove } from "agentchart/store/partitioned";
 * import { sqliteStore } from "agentchart/store/sqlite";
 *
 * const former = sqliteStore({ path: "./sessions-0.db" });
 * const half = sqliteStore({ path: "./sessions-1.db" });
 * await finishMove([
 *   { store: former, upTo: 0x7fffffff },
 *   { store: half, upTo: 0xffffffff, movesFrom: former },
 * ]);
 * ```
 */
export function finishMove(
  partitions: readonly Partition[],
  options: MoveOptions = {},
): Promise<MoveProgress> {
  return eachRange(partitions, options, "finishMove", async (mover) => {
    if (mover.state === "finished") return;
    if (mover.state !== "moved")
      throw configError("finishMove: expected sessions that movePartitions has moved.");
    await mover.moveAll(); // what a process has written that was stopped for long
    await mover.removeMarks();
    await mover.write("finished");
  });
}
