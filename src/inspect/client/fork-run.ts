import type { JsonObject } from "../../base/json.ts";
import type { Msg } from "../../message/types.ts";
import { recordedAfter, type Fork } from "../../session/fork.ts";
import { openSession } from "../../session/open-session.ts";
import type { SessionStore } from "../../store/port.ts";
import { refused, type Outcome } from "../protocol/ack.ts";
import { encodeText, PREVIEW } from "../protocol/encode.ts";
import type { Command } from "../protocol/protocol.ts";

type ForkCommand = Extract<Command, { type: "fork" }>;
type Edit = NonNullable<ForkCommand["edits"]>[number];

/** What a fork of a stored session at a position would run again. Changes nothing. */
export async function planFork(store: SessionStore, runId: string, seq: number): Promise<Outcome> {
  const moment = await (await openSession(store, runId)).at(seq);
  const later = await recordedAfter(store, runId, seq);
  const calls = new Map([...moment.pending, ...later].map((call) => [call.callId, call]));
  return { ok: true, seq, data: { willRun: [...calls.values()].map(lineOf) } };
}

function lineOf({ name, input }: { readonly name: string; readonly input: JsonObject }): string {
  return `${name} ${encodeText(input, { limits: PREVIEW })}`;
}

/** Writes the fork. Messages may say something else in it. */
export async function writeFork(
  store: SessionStore,
  { runId, seq, edits = [] }: ForkCommand,
): Promise<{ readonly fork: Fork } | Outcome> {
  const session = await openSession(store, runId);
  const { messages } = await session.at(seq);
  const unknown = edits.find(({ messageId }) => !messages.some(({ id }) => id === messageId));
  if (unknown) return refused("invalid", `There is no message ${unknown.messageId} at position ${seq}.`);
  const fork = await session.fork(seq, {
    ...(edits.length > 0 && { edits: (before) => before.map((message) => edited(message, edits)) }),
  });
  return { fork };
}

/** The end of a fork command. */
export function forked({ sessionId, runsAgain, recordedLater }: Fork): Outcome {
  const names = [...runsAgain, ...recordedLater].map(lineOf);
  return { ok: true, data: { sessionId, willRun: [...new Set(names)] } };
}

/** The text of a message is one block; what is no text stays. */
function edited(message: Msg, edits: readonly Edit[]): Msg {
  const text = edits.find(({ messageId }) => messageId === message.id)?.text;
  if (text === undefined) return message;
  const said = { type: "text" as const, text };
  const [first] = message.content;
  if (message.role === "tool" && first?.type === "tool_result")
    return { ...message, content: [{ ...first, output: [said] }, ...message.content.slice(1)] };
  return { ...message, content: [said, ...message.content.filter(({ type }) => type !== "text")] };
}
