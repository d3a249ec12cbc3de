import * as s from "../../base/option-schema.ts";
import { check } from "../../base/options.ts";

/** Options of {@link split}. */
export type SplitOptions = {
  /** The most characters of a passage, from 100 to 20,000; default 1,000. */
  readonly size?: number;
  /** How many characters of the end of a passage the next one begins with, about; at most half of `size`. Default 150. */
  readonly overlap?: number;
  /** `markdown`: a heading begins a passage, and each passage begins with the headings it stands under. Default `text`. */
  readonly by?: "markdown" | "text";
};

/** The schema of {@link SplitOptions}. */
export const splitSchema = s.lazily(() =>
  s.restricted(
    s.options<SplitOptions>({
      size: s.optional(s.integer(100, 20_000)),
      overlap: s.optional(s.integer(0)),
      by: s.optional(s.oneOf("markdown", "text")),
    }),
    ({ size = 1_000, overlap = Math.min(150, size / 2) }) => overlap <= size / 2,
    "an `overlap` of at most half of `size`",
  ),
);

type Piece = { readonly text: string; readonly endsParagraph: boolean };

/** The end of a sentence, of a line, and in the worst case of a word. */
const SENTENCES = /(?:[^\n.!?。！？；]|[.!?]+(?!\s|$|[.!?]))*(?:[.!?]+|[。！？；]+|\n+|$)[ \t]*/gu;
const WORDS = /\S+\s*|\s+/gu;

function cutUp(text: string, size: number): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const isHalf = /[\uD800-\uDBFF]/u.test(text.charAt(from + size - 1)) && from + size < text.length;
    const to = from + size - (isHalf ? 1 : 0);
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts;
}

/** A text in pieces of at most `size` characters: sentences, else words, else characters. */
function piecesOf(text: string, size: number): readonly Piece[] {
  return text.split(/(?<=\n)[ \t]*\n+/u).flatMap((paragraph) => {
    const sentences = (paragraph.trimEnd().match(SENTENCES) ?? []).filter((sentence) => sentence !== "");
    const small = sentences.flatMap((sentence) =>
      sentence.length <= size
        ? [sentence]
        : (sentence.match(WORDS) ?? []).flatMap((word) => (word.length <= size ? [word] : cutUp(word, size))),
    );
    return small.map((piece, index) => {
      const endsParagraph = index === small.length - 1;
      return { text: endsParagraph ? `${piece.trimEnd()}\n\n` : piece, endsParagraph };
    });
  });
}

const lengthOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, { text }) => sum + text.length, 0);

/** Where a full passage ends: behind its last paragraph, if that makes it half full at least. */
function endOf(pieces: readonly Piece[], size: number): number {
  const paragraph = pieces.findLastIndex(({ endsParagraph }) => endsParagraph) + 1;
  return lengthOf(pieces.slice(0, paragraph)) >= size / 2 ? paragraph : pieces.length;
}

/** The last pieces, of at most `overlap` characters together; never all of them. */
function tailOf(pieces: readonly Piece[], overlap: number): readonly Piece[] {
  let length = 0;
  let from = pieces.length;
  while (from > 1 && length + pieces[from - 1]!.text.length <= overlap) length += pieces[--from]!.text.length;
  return pieces.slice(from);
}

function splitText(text: string, size: number, overlap: number): readonly string[] {
  const passages: string[] = [];
  /** The pieces of the passage that is being filled; the first `old` of them are of the one before it. */
  let open: Piece[] = [];
  let [length, old] = [0, 0];
  const reopen = (pieces: readonly Piece[], repeated: number): void => {
    open = [...pieces];
    [length, old] = [lengthOf(pieces), repeated];
  };
  const close = (end: number): void => {
    const pieces = open.slice(0, end);
    passages.push(
      pieces
        .map((piece) => piece.text)
        .join("")
        .trim(),
    );
    const tail = tailOf(pieces, overlap);
    reopen([...tail, ...open.slice(end)], tail.length);
  };
  for (const piece of piecesOf(text, size)) {
    if (piece.text.trim() === "") continue;
    const needed = piece.text.trimEnd().length;
    const isFull = (): boolean => length + needed > size;
    while (isFull() && open.length > old) close(Math.max(endOf(open, size), old + 1));
    while (isFull()) reopen(open.slice(1), old - 1); // less overlap
    open.push(piece);
    length += piece.text.length;
  }
  if (open.length > old) close(open.length);
  return passages;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/u;
const FENCE = /^ {0,3}(`{3,}|~{3,})/u;

type Section = { readonly headings: readonly string[]; readonly text: string };

/** The text between headings, with the headings above it. What stands in a code block is no heading. */
function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = [];
  let headings: readonly { readonly level: number; readonly title: string }[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const close = (): void => {
    const body = lines.join("\n").trim();
    if (body !== "") sections.push({ headings: headings.map(({ title }) => title), text: body });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const [, mark] = FENCE.exec(line) ?? [];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark !== undefined && mark.startsWith(fence!)) fence = undefined;
    const [, level, title] = (fence === undefined && HEADING.exec(line)) || [];
    if (level === undefined) {
      lines.push(line);
      continue;
    }
    close();
    headings = [
      ...headings.filter((each) => each.level < level.length),
      { level: level.length, title: title! },
    ];
  }
  close();
  return sections;
}

/**
 * Splits a text into passages, at the ends of paragraphs and sentences where that is possible. Throws `config/invalid` for wrong
 * options.
 *
 * @example
 * ```ts
 * import { split } from "agentchart/knowledge";
 *
 * const passages = split("# Refunds\n\nA refund takes five days.", { by: "markdown" });
 * ```
 */
export function split(text: string, options: SplitOptions = {}): readonly string[] {
  check(splitSchema(), options, "split");
  const { size = 1_000, overlap = Math.min(150, size / 2), by = "text" } = options;
  const plain = text.replaceAll("\r\n", "\n");
  if (by === "text") return splitText(plain, size, overlap);
  return sectionsOf(plain).flatMap(({ headings, text: body }) => {
    const path = headings.join(" › ").slice(0, Math.floor(size / 4));
    if (path === "") return splitText(body, size, overlap);
    return splitText(body, size - path.length - 2, Math.min(overlap, Math.floor(size / 3))).map(
      (passage) => `${path}\n\n${passage}`,
    );
  });
}
