import type { Msg, Reason } from "../../message/types.ts";
import { textOf } from "../../message/query.ts";
import { isObject } from "../../base/is-object.ts";
import type { RunRow } from "./protocol.ts";

const MAX_ERROR_CHARACTERS = 500;
const MAX_TITLE_CHARACTERS = 80;

/** What a row says of its turns: the title, from the first user message, and the error of a newest turn that failed. */
export function aboutTurn({
  reason,
  error,
  first,
}: {
  readonly reason: Reason | undefined;
  readonly error: unknown;
  readonly first: Msg | undefined;
}): Pick<RunRow, "error" | "title"> {
  const title = first && cut(textOf(first).replaceAll(/\s+/g, " ").trim(), MAX_TITLE_CHARACTERS);
  const failure = reason === "ERROR" && isObject(error) ? error : undefined;
  return {
    ...(failure && {
      error: {
        code: String(failure["code"]),
        message: cut(String(failure["message"]), MAX_ERROR_CHARACTERS),
      },
    }),
    ...(title && { title }),
  };
}

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
