const MAX_CHARACTERS = 200;

/** Returns a foreign text as one line that a message may hold: without control characters, and not longer than 200 characters. */
export function shownText(text: string): string {
  const line = text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\ufffd");
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS).toWellFormed()}…` : line;
}
