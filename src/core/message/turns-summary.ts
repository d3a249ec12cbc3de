import { isObject } from "../base/json.ts";
import { textOf } from "./query.ts";
import type { Msg, Reason } from "./types.ts";

const MAX_ERROR_CHARACTERS = 500;
const MAX_TITLE_CHARACTERS = 80;

/** The data about the turns of a session that lists of sessions show. */
export type TurnsSummary = {
  /** The first words of the first user message, at most 80 characters. */
  readonly title?: string;
  /** The reason for which the newest turn failed; absent if it did not fail. The message is at most 500 characters. */
  readonly error?: { readonly code: string; readonly message: string };
};

/** Returns what lists show of the turns of a session. */
export function aboutTurns({
  reason,
  error,
  messages,
}: {
  readonly reason?: Reason | undefined;
  readonly error?: unknown;
  readonly messages: { at(index: number): Msg | undefined };
}): TurnsSummary {
  // the first message may be a system message
  const first = [messages.at(0), messages.at(1)].find((message) => message?.role === "user");
  const title = first && cut(textOf(first).replaceAll(/\s+/g, " ").trim(), MAX_TITLE_CHARACTERS);
  const failure = reason === "ERROR" && isObject(error) ? error : undefined;
  return {
    ...(title && { title }),
    ...(failure && {
      error: {
        code: String(failure["code"]),
        message: cut(String(failure["message"]), MAX_ERROR_CHARACTERS),
      },
    }),
  };
}

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
