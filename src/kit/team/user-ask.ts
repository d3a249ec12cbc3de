import type { Json, JsonObject } from "../../core/base/json.ts";
import { toolUsesOf } from "../../core/message/msg.ts";
import type { Msg } from "../../core/message/types.ts";

/** The question that a {@link UserAsk} is asked. */
export type UserQuestion = {
  /** The name of the user. */
  readonly name: string;
  /** JSON Schema of the answer, if the caller wants a structured one; default: a text. */
  readonly schema?: JsonObject | undefined;
  /** The reason for which the last answer was refused, if this is another try. */
  readonly problem?: string | undefined;
  /** Aborts when nobody waits for the answer any more: somebody else has given it, or the turn has ended. */
  readonly signal: AbortSignal;
};

/** Asks a person. `messages` is what the user has heard and not answered. Returns a text, or a value of `schema`; undefined if the
 *  person does not want to answer. What it throws rejects the call, and the question stays open. */
export type UserAsk = (messages: readonly Msg[], question: UserQuestion) => Promise<Json | undefined>;

/** Returns the messages that a user has heard and not answered: those behind the last answer, before the question that is open. */
export function heardBy(name: string, transcript: readonly Msg[]): readonly Msg[] {
  const end = transcript.findLastIndex((message) => toolUsesOf(message).length > 0);
  const before = transcript.slice(0, end === -1 ? undefined : end);
  const own = before.findLastIndex((message) => message.role === "assistant" && message.name === name);
  return before.slice(own + 1).filter(({ role }) => role === "user" || role === "assistant");
}
