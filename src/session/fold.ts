import { frozenCopy, wellFormed, type JsonObject } from "../core/base/json.ts";
import { Transcript } from "../core/message/transcript.ts";
import type { ToolUseBlock, Msg } from "../core/message/types.ts";
import {
  freshContext,
  type AgentContext,
  type Ending,
  type Outcome,
  type Progress,
} from "../../machines/agent/context.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import { callsAskedIn, recordsAfter } from "./entries.ts";
import { MessageFold } from "./message-fold.ts";
import type { StoredCalls } from "./model-calls.ts";
import type { KeptParts } from "../../machines/agent/facts.ts";
import type { ProgressChange, SessionEntry, Fact, ResultRef } from "./entry.ts";
import { damagedEntry } from "./read-entry.ts";
import { storedEnding } from "./stored-ending.ts";
import {
  type JournalState,
  checkedJournalFormat,
  entryPointOf,
  JOURNAL_FORMAT,
  persistedContext,
  type PersistedContext,
  readShortKept,
  type SessionState,
  shortKept,
  SHORT_FORMAT,
} from "./format.ts";
import { hasBlock } from "../core/message/msg.ts";

type Entry<Type extends SessionEntry["type"]> = Extract<SessionEntry, { readonly type: Type }>;

/** A checkpoint: a session without its messages, which are in the journal. */
export type Checkpoint = {
  readonly format: number;
  /** Hash of the chart that wrote it, for information. */
  readonly chart: string;
  /** Names of the hooks that the session had. */
  readonly hooks: readonly string[];
  /** The journal entry after which it was taken. */
  readonly seq: number;
  readonly state: string;
  readonly at: number;
  readonly reason?: string;
  readonly activeGroups?: readonly string[];
  /** The number of messages in the transcript. */
  readonly cursor: number;
  /** The positions of these messages in the journal; absent in sessions of 0.1.0. */
  readonly places?: readonly Mark[];
  /** The same in journals of format 3. A release that looks for it reads others from the first entry, which says their format. */
  readonly marks?: readonly Mark[];
  /** The position that a restore needs that does not read the journal from its first entry; absent in sessions of 0.1.0. */
  readonly journal?: number;
  readonly calls?: StoredCalls;
  readonly kept: JsonObject;
};

/**
 * Folds a journal, entry by entry, into a session.
 *
 * J1 The fold is pure: no guard, hook or service runs in it.
 * J2 Messages and raw results count from the first entry that is pushed; everything else counts from the checkpoint on, if there is one.
 * J3 An entry that cannot be read stops the fold with `session/damaged` or `session/version`; nothing is guessed.
 */
export class JournalFold {
  readonly #messages: MessageFold;
  /** The calls for which the newest entry with messages asks. */
  #asked: readonly ToolUseBlock[] = [];
  readonly #checkpoint: Checkpoint | undefined;
  #kept: PersistedContext;
  #state = "stopped.idle";
  #at = 0;
  #reason: SessionState["reason"];
  #groups: readonly string[] | undefined;
  #seq = 0;
  #marks = NO_MARKS;
  #format = JOURNAL_FORMAT;
  #saysSystem = false;

  /** `begin`: the first entry that is pushed is the one of this mark, with a checkpoint behind it; default: that of the journal. */
  constructor(settings: Settings, checkpoint?: JsonObject, begin?: Mark) {
    this.#messages = new MessageFold(begin?.[0]);
    this.#kept = persistedContext(freshContext(settings, Transcript.of()));
    if (!checkpoint) return;
    const read = checkpoint as unknown as Checkpoint;
    this.#checkpoint = read;
    this.#kept = readShortKept(read);
    this.#state = read.state;
    this.#at = read.at;
    this.#reason = read.reason as SessionState["reason"];
    this.#groups = read.activeGroups;
    if (!begin) return;
    this.#format = read.journal!;
    this.#marks = { marks: marksOf(read)!.filter(([, seq]) => seq < begin[1]), hasResults: false };
  }

  /** Applies the next entry. Throws `session/damaged` or `session/version`. */
  push(entry: SessionEntry): void {
    this.#seq = entry.seq;
    this.#marks = marksAfter(this.#marks, entry);
    const isNew = entry.seq > (this.#checkpoint?.seq ?? 0);
    switch (entry.type) {
      case "session":
        this.#format = checkedJournalFormat(entry.data.format);
        return;
      case "messages":
        this.#noteCalls(entry, isNew);
        return this.#messages.push(entry);
      case "call":
        this.#messages.push(entry);
        return this.#applyCall(entry, isNew);
      case "calls.closed":
        if (isNew) this.#kept = { ...this.#kept, calls: [] };
        return;
      case "kept":
        if (isNew) this.#applyContext(entry.data);
        return;
      case "groups":
        if (isNew) this.#groups = entry.data.active;
        return;
      case "slot":
        if (isNew) this.#applySlot(entry.data);
        return;
      case "position":
        if (isNew) this.#applyPosition(entry);
        return;
      case "session.taken":
      case "input.refused":
      case "turn.end":
      case "budget.extended":
        return; // the position in the same append holds their effect
    }
  }

  /** Applies the next entry after the checkpoint, without its messages: their places may lie before it. Throws as {@link push}. */
  pushWithoutMessages(entry: SessionEntry): void {
    if (entry.type === "messages") this.#noteCalls(entry, true);
    else this.push(entry);
  }

  /** Returns the session after the last entry. */
  state(): SessionState {
    return {
      state: this.#state,
      at: this.#at,
      ...(this.#reason && { reason: this.#reason }),
      activeGroups: this.#groups ?? [],
      kept: this.#kept,
      messages: this.#messages.messages,
    };
  }

  /** The active tool groups; undefined if no entry is about groups. */
  get groups(): readonly string[] | undefined {
    return this.#groups;
  }

  /** The names of the hooks that the session had at its newest checkpoint. */
  get hooks(): readonly string[] {
    return this.#checkpoint?.hooks ?? [];
  }

  /** True if an entry says the system prompt of the request; else it is that of the settings, or of the checkpoint. */
  get saysSystem(): boolean {
    return this.#saysSystem;
  }

  /** The positions of the messages in the journal. */
  get marks(): MessageMarks {
    return this.#marks;
  }

  /** The format in which a release may have written entries, the newest of those that the journal names. */
  get format(): number {
    return this.#format;
  }

  /** The number of the last entry. */
  get seq(): number {
    return this.#seq;
  }

  /** Reads what an entry with messages says of the open calls. */
  #noteCalls({ data }: Entry<"messages">, isNew: boolean): void {
    this.#asked = callsAskedIn(data.messages);
    if (isNew && data.closes) this.#kept = { ...this.#kept, calls: [] };
  }

  #applyCall(entry: Entry<"call">, isNew: boolean): void {
    if (!isNew) return;
    const { id } = entry.data;
    const calls = recordsAfter(this.#kept.calls, entry.data, this.#asked);
    if (!calls) throw damagedEntry(entry, `call '${id}' was never opened`);
    this.#kept = { ...this.#kept, calls };
  }

  #applyContext({ system, ...parts }: KeptParts): void {
    const { request } = this.#kept;
    if (system !== undefined) this.#saysSystem = true;
    this.#kept = {
      ...this.#kept,
      ...parts,
      request: system === undefined ? request : { ...request, system },
    };
  }

  #applySlot({ name, value, version, revision }: Entry<"slot">["data"]): void {
    const slots = { ...this.#kept.slots, [name]: { value, version, revision } };
    this.#kept = { ...this.#kept, slots };
  }

  /** A position holds only the fields that differ from the previous one. */
  #applyPosition({ at: writtenAt, data }: Entry<"position">): void {
    const { state, at = state === undefined ? this.#at : writtenAt, reason, progress, request } = data;
    this.#state = state ?? this.#state;
    this.#at = at;
    if (reason !== undefined) this.#reason = reason ?? undefined;
    this.#kept = {
      ...this.#kept,
      progress: progressAfter(this.#kept.progress, progress),
      request: { ...this.#kept.request, ...request },
    };
  }
}

function progressAfter(before: Progress, { stats, ...change }: ProgressChange = {}): Progress {
  return { ...before, ...change, stats: { ...before.stats, ...stats } };
}

/** Returns the machine context with which a stored session is resumed, deeply frozen. It has no halves of characters, which earlier releases
 *  stored and servers refuse, but in slots. The input of a refused call and the
 *  shutdown of the former process are not part of it. Throws `session/version` for a state that this chart does not have. */
export function contextOf(
  session: SessionState,
  settings: Settings,
  transcript: Transcript = Transcript.of(session.messages),
): AgentContext {
  const { slots, ...parts } = session.kept;
  const kept = frozenCopy({ ...wellFormed(parts), slots });
  const resumeAt = kept.progress.resumeAt ?? entryPointOf(session.state);
  const ending = resumeAt === "ending" ? storedEnding({ ...session, kept }) : undefined;
  return {
    ...freshContext(settings, transcript),
    ...kept,
    at: session.at,
    inbox: resumeAt === null ? { ...kept.inbox, input: [] } : kept.inbox,
    progress: { ...kept.progress, resumeAt, draining: false, ...(ending && { ending }) },
    outcome: outcomeOf(session, ending),
  };
}

/** Returns the outcome of the turn; that of the one before it, if a call is being refused. */
function outcomeOf({ reason }: SessionState, ending: Ending | undefined): Outcome | null {
  if (ending && ending.at !== "doCall.onError") return ending.outcome;
  return reason ? { reason } : null;
}

/** Returns the checkpoint of a session after journal entry `seq`, with what its journal knows. */
export function checkpointOf(
  journalState: JournalState,
  seq: number,
  { marks, calls }: Pick<MessageMarks, "marks"> & { readonly calls: StoredCalls },
): Checkpoint {
  const { context, state, activeGroups, chart, hooks } = journalState;
  const { outcome, transcript, at } = context;
  return {
    format: SHORT_FORMAT,
    chart,
    hooks,
    seq,
    state,
    at,
    ...(outcome && { reason: outcome.reason }),
    ...(activeGroups && { activeGroups }),
    cursor: transcript.length,
    places: marks,
    journal: JOURNAL_FORMAT,
    calls,
    kept: shortKept(persistedContext(context)),
  };
}

/** The messages from index `index` on, and the results that they refer to, are in entry `seq` and later ones. */
export type Mark = readonly [index: number, seq: number];

/** The positions of the messages of a transcript in its journal, so that some are read without the entries of the others. */
export type MessageMarks = {
  /** In the order of both index and entry. */
  readonly marks: readonly Mark[];
  /** Results are recorded to which later messages may refer. */
  readonly hasResults: boolean;
};

/** Before the first entry. */
export const NO_MARKS: MessageMarks = { marks: [], hasResults: false };

/** A page needs at most about this part of the entries more than its own, and the end of a session this part of itself. */
const SPACING = 1 / 32;
const END_SPACING = 1 / 4;
const MAX_MARKS = 64;

const isMark = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every((number) => Number.isSafeInteger(number));

/** Returns the positions of messages in the journal that a checkpoint has; undefined if it has none. */
export function marksOf({ places, marks }: Partial<Checkpoint>): readonly Mark[] | undefined {
  const found: unknown = places ?? marks;
  return Array.isArray(found) && found.every(isMark) ? (found as readonly Mark[]) : undefined;
}

/** The marks that are not too close together for a transcript of `length` messages: at its end, which is read most, less is too close. */
function spaced(marks: readonly Mark[], length: number): readonly Mark[] {
  const kept: Mark[] = [];
  for (const mark of marks) {
    const least = Math.min(length * SPACING, (length - mark[0]) * END_SPACING);
    if (kept.length === 0 || mark[0] - kept.at(-1)![0] >= least) kept.push(mark);
  }
  return kept;
}

/** True for a message that stands behind the call that it answers: reading does not begin there. */
const isResult = (message: Msg | ResultRef): boolean => "ref" in message || hasBlock(message, "tool_result");

/** Returns the marks after one more entry. */
export function marksAfter(before: MessageMarks, entry: Fact & Pick<SessionEntry, "seq">): MessageMarks {
  switch (entry.type) {
    case "call":
      return entry.data.set.result ? { ...before, hasResults: true } : before;
    case "calls.closed":
      return { ...before, hasResults: false };
    case "messages": {
      const { from, messages, closes = false } = entry.data;
      const hasResults = before.hasResults && !closes;
      const isLonger = (before.marks.at(-1)?.[0] ?? 0) <= from;
      const kept = isLonger ? before.marks : before.marks.filter(([index]) => index <= from);
      const isUnfit =
        hasResults ||
        kept.at(-1)?.[0] === from ||
        messages.some((message) => "ref" in message) ||
        (messages.length > 0 && isResult(messages[0]!));
      const marks = isUnfit ? kept : kept.concat([[from, entry.seq]]);
      const isFull = marks.length > MAX_MARKS;
      return { hasResults, marks: isFull ? spaced(marks, from + messages.length) : marks };
    }
    default:
      return before;
  }
}
