import type { JsonObject } from "../../base/json.ts";
import type { Msg } from "../../message/types.ts";
import { recordedAfter, type Fork } from "../../session/fork.ts";
import { openSession } from "../../session/open-session.ts";
import type { SessionStore } from "../../store/port.ts";
import { refused, type CommandOutcome } from "../protocol/command-outcome.ts";
import { encodeToString, PREVIEW } from "../protocol/encode.ts";
import type { RunCommand } from "../protocol/protocol.ts";

type ForkCommand = Extract<RunCommand, { type: "fork" }>;
type Edit = NonNullable<ForkCommand["edits"]>[number];

/** Lists the calls that a fork of a stored session at a position would run again. Changes nothing. */
export async function planFork(store: SessionStore, runId: string, seq: number): Promise<CommandOutcome> {
  const moment = await (await openSession(store, runId)).at(seq);
  const later = await recordedAfter(store, runId, seq);
  const calls = new Map([...moment.pending, ...later].map((call) => [call.callId, call]));
  return { ok: true, seq, data: { willRun: [...calls.values()].map(callText) } };
}

function callText({ name, input }: { readonly name: string; readonly input: JsonObject }): string {
  return `${name} ${encodeToString(input, { limits: PREVIEW })}`;
}

/** Writes a fork, with the edited messages; `invalid` if an edit names an unknown message. */
export async function writeFork(
  store: SessionStore,
  { runId, seq, edits = [] }: ForkCommand,
): Promise<{ readonly fork: Fork } | CommandOutcome> {
  const session = await openSession(store, runId);
  const { messages } = await session.at(seq);
  const unknown = edits.find(({ messageId }) => !messages.some(({ id }) => id === messageId));
  if (unknown) return refused("invalid", `There is no message ${unknown.messageId} at position ${seq}.`);
  const fork = await session.fork(seq, {
    ...(edits.length > 0 && { edits: (before) => before.map((message) => applyEdits(message, edits)) }),
  });
  return { fork };
}

/** The outcome of a fork command. */
export function forkOutcome({ sessionId, runsAgain, recordedLater }: Fork): CommandOutcome {
  const names = [...runsAgain, ...recordedLater].map(callText);
  return { ok: true, data: { sessionId, willRun: [...new Set(names)] } };
}

/** Replaces the text of a message by one text block; other blocks stay. */
function applyEdits(message: Msg, edits: readonly Edit[]): Msg {
  const text = edits.find(({ messageId }) => messageId === message.id)?.text;
  if (text === undefined) return message;
  const block = { type: "text" as const, text };
  const [first] = message.content;
  if (message.role === "tool" && first?.type === "tool_result")
    return { ...message, content: [{ ...first, output: [block] }, ...message.content.slice(1)] };
  return { ...message, content: [block, ...message.content.filter(({ type }) => type !== "text")] };
}
