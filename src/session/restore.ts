import { AgentError, messageOf } from "../core/base/error.ts";
import type { TakeOver, Msg } from "../core/message/types.ts";
import { hasBlock } from "../core/message/msg.ts";
import { Transcript } from "../core/message/transcript.ts";
import { LEASED_INPUTS, sessionLocked } from "../store/lease.ts";
import { processOf } from "../store/leases.ts";
import type { AcquiredSession, Lease, LoadedSession, SessionStore } from "../store/port.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import { checkHistory } from "./check-history.ts";
import { contextOf, JournalFold, type Checkpoint, marksOf, type Mark, type MessageMarks } from "./fold.ts";
import { JOURNAL_FORMAT, quarantineReason, readShortKept } from "./format.ts";
import type { CachedBefore, CachedSession, SessionCache } from "./cached-sessions.ts";
import { ModelCallReader } from "./model-calls.ts";
import { runsOf } from "../store/entry-runs.ts";
import { readEntry } from "./read-entry.ts";
import { historyProblem, checkMessages } from "../core/message/validate.ts";
import { TranscriptHead, type TranscriptPart } from "../core/message/transcript-head.ts";
import { MessageFold } from "./message-fold.ts";

/** A session as it was restored from a store. */
export type RestoredSession = {
  readonly context: AgentContext;
  /** Undefined if the journal has no entry about tool groups. */
  readonly activeGroups: readonly string[] | undefined;
  /** The names of the hooks that the session had at its newest checkpoint. */
  readonly hooks: readonly string[];
  /** The number of model calls that it has made. */
  readonly modelCalls?: number;
  /** True if a person has released it to whichever agent opens it next. */
  readonly isReleased?: boolean;
  /** The title that lists show for its first message; absent if that is empty. */
  readonly title?: string;
};

/** A restored session, with what its journal needs to go on. */
export type StoredParts = RestoredSession & {
  readonly seq: number;
  readonly format: number;
  readonly marks: MessageMarks;
  readonly known: ReadonlySet<string>;
};

/** A journal whose newest turn begins before this entry is read as a whole: it is one page of a store. */
const WHOLE_ENTRIES = 100;

/** Returns the beginning of the newest turn in the journal; undefined if all of it is to be read: it is short, or of 0.1.0. */
function beginOf(checkpoint: Checkpoint): Mark | undefined {
  const { journal, calls, cursor } = checkpoint;
  const marks = marksOf(checkpoint);
  if (journal === undefined || !calls || !marks) return undefined;
  const { turnAt, batchAt } = readShortKept(checkpoint).progress;
  const needed = Math.min(cursor, turnAt, batchAt < 0 ? turnAt : batchAt);
  const begin = marks.findLast(([index]) => index <= needed);
  return begin && begin[1] > WHOLE_ENTRIES ? begin : undefined;
}

/** True if what updates look for in a turn is here: the message of the user that it answers, and the newest answer. */
function hasTurn(transcript: Transcript, turnAt: number): boolean {
  const { from } = transcript;
  if (from === 0) return true;
  const here = transcript.slice(from);
  const before = here.slice(0, Math.max(0, turnAt - from) + 1);
  return before.some(({ role }) => role === "user") && here.some(({ role }) => role === "assistant");
}

/**
 * Restores a stored session: its newest checkpoint, and the entries of its newest turn. It therefore costs the same at any length; the
 * transcript reads older messages when somebody asks for them. Of a session that is `cached` no entry is read. Resolves to undefined if there
 * is none. `found`: what came with the lease. Rejects `session/version`, and `session/damaged`, also for a quarantined session and for damage in what it reads.
 */
export async function restoreSession(
  store: SessionStore,
  sessionId: string,
  settings: Settings,
  {
    cached,
    found: acquired,
  }: { readonly cached?: CachedSession | undefined; readonly found?: AcquiredSession | undefined } = {},
): Promise<StoredParts | undefined> {
  const found = acquired ? acquired.session : await store.load(sessionId);
  const reason = quarantineReason(found?.position);
  if (reason !== undefined)
    throw new AgentError("session/damaged", `Session '${sessionId}' is quarantined: ${reason}`, {
      data: { sessionId, quarantined: true },
    });
  if (!found || found.seq === 0) return undefined;
  const { title } = found.position;
  const about = {
    ...(found.position["isReleased"] === true && { isReleased: true }),
    ...(typeof title === "string" && { title }),
  };
  if (cached && cached.seq === found.seq && found.checkpoint?.["seq"] === found.seq) {
    const { transcript, size: _, ...rest } = cached;
    const fold = new JournalFold(settings, found.checkpoint);
    const context = contextOf(fold.state(), settings, transcript);
    return {
      context,
      activeGroups: fold.groups,
      hooks: fold.hooks,
      format: JOURNAL_FORMAT,
      ...about,
      ...rest,
    };
  }
  const checkpoint = found.checkpoint as Checkpoint | undefined;
  const begin = checkpoint && beginOf(checkpoint);
  const read = begin && (await readFrom(begin, { store, sessionId, settings, found }));
  return { ...(read ?? (await readFrom(undefined, { store, sessionId, settings, found }))!), ...about };
}

/** Reads a session from a mark on, or from its first entry; undefined if its newest entries change what is before the mark. */
async function readFrom(
  begin: Mark | undefined,
  {
    store,
    sessionId,
    settings,
    found,
  }: {
    readonly store: SessionStore;
    readonly sessionId: string;
    readonly settings: Settings;
    readonly found: LoadedSession;
  },
): Promise<StoredParts | undefined> {
  const checkpoint = found.checkpoint as Checkpoint | undefined;
  const fold = new JournalFold(settings, found.checkpoint, begin);
  const calls = new ModelCallReader(begin && checkpoint!.calls);
  const isCounted = (seq: number): boolean => begin === undefined || seq > checkpoint!.seq;
  for await (const run of runsOf(store.read(sessionId, { after: begin ? begin[1] - 1 : 0 })))
    for (const entry of run.map(readEntry)) {
      if (begin && entry.type === "messages" && entry.data.from < begin[0]) return undefined;
      fold.push(entry);
      if (entry.type === "position" && isCounted(entry.seq))
        for (const call of entry.data.modelCalls ?? []) calls.read(call, null);
    }
  const session = fold.state();
  const messages = checkedStored(session.messages, sessionId);
  if (begin && messages[0] && hasBlock(messages[0], "tool_result")) return undefined;
  const { recoverOrphans } = settings;
  const { marks } = fold;
  const source = { store, sessionId, marks: marks.marks, recoverOrphans };
  const head = begin && begin[0] > 0 ? storedHead(source, begin) : undefined;
  const transcript = Transcript.after(head, messages);
  const { turnAt } = session.kept.progress;
  while (!hasTurn(transcript, turnAt)) await transcript.load(transcript.from - 1);
  const context = contextOf(session, settings, transcript);
  checkHistory(context, `Session '${sessionId}'`, "session/damaged", { sessionId });
  return {
    context,
    activeGroups: fold.groups,
    hooks: fold.hooks,
    seq: fold.seq,
    format: fold.format,
    marks,
    modelCalls: calls.number,
    known: calls.known,
  };
}

/** Reads the messages of a session that a turn needs: those that its model sees. Undefined if they are here. */
export function loadTurn({
  transcript,
  view,
}: Pick<AgentContext, "transcript" | "view">): Promise<void> | undefined {
  return transcript.load(view ? Math.min(view.from, ...view.head) : 0);
}

/** A lease that was acquired for a session before it is opened. */
export type AcquiredLease = {
  readonly lease: Lease;
  /** The time since it was asked for, ms. */
  readonly ageMs: number;
};

/** A session that this process has now. */
type AcquiredParts = {
  readonly lease: Lease;
  /** Undefined for a new session. */
  readonly stored: StoredParts | undefined;
  /** The data of it that this process had retained, before more of its messages were read. */
  readonly cached: CachedBefore | undefined;
  /** Undefined if its former holder had released it, and if it is new. */
  readonly takeOver: TakeOver | undefined;
};

/** Acquires the lease of a session, unless it was `acquired`, and restores the session. Rejects `session/conflict` while another process holds
 *  the lease. `admit` is called with the lease before anything is read; if it rejects, the lease is released. */
export async function acquireSession(
  store: SessionStore,
  session: { readonly settings: Settings; readonly isSeen?: boolean; now(): number },
  options: {
    readonly owner: string;
    readonly leaseMs: number;
    readonly acquired?: Lease | undefined;
    readonly cache?: SessionCache | undefined;
    readonly admit?: ((lease: Lease) => Promise<void>) | undefined;
  },
): Promise<AcquiredParts> {
  const { owner, leaseMs, admit } = options;
  const { settings } = session;
  const { sessionId } = settings;
  const now = (): number => session.now();
  const inputs = admit ? LEASED_INPUTS : 0;
  const acquired = options.acquired ?? (await store.acquire(sessionId, { owner, ttlMs: leaseMs, inputs }));
  if (!acquired) throw await sessionLocked(store, sessionId, { leaseMs, now });
  const { found, ...lease } = acquired;
  try {
    await admit?.(found ? { ...lease, found } : lease);
    const cached = options.cache?.take(lease);
    const before = cached && {
      from: cached.transcript.from,
      length: cached.transcript.length,
      size: cached.size,
    };
    const stored = await restoreSession(store, sessionId, settings, { cached, found });
    // what somebody looks at without waiting, or a turn that goes on by itself or for a worker
    if (stored && session.isSeen) await stored.context.transcript.load();
    else if (stored && (admit || isInTurn(stored.context))) await loadTurn(stored.context);
    return {
      lease,
      stored,
      cached: before,
      takeOver: stored && takeOverOf(lease, stored.context),
    };
  } catch (error) {
    await store.release(lease).catch(() => {}); // the first error is the one to report
    throw error;
  }
}

const isInTurn = ({ progress, calls }: AgentContext): boolean =>
  progress.resumeAt !== null || calls.length > 0;

function takeOverOf({ owner, takenFrom, takeovers }: Lease, context: AgentContext): TakeOver | undefined {
  if (!takenFrom) return undefined;
  const from = processOf(takenFrom.owner);
  const isUnfinished = context.progress.resumeAt !== null;
  return { from, until: takenFrom.expiresAt, by: processOf(owner), takeovers, isUnfinished };
}

/** Returns stored messages. Throws `session/damaged` for invalid ones. */
function checkedStored(messages: readonly Msg[], sessionId: string): readonly Msg[] {
  try {
    return checkMessages(messages, `Session '${sessionId}'`);
  } catch (error) {
    throw new AgentError("session/damaged", messageOf(error), { cause: error, data: { sessionId } });
  }
}

/** The session whose messages are read, and where in its journal they are. */
type MessageSource = {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly marks: readonly Mark[];
  /** Results keep the order in which they were given if this is false. */
  readonly recoverOrphans: boolean;
};

/** Returns the messages of a stored session before a mark, the newest first when they are asked for. A rejection is `session/damaged` if the
 *  journal is damaged there or no model would accept what stands there (I2). */
function storedHead(source: MessageSource, [length]: Mark): TranscriptHead {
  return new TranscriptHead(length, (from, to) => readPart(source, from, to));
}

async function readPart(
  { store, sessionId, marks, recoverOrphans }: MessageSource,
  from: number,
  to: number,
): Promise<TranscriptPart> {
  const [begin, first] = marks.findLast(([index]) => index <= from) ?? [0, 1];
  const behind = marks.find(([index]) => index === to)![1];
  const fold = new MessageFold(begin);
  const range = { after: first - 1, limit: behind - first };
  for await (const run of runsOf(store.read(sessionId, range)))
    for (const entry of run) if (entry.type !== "position") fold.push(readEntry(entry)); // it has no messages
  const messages = checkedStored(fold.messages, sessionId);
  const found = historyProblem(messages, undefined, recoverOrphans);
  if (messages.length === to - begin && !found) return { from: begin, messages };
  const problem = found
    ? `message ${begin + found.index} ${found.problem}`
    : `messages ${begin + messages.length} to ${to} are not in its journal`;
  throw new AgentError("session/damaged", `Session '${sessionId}': ${problem}.`, { data: { sessionId } });
}
