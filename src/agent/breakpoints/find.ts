// src/agent/breakpoints follows the edges that a session takes, and judges breakpoints about them, live and stored.
import { AgentError } from "../../core/base/error.ts";
import type { ToolUseBlock } from "../../core/message/types.ts";
import { toolUsesOf } from "../../core/message/msg.ts";
import type { Breakpoint } from "../../core/tool/breakpoint.ts";
import { breakpointOf, edgeText, type BreakPlace, type PassedEdge } from "../../core/tool/breakpoints.ts";
import type { SessionStore } from "../../store/port.ts";
import type { SessionEntry } from "../../session/entry.ts";
import { MessageFold } from "../../session/message-fold.ts";
import { readEntries } from "../../session/read-entry.ts";
import { checkNames } from "./names.ts";
import { TrailReader } from "./read-trail.ts";

/** A call of a stored session, or a request, before which a breakpoint would have stopped. */
export type FoundBreak = {
  readonly breakpoint: Breakpoint;
  /** Absent before a request to the model. */
  readonly callId?: string | undefined;
  readonly tool?: string | undefined;
  readonly turn: number;
  /** The journal entry with which the call began to run, or with which it was asked about; the end of the append of a request. */
  readonly seq: number;
  /** The time of that entry, epoch ms. */
  readonly at: number;
  /** The step that met a condition about a state, an edge, a guard or a hook: its edge in words, the position, and the time, epoch ms. */
  readonly step?: { readonly edge: string; readonly seq: number; readonly at: number } | undefined;
};

type OpenCall = {
  call: ToolUseBlock;
  /** The index of the message that asks for it. */
  readonly askedAt: number;
  /** The edges before its review; undefined before that. */
  passed?: readonly PassedEdge[];
};

/** Reads the journal of one session, append by append: only its last entry says in which turn the others are, and what its steps were. */
class BreakReader {
  readonly found: FoundBreak[] = [];
  readonly #conditions: readonly Breakpoint[];
  readonly #fold = new MessageFold();
  readonly #reader = new TrailReader();
  /** The calls that were not judged yet. */
  readonly #open = new Map<string, OpenCall>();
  #turn = 0;
  #turnAt = 0;

  constructor(conditions: readonly Breakpoint[]) {
    this.#conditions = conditions;
  }

  push(entry: SessionEntry): void {
    const append = this.#reader.push(entry);
    if (!append) return;
    const { turn = this.#turn, turnAt = this.#turnAt } = append.position.data.progress ?? {};
    const places = [
      { turn, turnAt },
      { turn: this.#turn, turnAt: this.#turnAt },
    ] as const;
    for (const { step, entries } of append.parts) {
      const requests: (readonly PassedEdge[])[] = [];
      if (step) {
        this.#openCalls(entries);
        this.#reader.trail.push(step, {
          onReview: (passed) => {
            for (const call of this.#open.values()) call.passed ??= passed;
          },
          onRequest: (passed) => requests.push(passed),
        });
      }
      this.#read(entries, places);
      for (const passed of requests) this.#judgeRequest(passed, append.position, places);
    }
    this.#turn = turn;
    this.#turnAt = turnAt;
  }

  #read(entries: readonly SessionEntry[], places: readonly [now: TurnPlace, before: TurnPlace]): void {
    for (const entry of entries) {
      this.#fold.push(entry);
      this.#openCalls([entry]);
      if (entry.type === "call") this.#judge(entry, places);
      this.#reader.read(entry);
    }
  }

  /** Notes the calls that messages ask for. */
  #openCalls(entries: readonly SessionEntry[]): void {
    for (const { type, data } of entries) {
      if (type !== "messages") continue;
      for (const [offset, message] of data.messages.entries()) {
        if ("ref" in message) continue;
        const askedAt = data.from + offset;
        for (const call of toolUsesOf(message))
          if (this.#open.get(call.id)?.askedAt !== askedAt) this.#open.set(call.id, { call, askedAt });
      }
    }
  }

  #judge(
    { data: { id, set, call }, seq, at }: Extract<SessionEntry, { readonly type: "call" }>,
    [now, before]: readonly [now: TurnPlace, before: TurnPlace],
  ): void {
    const known = this.#open.get(id);
    if (!known) return;
    if (call) known.call = call;
    if (set.status !== "running" && set.asks === undefined) return;
    this.#open.delete(id);
    const { turn, turnAt } = known.askedAt >= now.turnAt ? now : before;
    const { passed = [] } = known;
    const messages = this.#fold.messages.slice(turnAt, known.askedAt + 1);
    const { name: tool } = known.call;
    this.#find({ call: known.call, turn: messages, passed }, { callId: id, tool, turn, seq, at });
  }

  #judgeRequest(
    passed: readonly PassedEdge[],
    { seq, at }: SessionEntry,
    [now, before]: readonly [now: TurnPlace, before: TurnPlace],
  ): void {
    const { messages } = this.#fold;
    const { turn, turnAt } = messages.length > now.turnAt ? now : before;
    const since = this.#reader.trail.present(passed);
    this.#find({ turn: messages.slice(turnAt), passed: since }, { turn, seq, at });
  }

  #find(place: BreakPlace, about: Omit<FoundBreak, "breakpoint" | "step">): void {
    const { trail } = this.#reader;
    const met = breakpointOf(this.#conditions, place);
    if (!met) return;
    const { breakpoint, step } = met;
    const told = step?.seq !== undefined && { edge: edgeText(step), seq: step.seq, at: step.at };
    this.found.push({ breakpoint, ...about, ...(told && { step: told }) });
    trail.forget(place.passed);
  }
}

type TurnPlace = { readonly turn: number; readonly turnAt: number };

/** See `findBreaks` of `agentchart/inspect`. */
export async function findBreaks(
  store: SessionStore,
  sessionId: string,
  conditions: readonly Breakpoint[],
): Promise<readonly FoundBreak[]> {
  if (!(await store.load(sessionId)))
    throw new AgentError("session/not-found", `There is no session '${sessionId}'.`);
  checkNames(conditions);
  const reader = new BreakReader(conditions);
  for await (const entry of readEntries(store, sessionId)) reader.push(entry);
  return reader.found;
}
