import { AgentError } from "../../core/base/error.ts";
import type { SessionEntry } from "../../session/entry.ts";
import { JournalFold } from "../../session/fold.ts";
import { ModelCallReader } from "../../session/model-calls.ts";
import { withReadablePart } from "../../session/open-session.ts";
import { readEntries } from "../../session/read-entry.ts";
import { READER_SETTINGS } from "../../session/reader-settings.ts";
import { EntryReader } from "../../session/replay.ts";
import { textOf, toolResultsOf, toolUsesOf } from "../../core/message/msg.ts";
import type { Msg, Reason, ToolResultBlock, ToolUseBlock } from "../../core/message/types.ts";
import { isObject, type JsonObject } from "../../core/base/json.ts";
import { OUTPUT_TOOL } from "../../core/tool/reserved-names.ts";
import { DECLARED, type ClientTool } from "../../core/tool/declared-tools.ts";
import type { Fingerprint } from "../../core/tool/fingerprint.ts";
import type { Decision } from "../../core/tool/pending.ts";
import { SUMMARY_HEAD } from "../../../machines/agent/updates/compaction.ts";
import type { Limits } from "../../../machines/agent/limits.ts";
import type { ModelCall } from "../../../machines/agent/model-call.ts";
import type { SessionStore } from "../../store/port.ts";
import { readPosition } from "../../store/shared.ts";

/** A message that was stored while no turn ran, and its index. */
type ObservedMessage = { readonly at: number; readonly message: Msg };

/** A turn of a recorded session. */
export type RecordedTurn = {
  readonly turn: number;
  /** The messages that were observed since the turn before. */
  readonly observed: readonly ObservedMessage[];
  /** The messages with which it began; empty if nothing was said. */
  readonly input: readonly Msg[];
  /** The reasons for which it rested, in order; the last one is that of its end. */
  readonly rests: readonly Reason[];
  /** The number of messages before it. */
  readonly from: number;
  /** The additions to its limits, in order. */
  readonly extended: readonly Limits[];
  /** The shape of the structured answer that its calls asked for; absent if they asked for none. */
  readonly output?: JsonObject;
  /** The tools that a client had declared. */
  readonly clientTools: readonly ClientTool[];
};

/** A stored session as a replay needs it. */
export type RecordedSession = {
  readonly sessionId: string;
  readonly seq: number;
  readonly meta: JsonObject;
  readonly messages: readonly Msg[];
  readonly turns: readonly RecordedTurn[];
  /** False if something happened that a replay does not repeat and that left no message. That is an attempt that failed, a refusal, a question, or
   *  a structured answer that was wrong. */
  readonly isExact: boolean;
  /** The messages that were observed after the last turn. */
  readonly observed: readonly ObservedMessage[];
  /** The indexes of messages that the user sent while a turn ran. */
  readonly steered: ReadonlySet<number>;
  readonly calls: ReadonlyMap<string, ToolUseBlock>;
  readonly results: ReadonlyMap<string, ToolResultBlock>;
  /** The decisions by the id of their call. */
  readonly decisions: ReadonlyMap<string, Decision>;
  /** The tools of calls that asked questions before they went on: a replay gives their results at once. */
  readonly asking: ReadonlySet<string>;
  /** The summaries that took the place of messages, in order. */
  readonly summaries: readonly string[];
  /** The places of the turns before which a person had the conversation summed up, each with the place of that summary. */
  readonly compacted: ReadonlyMap<number, number>;
  /** The requests of the loop, as they were made; none in sessions of early releases. */
  readonly requests: readonly ModelCall[];
  /** The hashes of the agent that began the last turn. */
  readonly fingerprint: Fingerprint | undefined;
  /** The journal, from which everything else was read. */
  readonly entries: readonly SessionEntry[];
};

type Draft = Pick<RecordedTurn, "turn" | "observed" | "clientTools"> & {
  input: Msg[];
  rests: Reason[];
  from: number;
  extended: Limits[];
  output?: JsonObject;
};

/** True for a message that an agent may be given to store without a turn. */
const isObserved = ({ role, addedBy, content }: Msg): boolean =>
  (role === "user" || role === "assistant") &&
  addedBy === undefined &&
  content.every(({ type }) => type !== "tool_use" && type !== "tool_result");

/** True for a summary that a person asked for, between two turns. */
const isByHand = ({ metadata }: Msg): boolean => {
  const about = metadata?.["compaction"];
  return isObject(about) && about["cause"] === "manual";
};

/** Reads a stored session, its journal once. Rejects `session/not-found`, `session/damaged` and `session/version`. */
export async function recordedSession(store: SessionStore, sessionId: string): Promise<RecordedSession> {
  const fold = new JournalFold(READER_SETTINGS);
  const entries: SessionEntry[] = [];
  try {
    for await (const entry of readEntries(store, sessionId)) {
      fold.push(entry);
      entries.push(entry);
    }
  } catch (error) {
    throw withReadablePart(error, fold.seq);
  }
  if (entries.length === 0) throw new AgentError("session/not-found", `Session not found: ${sessionId}`);
  const messages = [...fold.state().messages];
  const { meta = {} } = readPosition((await store.load(sessionId))?.position ?? {});
  return { sessionId, seq: fold.seq, meta, messages, entries, ...partsOf(entries, messages) };
}

/** Returns what a journal says beside its messages. */
function partsOf(
  entries: readonly SessionEntry[],
  messages: readonly Msg[],
): Omit<RecordedSession, "sessionId" | "seq" | "meta" | "messages" | "entries"> {
  const indexes = new Map(messages.map(({ id }, index) => [id, index]));
  const turns: Draft[] = [];
  const steered = new Set<number>();
  const decisions = new Map<string, Decision>();
  const asking = new Set<string>();
  const summaries: string[] = [];
  const compacted = new Map<number, number>();
  const requests: ModelCall[] = [];
  let fingerprint: Fingerprint | undefined;
  let observed: ObservedMessage[] = [];
  let output: JsonObject | undefined;
  let clientTools: readonly ClientTool[] = [];
  let isRefused = false;
  let isExact = true;
  let answers = 0; // calls of a turn with which the model gave the structured one
  const reader = new EntryReader();
  const calls = new ModelCallReader();
  const names = new Map(messages.flatMap(toolUsesOf).map((call) => [call.id, call.name]));
  const turnOf = (turn: number): Draft => {
    const last = turns.at(-1);
    if (last?.turn === turn) return last;
    const from = messages.length;
    const made: Draft = { turn, observed, clientTools, input: [], rests: [], from, extended: [] };
    turns.push(made);
    observed = [];
    return made;
  };
  for (const entry of entries) {
    if (entry.type === "call") {
      const { id, set } = entry.data;
      if (set.decided !== undefined) decisions.set(id, set.decided);
      if (set.resume && set.resume.asks.length > 0) asking.add(names.get(id) ?? id);
      for (const { ask, decided } of set.resume?.asks ?? [])
        if (decided !== undefined) decisions.set(`${id}/${ask.id}`, decided);
    } else if (entry.type === "kept" && entry.data.view?.summary) {
      const { summary } = entry.data.view;
      const text = textOf(summary).replace(SUMMARY_HEAD, "");
      if (summaries.at(-1) !== text && isByHand(summary)) compacted.set(turns.length, summaries.length);
      if (summaries.at(-1) !== text) summaries.push(text);
    } else if (entry.type === "turn.end") {
      isRefused = entry.data.isRefusal === true;
      answers = 0;
    } else if (entry.type === "messages") {
      const calls = entry.data.messages.flatMap((message) =>
        "content" in message ? toolUsesOf(message as Msg) : [],
      );
      const given = calls.filter(({ name }) => name === OUTPUT_TOOL).length;
      answers += given;
      isExact &&= given === 0 || (answers === 1 && calls.length === 1);
    } else if (entry.type === "slot") {
      if (entry.data.name === DECLARED.name)
        clientTools = entry.data.value as unknown as readonly ClientTool[];
    } else if (entry.type === "budget.extended") turns.at(-1)?.extended.push(entry.data.extended);
    else if (entry.type === "position") {
      fingerprint = entry.data.progress?.agent ?? fingerprint;
      for (const stored of entry.data.modelCalls ?? []) {
        const call = calls.read(stored, null);
        const before = requests.at(-1);
        const isRepeated = before?.turn === call.turn && before.length === call.length && call.attempt > 1;
        isExact &&= call.attempt === 1;
        if (call.phase === "reasoning" && !isRepeated) requests.push(call);
      }
    }
    if (entry.type === "kept" && entry.data.wanted) output = entry.data.wanted.schema;
    const events = reader.events(entry);
    const hasRun = events.some(({ type }) => type === "turn.end");
    const said = events.flatMap((event) => (event.type === "message" ? [event.message] : []));
    const isAtRest =
      entry.type === "position" &&
      entry.data.state?.startsWith("stopped") === true &&
      !hasRun &&
      said.every(isObserved);
    for (const event of events) {
      if (event.type === "message") {
        const { message } = event;
        const at = indexes.get(message.id);
        if (at === undefined) continue; // it was replaced later
        if (isAtRest) {
          observed.push({ at, message });
          continue;
        }
        const turn = turnOf(event.turn);
        turn.from = Math.min(turn.from, at);
        if (message.role !== "user" || message.addedBy !== undefined) continue;
        const hasBegun = messages
          .slice(turn.from, at)
          .some(({ role, addedBy }) => role !== "user" && addedBy === undefined);
        if (hasBegun || turn.rests.length > 0) steered.add(at);
        else turn.input.push(message);
      } else if (event.type === "turn.end" && !isRefused) turnOf(event.turn).rests.push(event.reason);
    }
    isExact &&= !isRefused;
    const last = turns.at(-1);
    if (events.length > 0 && last && output) last.output = output;
    if (events.length > 0) [output, isRefused] = [undefined, false];
  }
  const results = messages.flatMap(toolResultsOf).filter(({ state }) => state !== "suspended");
  return {
    turns,
    observed,
    isExact: isExact && asking.size === 0,
    steered,
    calls: new Map(messages.flatMap(toolUsesOf).map((call) => [call.id, call])),
    results: new Map(results.map((result) => [result.id, result])),
    decisions,
    asking,
    summaries,
    compacted,
    requests,
    fingerprint,
  };
}
