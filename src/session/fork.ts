import * as s from "../core/base/option-schema.ts";
import { randomUUID } from "node:crypto";
import { AgentError, configError, type ErrorCode } from "../core/base/error.ts";
import { check } from "../core/base/options.ts";
import { toolResultsOf, toolUsesOf, textOf } from "../core/message/msg.ts";
import { aboutTurns, persistedContext, type JournalState, type SessionState } from "./format.ts";
import { Transcript } from "../core/message/transcript.ts";
import type { JsonObject } from "../core/base/json.ts";
import { REPEATS } from "../core/tool/stored-slots.ts";
import type { Msg, ToolUseBlock, ToolResultBlock } from "../core/message/types.ts";
import { checkMessages } from "../core/message/validate.ts";
import { withLease } from "../store/lease.ts";
import type { Lease, SessionStore } from "../store/port.ts";
import { phaseOf, restStateOf, pendingCalls } from "../../machines/agent/updates/calls.ts";
import { closeOrphans, forkedCalls } from "../../machines/agent/updates/history.ts";
import { viewAfter } from "../../machines/agent/prompt/view.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { ForkChanges, ForkLabel } from "../../machines/agent/prompt/edits.ts";
import type { PendingCall } from "../core/tool/pending.ts";
import { writeSession } from "./batch.ts";
import { callsAskedIn, wholeSession } from "./entries.ts";
import { checkHistory } from "./check-history.ts";
import { contextOf } from "./fold.ts";
import { changedContext, changedMessages, checkChanges, checkFit } from "./fork-changes.ts";
import { readableEntries } from "./read-entry.ts";
import { inputAfter } from "./input-after.ts";
import { READER_SETTINGS } from "./reader-settings.ts";
import { redactSecrets } from "../core/base/secrets.ts";

/** A call of {@link Fork.recordedLater}. */
export type ForkedCall = { readonly callId: string; readonly name: string; readonly input: JsonObject };

/** Options of {@link StoredSession.fork}. */
export type ForkOptions = {
  /** The id of the fork; default: a new UUID. */
  readonly sessionId?: string | undefined;
  /** Returns the messages of the fork, given those of the original, which keeps them. Not together with `changes`. */
  readonly edits?: ((messages: readonly Msg[]) => readonly Msg[]) | undefined;
  /** The changes of the fork, as data: they are part of the fork, and count in each process that runs it. */
  readonly changes?: ForkChanges | undefined;
  /** True if its tools are to repeat what the original recorded: an agent whose tools really run does not open it. Default: they run. */
  readonly repeats?: boolean | undefined;
};

/** A place at which a session is forked: after a journal position, or before the step that wrote it. */
export type ForkPoint = number | { readonly before: number };

/** The schema of {@link ForkPoint}. */
export const forkPointSchema = s.lazily(() =>
  s.either<number, { readonly before: number }>(
    s.integer(1),
    s.options<{ readonly before: number }>({ before: s.integer(1) }),
    "a position of the journal from 1, or { before: POSITION }",
  ),
);

/** The schema of {@link ForkOptions}. */
export const forkSchema = s.lazily(() =>
  s.options<ForkOptions>({
    sessionId: s.optional(s.nonEmpty()),
    edits: s.optional(s.func()),
    changes: s.optional(s.object<ForkChanges>()),
    repeats: s.optional(s.boolean()),
  }),
);

/** A session that was forked from another one. */
export type Fork = {
  readonly sessionId: string;
  /** The position of the original at which the fork begins: the last entry of the append that wrote the given one. */
  readonly forkedAt: number;
  /** Its labels: `forkedFrom`, `forkedAt`, and, of a fork with changes, `forkedWith`: each change in a few words. */
  readonly meta: JsonObject;
  /** Calls that are open at this position: in the fork too they run or wait for a decision. Approvals and other decisions stay with the
   *  original: such a call waits for one of its own. */
  readonly runsAgain: readonly PendingCall[];
  /** Calls whose results the original recorded later. If the fork takes the same course it makes them again, unless it is
   *  replayed with recorded results, by `replayOf` of `agentchart/evals`. */
  readonly recordedLater: readonly ForkedCall[];
  /** The messages with which the original went on from here, if it rested: `call(input)` makes that step again. */
  readonly input: readonly Msg[];
};

/** Returns the calls whose results the journal recorded after `seq`, as far as it can be read. */
export async function recordedAfter(
  store: SessionStore,
  sessionId: string,
  seq: number,
): Promise<readonly ForkedCall[]> {
  const calls = new Map<string, ForkedCall>();
  const later = new Map<string, ForkedCall>();
  let asked: readonly ToolUseBlock[] = [];
  const addIfLater = (id: string, at: number): void => {
    const known = calls.get(id);
    if (known && at > seq) later.set(id, known);
  };
  for await (const entry of readableEntries(store, sessionId)) {
    if (entry.type === "messages") {
      asked = callsAskedIn(entry.data.messages);
      for (const message of entry.data.messages) {
        if ("ref" in message) addIfLater(message.ref, entry.seq);
        else for (const { id } of toolResultsOf(message)) addIfLater(id, entry.seq);
      }
    }
    if (entry.type !== "call") continue;
    const { id, set, call = asked.find((each) => each.id === id) } = entry.data;
    if (call) calls.set(id, { callId: id, name: call.name, input: call.input });
    if (set.result) addIfLater(id, entry.seq);
  }
  return [...later.values()];
}

/** Returns the context of the fork. A request or call that waits to be repeated is repeated at once, open calls stay only if the message
 *  that asked for them is still there, and what a person has approved is asked again. */
function forkedContext(session: SessionState, messages: readonly Msg[]): AgentContext {
  const stored = contextOf(session, READER_SETTINGS);
  const { resumeAt: at } = stored.progress;
  const context = {
    ...stored,
    progress: { ...stored.progress, resumeAt: at === "ending" ? null : at, ending: null },
    transcript: Transcript.of(messages),
    request: { ...stored.request, notBeforeAt: null },
    calls: forkedCalls(stored).map(({ notBeforeAt: _, ...record }) => record),
    remembered: [],
  };
  if (context.calls.length === 0) return context;
  const batchAt = batchIn(messages, context);
  const calls = batchAt < 0 ? [] : context.calls;
  const resumeAt = batchAt < 0 ? null : context.progress.resumeAt;
  return { ...context, calls, progress: { ...context.progress, batchAt, resumeAt } };
}

/** The index of the message that asked for the calls of a context; -1 if it is not there. */
function batchIn(messages: readonly Msg[], { calls }: AgentContext): number {
  const first = calls[0]?.call.id;
  return messages.findLastIndex((message) => toolUsesOf(message).some(({ id }) => id === first));
}

/** As {@link forkedContext}, with edited messages: calls that are not open and have lost their results get one that says so. If messages
 *  changed that a summary stands for, all are shown. Throws `code` for messages that no model would accept. */
function editedContext(
  session: SessionState,
  edited: readonly Msg[],
  [what, code]: readonly [what: string, code: ErrorCode],
): AgentContext {
  const messages = checkMessages(edited, what);
  const context = forkedContext(session, messages);
  const { progress } = context;
  const end = context.calls.length > 0 ? progress.batchAt : messages.length;
  const closed = closeOrphans({ ...context, progress: { ...progress, turnAt: 0 } }, end);
  const all = closed.transcript.slice();
  const first = session.messages[progress.turnAt]?.id;
  const turnAt = all.findIndex(({ id }) => id === first);
  const batchAt = batchIn(all, closed);
  const changed = edited.findIndex((message, index) => message !== session.messages[index]);
  const forked = {
    ...closed,
    view: viewAfter(closed.view, changed < 0 ? edited.length : changed, (index) =>
      edited.indexOf(session.messages[index]!),
    ),
    progress: {
      ...closed.progress,
      turnAt: turnAt < 0 ? Math.min(progress.turnAt, all.length) : turnAt,
      batchAt,
    },
  };
  checkHistory(forked, what, code);
  return forked;
}

/** The context of a fork with changes. Throws `session/bad-change` for one that does not fit. */
function changedFork(session: SessionState & { readonly seq: number }, changes: ForkChanges): AgentContext {
  checkChanges(changes, "fork");
  checkFit(session, changes, session.seq);
  const messages = changedMessages(session.messages, changes);
  const isSame = messages.every((message, index) => message === session.messages[index]);
  const context =
    isSame && messages.length === session.messages.length
      ? forkedContext(session, messages)
      : editedContext(session, messages, ["fork: the changed messages", "session/bad-change"]);
  return changedContext(context, changes);
}

function forkedState(context: AgentContext, session: SessionState, meta: JsonObject): JournalState {
  const { activeGroups } = session;
  const state = restStateOf(context);
  return {
    context,
    state,
    activeGroups,
    isAtRest: false, // a checkpoint would say what the journal leaves to the agent
    chart: "",
    hooks: [],
    position: { ...aboutTurns({ messages: context.transcript }), phase: phaseOf(state), state, meta },
  };
}

/** A session that is forked. `saysSystem`: its journal says the system prompt, which is else that of its agent. */
export type ForkedSession = SessionState & {
  readonly seq: number;
  readonly sessionId: string;
  readonly saysSystem: boolean;
};

/** The slots of a fork, which say of which session it repeats the recorded results. */
function slotsOf({ slots }: AgentContext, repeats: string | undefined): AgentContext["slots"] {
  const { [REPEATS]: _, ...others } = slots;
  return repeats === undefined
    ? others
    : { ...others, [REPEATS]: { value: repeats, version: 1, revision: 1 } };
}

/** Writes a session that begins as another one was at a position. Rejects `session/conflict` if the new id exists, and
 *  `session/bad-change` for a change that does not fit. */
export async function forkSession(
  store: SessionStore,
  session: ForkedSession,
  options: ForkOptions,
): Promise<Fork> {
  check(forkSchema(), options, "fork");
  const { sessionId, seq } = session;
  const { changes, edits } = options;
  if (changes && edits) throw configError("fork: give `changes` or `edits`, not both.");
  const forked = options.sessionId ?? randomUUID();
  const edited = edits?.(session.messages);
  const made = changes
    ? changedFork(session, changes)
    : edited
      ? editedContext(session, edited, ["fork: `edits`", "message/invalid"])
      : forkedContext(session, session.messages);
  const context = { ...made, slots: slotsOf(made, options.repeats ? sessionId : undefined) };
  const exists = () => new AgentError("session/conflict", `Session '${forked}' exists already.`);
  const labels = changes && forkLabels(contextOf(session, READER_SETTINGS), changes);
  const meta: JsonObject = {
    forkedFrom: sessionId,
    forkedAt: seq,
    ...(labels && labels.length > 0 && { forkedWith: labels }),
  };
  const write = async (lease: Lease): Promise<void> => {
    if (await store.load(forked)) throw exists();
    const facts = wholeSession({
      messages: context.transcript.slice(),
      kept: persistedContext(context),
      activeGroups: session.activeGroups,
      saysSystem: session.saysSystem || changes?.system !== undefined,
    });
    await writeSession(store, lease, facts, {
      at: Date.now(),
      journalState: forkedState(context, session, meta),
    });
  };
  await withLease(store, forked, write, exists);
  const recordedLater = await recordedAfter(store, sessionId, seq);
  const input = await inputAfter(store, sessionId, session);
  return { sessionId: forked, forkedAt: seq, meta, runsAgain: pendingCalls(context), recordedLater, input };
}

const MAX_LABELS = 5;
const MAX_TEXT = 60;

/** Returns the labels of changes, the first five, which tell one fork of a session from another. */
function forkLabels(
  { transcript, request, calls }: AgentContext,
  changes: ForkChanges,
): readonly ForkLabel[] {
  const all = transcript.slice();
  const blocks = all.flatMap(({ content }) => content);
  const label = (what: ForkLabel["what"], of: string, now: string | undefined, before = ""): ForkLabel => ({
    what,
    of,
    ...(now !== undefined && { now: excerpt(now, before) }),
  });
  const { system, model, options, tools, messages = {}, results = {}, arguments: inputs = {} } = changes;
  const callOf = (id: string) =>
    calls.find(({ call }) => call.id === id)?.call ??
    blocks.find((block) => block.type === "tool_use" && block.id === id);
  const nameOf = (id: string): string => {
    const call = callOf(id);
    return call?.type === "tool_use" ? call.name : id;
  };
  const json = (value: unknown): string => JSON.stringify(redactSecrets(value as JsonObject));
  const outputOf = (id: string) =>
    blocks.find((block) => block.type === "tool_result" && block.id === id) as ToolResultBlock | undefined;
  return [
    ...(system === undefined ? [] : [label("system", "", system, request.system)]),
    ...(model === undefined ? [] : [label("model", "", model)]),
    ...(options ? [label("options", "", json(options))] : []),
    ...(tools ? [label("tools", "", tools.join(", "))] : []),
    ...Object.entries(messages).map(([id, now]) => {
      const message = all.find((each) => each.id === id);
      return label(
        "message",
        message?.role ?? "",
        now === null ? undefined : textIn(now),
        message && textOf(message),
      );
    }),
    ...Object.entries(inputs).map(([id, now]) => {
      const call = callOf(id);
      return label("arguments", nameOf(id), json(now), call?.type === "tool_use" ? json(call.input) : "");
    }),
    ...Object.entries(results).map(([id, now]) =>
      label("result", nameOf(id), textIn(now), textIn(outputOf(id)?.output ?? "")),
    ),
  ].slice(0, MAX_LABELS);
}

const textIn = (value: string | Msg["content"]): string =>
  typeof value === "string"
    ? value
    : value.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");

/** The text from the word on in which it differs from the one before, in one line. */
function excerpt(text: string, before: string): string {
  let same = 0;
  while (same < text.length && text[same] === before[same]) same++;
  const from = same < text.length ? text.lastIndexOf(" ", same) + 1 : 0;
  const line = `${from > 0 ? "… " : ""}${text.slice(from, from + 4 * MAX_TEXT)}`
    .replaceAll(/\s+/g, " ")
    .trim();
  return (line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT - 1)}…` : line).toWellFormed();
}
