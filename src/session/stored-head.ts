import { AgentError, messageOf } from "../core/base/error.ts";
import { historyProblem, checkMessages } from "../core/message/validate.ts";
import { TranscriptHead, type TranscriptPart } from "../core/message/transcript-head.ts";
import type { Msg } from "../core/message/types.ts";
import type { SessionStore } from "../store/port.ts";
import { MessageFold } from "./message-fold.ts";
import type { Mark } from "./fold.ts";
import { readEntries } from "./read-entry.ts";

/** Returns stored messages. Throws `session/damaged` for invalid ones. */
export function checkedStored(messages: readonly Msg[], sessionId: string): readonly Msg[] {
  try {
    return checkMessages(messages, `Session '${sessionId}'`);
  } catch (error) {
    throw new AgentError("session/damaged", messageOf(error), { cause: error, data: { sessionId } });
  }
}

/** The session whose messages are read, and where in its journal they are. */
export type MessageSource = {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly marks: readonly Mark[];
  /** Results keep the order in which they were given if this is false. */
  readonly recoverOrphans: boolean;
};

/** Returns the messages of a stored session before a mark, the newest first when they are asked for. A rejection is `session/damaged` if the
 *  journal is damaged there or no model would accept what stands there (I2). */
export function storedHead(source: MessageSource, [length]: Mark): TranscriptHead {
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
  for await (const entry of readEntries(store, sessionId, range)) fold.push(entry);
  const messages = checkedStored(fold.messages, sessionId);
  const found = historyProblem(messages, undefined, recoverOrphans);
  if (messages.length === to - begin && !found) return { from: begin, messages };
  const problem = found
    ? `message ${begin + found.index} ${found.problem}`
    : `messages ${begin + messages.length} to ${to} are not in its journal`;
  throw new AgentError("session/damaged", `Session '${sessionId}': ${problem}.`, { data: { sessionId } });
}
