const BOM = "\ufeff";

/** A text as an editor shows it, and what its file has that is not shown. */
export type TextFile = {
  /** With `\n` at the end of lines if the file has the same end everywhere, without the byte order mark. */
  readonly text: string;
  readonly hasBom: boolean;
  /** True if every line ends with `\r\n`. */
  readonly isCrlf: boolean;
};

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the text of a file; undefined if it is not UTF-8, or holds a zero character: then it is not text. */
export function textOf(content: Uint8Array): TextFile | undefined {
  if (content.includes(0)) return undefined;
  let whole: string;
  try {
    whole = decoder.decode(content);
  } catch {
    return undefined;
  }
  const hasBom = whole.startsWith(BOM);
  const text = hasBom ? whole.slice(1) : whole;
  const isCrlf = text.includes("\r\n") && !/(?<!\r)\n|\r(?!\n)/u.test(text);
  return { text: isCrlf ? text.replaceAll("\r\n", "\n") : text, hasBom, isCrlf };
}

/** Returns the content of a file with this text, and with the line ends and the byte order mark of what it was. */
export function contentOfText(text: string, { hasBom, isCrlf }: Omit<TextFile, "text">): Uint8Array {
  const plain = text.startsWith(BOM) ? text.slice(1) : text;
  const ended = isCrlf ? plain.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n") : plain;
  return new TextEncoder().encode((hasBom || plain !== text ? BOM : "") + ended);
}

/** Returns the lines of a text; the end of the last line makes none. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
