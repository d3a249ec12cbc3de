import { AgentError } from "../core/base/error.ts";
import type { JsonObject } from "../core/base/json.ts";
import { newId } from "../core/message/msg.ts";
import { keeping, LEASE_MS } from "./lease.ts";
import type { PartitionRange } from "./partition-map.ts";
import type { JournalEntry, Lease, SessionInfo, SessionStore } from "./port.ts";
import { metaOf } from "./transfer.ts";

// A session is moved by copying it and then marking it in its former store, under its lease there. The mark is the instant of the move:
// before it the copy does not count, after it nothing can be appended to the former place.

/** A range whose sessions come from another store. */
export type MovingRange = PartitionRange & { readonly movesFrom: SessionStore };

/** True if sessions of the range may still lie in another store. */
export function isMoving(range: PartitionRange): range is MovingRange {
  return range.movesFrom !== undefined;
}

/** The state of a move into a range, as its record has it; undefined before it has begun. */
export type MoveState = "moving" | "moved" | "finished";

/** The place of a session: in the former store, or in that of the range. `unborn`: there is none, and a new one begins in that of the
 *  range once it is marked. */
export type Place = "former" | "moved" | "unborn";

/** The beginning of the owner of a lease on a session while it moves and after that. */
const MOVER = "agentchart/moved";
/** The name of the agent that marks have, by which a search counts them. */
export const MARK_AGENT = MOVER;
const FOREVER_MS = 100 * 365 * 86_400_000;
const ENTRIES_PER_APPEND = 256;
const IDS_PER_APPEND = 500;

/** Returns an owner of leases for one move. It never counts as a dead process: the lease of a moved session must last. */
const newMover = (): string => `${MOVER} ${newId()}`;

/** True while a mover has the lease, or had it last. */
export const isMover = (owner: string): boolean => owner.startsWith(MOVER);

/** Returns the error of a session that lies in another store than the map says. */
export function movedError(sessionId: string): AgentError {
  const message = `Session '${sessionId}' was moved to another store; expected partitions whose \`movesFrom\` is this one.`;
  return new AgentError("session/moved", message, { data: { sessionId } });
}

const markOf = (sessionId: string): JsonObject => {
  const { code, message } = movedError(sessionId);
  return { phase: "quarantined", agent: MARK_AGENT, error: { code, message } };
};

/** True for the position of a session that was moved away. */
export function isMark(position: JsonObject | undefined): boolean {
  return position?.["phase"] === "quarantined" && position["agent"] === MARK_AGENT;
}

/** True for what a list shows of a session that was moved away. */
export function isMarkInfo({ phase, agent }: SessionInfo): boolean {
  return phase === "quarantined" && agent === MARK_AGENT;
}

/** Returns how far the move into a range is. */
async function moveStateOf({ movesFrom, recordId }: MovingRange): Promise<MoveState | undefined> {
  return (await movesFrom.load(recordId))?.position["state"] as MoveState | undefined;
}

/** A session that cannot be read was not moved. */
export function damagedMark(error: unknown): { readonly position: JsonObject } {
  if (AgentError.is(error) && error.code === "session/damaged") return { position: {} };
  throw error;
}

/** Returns where a session of a range is. */
export async function placeOf(range: MovingRange, sessionId: string): Promise<Place> {
  const found = await range.movesFrom.load(sessionId).catch(damagedMark);
  if (found) return isMark(found.position) ? "moved" : "former";
  const state = await moveStateOf(range);
  if (state === undefined) return "former";
  return state === "moving" ? "unborn" : "moved";
}

/** Acquires a lease whose fence is above another one. */
async function acquireAbove(
  store: SessionStore,
  sessionId: string,
  owner: string,
  fence: number,
): Promise<Lease | undefined> {
  for (let skips = 0; ;) {
    const lease = await store.acquire(sessionId, { owner, ttlMs: LEASE_MS, skips });
    if (!lease || lease.fence > fence) return lease;
    skips = fence - lease.fence;
  }
}

/** Makes the first fences of sessions in the store of the range higher than those in the former store. It spares many leases. */
export async function raiseFences({ store, movesFrom, recordId }: MovingRange): Promise<void> {
  const sessionId = `${recordId}/fence`;
  const owner = newMover();
  const former = await movesFrom.acquire(sessionId, { owner, ttlMs: 1 });
  if (former) await acquireAbove(store, sessionId, owner, former.fence);
  await movesFrom.delete(sessionId);
  await store.delete(sessionId);
}

/** Copies a session. Returns the ids of the inputs that wait in the former store. */
async function copy(
  { store, movesFrom }: MovingRange,
  { sessionId, fence }: Lease,
  renew: () => Promise<void>,
): Promise<readonly string[]> {
  const found = await movesFrom.load(sessionId);
  if (found) {
    const unfinished = { phase: "quarantined", meta: await metaOf(movesFrom, sessionId) };
    let seq = 0;
    let entries: JournalEntry[] = [];
    const write = async (): Promise<void> => {
      seq = await store.append(sessionId, { expectedSeq: seq, fence, entries, position: unfinished });
      entries = [];
      await renew();
    };
    for await (const entry of movesFrom.read(sessionId, { limit: found.seq })) {
      entries.push(entry);
      if (entries.length === ENTRIES_PER_APPEND) await write();
    }
    await write();
    for (let after = ""; ;) {
      const ids = await movesFrom.takenInputs!(sessionId, { after, limit: IDS_PER_APPEND });
      for (const id of ids) await store.putInput(sessionId, { id, data: {} });
      const batch = { expectedSeq: seq, fence, entries: [], position: unfinished, ackInputs: ids };
      if (ids.length > 0) await store.append(sessionId, batch);
      await renew();
      if (ids.length < IDS_PER_APPEND) break;
      after = ids.at(-1)!;
    }
  }
  const inputs = await movesFrom.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
  for (const input of inputs) await store.putInput(sessionId, input);
  if (found) {
    const { seq, position, checkpoint } = found;
    await store.append(sessionId, {
      expectedSeq: seq,
      fence,
      entries: [],
      position,
      ...(checkpoint && { checkpoint }),
    });
  }
  return inputs.map(({ id }) => id);
}

/** Sends the inputs on that came to a moved session in its former store. */
export async function sendOn({ store, movesFrom }: MovingRange, sessionId: string): Promise<void> {
  const inputs = await movesFrom.takeInputs(sessionId, Number.MAX_SAFE_INTEGER);
  if (inputs.length === 0) return;
  for (const input of inputs) await store.putInput(sessionId, input);
  const holder = await movesFrom.holder?.(sessionId);
  const owner = holder && isMover(holder.owner) ? holder.owner : newMover();
  const lease = await movesFrom.acquire(sessionId, { owner, ttlMs: FOREVER_MS });
  if (!lease) return; // a process with a former map has it; what was sent on is known by its ids
  const mark = {
    expectedSeq: (await movesFrom.load(sessionId))?.seq ?? 0,
    fence: lease.fence,
    entries: [],
    position: markOf(sessionId),
    ackInputs: inputs.map(({ id }) => id),
  };
  await movesFrom.append(sessionId, mark).catch((error: unknown) => {
    if (!AgentError.is(error) || error.code !== "session/lease-lost") throw error; // else another process sends them on, too
  });
}

/** The outcome of {@link moveSession}. `busy`: another process has its lease. `double`: both stores have such a session. */
export type Outcome = "moved" | "busy" | "double" | "gone";

/** Moves a session, unless it is moved. `isCopied`: what the store of the range has of it is a copy that was cut off. `isNew`: there need
 *  not be one, and it begins there. */
export async function moveSession(
  range: MovingRange,
  sessionId: string,
  { isCopied = false, isNew = false }: { readonly isCopied?: boolean; readonly isNew?: boolean } = {},
): Promise<Outcome> {
  const { store, movesFrom } = range;
  const owner = newMover();
  const former = await movesFrom.acquire(sessionId, { owner, ttlMs: LEASE_MS });
  const found = await movesFrom.load(sessionId);
  if (!former) {
    if (!isMark(found?.position)) return "busy";
    await sendOn(range, sessionId);
    return "moved";
  }
  if (isMark(found?.position)) {
    // The lease of a mark may have ended: the process that wrote it was killed before it renewed the lease.
    await movesFrom.renew(former, FOREVER_MS);
    await sendOn(range, sessionId);
    return "moved";
  }
  let lease: Lease | undefined;
  const stop = async (outcome: Outcome): Promise<Outcome> => {
    await Promise.allSettled([movesFrom.release(former), lease && store.release(lease)]); // else they expire
    return outcome;
  };
  let isMarking = false;
  try {
    const isThere = found !== undefined || (await movesFrom.takeInputs(sessionId, 1)).length > 0;
    lease = await acquireAbove(store, sessionId, owner, former.fence);
    if (!lease) return await stop("busy");
    if (isCopied) {
      await store.delete(sessionId, { keepsInputs: isThere }); // with the lease
      lease = await acquireAbove(store, sessionId, owner, former.fence);
    }
    if (!isThere && !isNew) return await stop("gone");
    if (!lease) return await stop("busy");
    if (await store.load(sessionId)) return await stop("double");
    const ackInputs = await copy(range, lease, keeping([movesFrom, former], [store, lease]));
    isMarking = true;
    await movesFrom.append(sessionId, {
      expectedSeq: found?.seq ?? 0,
      fence: former.fence,
      entries: [],
      position: markOf(sessionId),
      ackInputs,
    });
  } catch (error) {
    const isLost = AgentError.is(error) && error.code === "session/lease-lost";
    if (isLost || !isMarking) await stop("busy"); // else it may be marked, and its lease has to last
    throw error;
  }
  await movesFrom.renew(former, FOREVER_MS);
  await store.release(lease);
  await sendOn(range, sessionId);
  return "moved";
}
