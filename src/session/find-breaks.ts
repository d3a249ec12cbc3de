import { AgentError } from "../core/base/error.ts";
import type { ToolUseBlock } from "../core/message/types.ts";
import { toolUsesOf } from "../core/message/query.ts";
import { breakpointOf, type Breakpoint } from "../core/tool/breakpoints.ts";
import type { SessionStore } from "../store/port.ts";
import type { SessionEntry } from "./entry.ts";
import { MessageFold } from "./message-fold.ts";
import { readEntries } from "./read-entry.ts";

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
};

/** Reads the journal of one session, append by append: only its last entry says in which turn the others are. */
class BreakReader {
  readonly found: FoundBreak[] = [];
  readonly #conditions: readonly Breakpoint[];
  readonly #fold = new MessageFold();
  /** The calls that were not judged yet, with the index of the message that asks for each. */
  readonly #open = new Map<string, { call: ToolUseBlock; readonly askedAt: number }>();
  #append: SessionEntry[] = [];
  #turn = 0;
  #turnAt = 0;

  constructor(conditions: readonly Breakpoint[]) {
    this.#conditions = conditions;
  }

  push(entry: SessionEntry): void {
    this.#append.push(entry);
    if (entry.type !== "position" || entry.data.state === undefined) return;
    const { turn = this.#turn, turnAt = this.#turnAt } = entry.data.progress ?? {};
    const before = { turn: this.#turn, turnAt: this.#turnAt };
    for (const each of this.#append.splice(0)) this.#read(each, { turn, turnAt }, before);
    this.#turn = turn;
    this.#turnAt = turnAt;
  }

  #read(entry: SessionEntry, now: TurnPlace, before: TurnPlace): void {
    this.#fold.push(entry);
    if (entry.type === "messages") {
      const { from, messages } = entry.data;
      for (const [offset, message] of messages.entries()) {
        if ("ref" in message) continue;
        for (const call of toolUsesOf(message)) this.#open.set(call.id, { call, askedAt: from + offset });
      }
    }
    if (entry.type !== "call") return;
    const { id, set, call } = entry.data;
    const known = this.#open.get(id);
    if (!known) return;
    if (call) known.call = call;
    if (set.status !== "running" && set.asks === undefined) return;
    this.#open.delete(id);
    const { turn, turnAt } = known.askedAt >= now.turnAt ? now : before;
    const met = breakpointOf(this.#conditions, {
      call: known.call,
      turn: this.#fold.messages.slice(turnAt, known.askedAt + 1),
    });
    const { seq, at } = entry;
    if (met) this.found.push({ breakpoint: met, callId: id, tool: known.call.name, turn, seq, at });
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
  const reader = new BreakReader(conditions);
  for await (const entry of readEntries(store, sessionId)) reader.push(entry);
  return reader.found;
}
