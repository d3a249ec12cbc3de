// src/agent/breakpoints follows the edges that a session takes, and judges breakpoints about them, live and stored.
import { AgentError } from "../../core/base/error.ts";
import type { ToolUseBlock } from "../../core/message/types.ts";
import { toolUsesOf } from "../../core/message/msg.ts";
import type { Breakpoint } from "../../core/tool/breakpoint.ts";
import { BREAKPOINTS } from "../../core/tool/slot.ts";
import { breakpointOf, edgeText, type PassedEdge } from "../../core/tool/breakpoints.ts";
import type { SessionStore } from "../../store/port.ts";
import type { SessionEntry } from "../../session/entry.ts";
import { MessageFold } from "../../session/message-fold.ts";
import { readEntries } from "../../session/read-entry.ts";
import { partsOfSteps } from "../../session/step-parts.ts";
import { agentChart } from "../steps.ts";
import { checkNames } from "./names.ts";
import { Trail } from "./trail.ts";

/** A call of a stored session before which a breakpoint would have stopped. */
export type FoundBreak = {
  readonly breakpoint: Breakpoint;
  readonly callId: string;
  readonly tool: string;
  readonly turn: number;
  /** The journal entry with which the call began to run, or with which it was asked about. */
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
export class BreakReader {
  readonly found: FoundBreak[] = [];
  readonly trail = new Trail();
  readonly #conditions: readonly Breakpoint[];
  readonly #fold = new MessageFold();
  /** The calls that were not judged yet. */
  readonly #open = new Map<string, OpenCall>();
  /** The chart of the process that wrote the entries. */
  #writtenWith: string | undefined;
  #append: SessionEntry[] = [];
  #turn = 0;
  #turnAt = 0;

  constructor(conditions: readonly Breakpoint[]) {
    this.#conditions = conditions;
  }

  push(entry: SessionEntry): void {
    this.#append.push(entry);
    if (entry.type !== "position" || entry.data.state === undefined) return;
    const { progress, chart, steps = [] } = entry.data;
    const { turn = this.#turn, turnAt = this.#turnAt } = progress ?? {};
    const places = [
      { turn, turnAt },
      { turn: this.#turn, turnAt: this.#turnAt },
    ] as const;
    const entries = this.#append.splice(0);
    this.#writtenWith = chart ?? this.#writtenWith;
    const known = agentChart();
    const parts = this.#writtenWith === known.hash ? partsOfSteps(entries, steps) : undefined;
    const [before = entries, ...others] = parts ?? [];
    this.#read(before, places);
    for (const [index, part] of others.entries()) {
      const { x, at = entry.at, did } = steps[index]!;
      const edges = x.flatMap((number) => known.chart.edges[number]?.id ?? []);
      this.#openCalls(part);
      this.trail.push({ edges, at, seq: entry.seq, account: did }, (passed) => {
        for (const call of this.#open.values()) call.passed ??= passed;
      });
      this.#read(part, places);
    }
    this.#turn = turn;
    this.#turnAt = turnAt;
  }

  #read(entries: readonly SessionEntry[], places: readonly [now: TurnPlace, before: TurnPlace]): void {
    for (const entry of entries) {
      this.#fold.push(entry);
      this.#openCalls([entry]);
      if (entry.type === "call") this.#judge(entry, places);
      if (entry.type === "slot" && entry.data.name === BREAKPOINTS) this.trail.clear();
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
    const met = breakpointOf(this.#conditions, { call: known.call, turn: messages, passed });
    if (!met) return;
    const { breakpoint, step } = met;
    const told = step?.seq !== undefined && { edge: edgeText(step), seq: step.seq, at: step.at };
    this.found.push({
      breakpoint,
      callId: id,
      tool: known.call.name,
      turn,
      seq,
      at,
      ...(told && { step: told }),
    });
    this.trail.forget(passed);
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
