import { truncated } from "../../core/base/shown.ts";

/** Returns a foreign text as one line that a message may hold: without control characters, and not longer than 200 characters. */
export function shownText(text: string): string {
  const line = text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\ufffd");
  return truncated(line);
}
