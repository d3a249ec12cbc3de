import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";

/** Options of {@link split}. */
export type SplitOptions = {
  /** The most characters of a passage, from 100 to 20,000; default 1,000. */
  readonly size?: number | undefined;
  /** The approximate number of characters of the end of a passage with which the next one begins; at most half of `size`. Default 150. */
  readonly overlap?: number | undefined;
  /** `markdown`: a heading begins a passage, and each passage begins with the headings it stands under. Default `text`. */
  readonly by?: "markdown" | "text" | undefined;
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

/** The number of characters that are looked at for sentences at once: an expression that must repeat more often has no room on the stack. */
const BLOCK = 16_384;

/** A paragraph in parts of at most {@link BLOCK} characters that end with a word, where there is one. */
function* blocksOf(paragraph: string): Generator<string> {
  let from = 0;
  while (paragraph.length - from > BLOCK) {
    const part = paragraph.slice(from, from + BLOCK);
    const word = part.search(/\s\S*$/u) + 1;
    const isHalf = /[\uD800-\uDBFF]$/u.test(part);
    const length = word > 0 ? word : BLOCK - (isHalf ? 1 : 0);
    yield part.slice(0, length);
    from += length;
  }
  yield paragraph.slice(from);
}

/** The paragraphs of a text, one after the other: what is behind a paragraph is not looked at yet. */
function* paragraphsOf(text: string): Generator<string> {
  let from = 0;
  for (const { index, 0: gap } of text.matchAll(/(?<=\n)[ \t]*\n+/gu)) {
    yield text.slice(from, index);
    from = index + gap.length;
  }
  yield text.slice(from);
}

/** A text in pieces of at most `size` characters: sentences, else words, else characters. */
function* piecesOf(text: string, size: number): Generator<Piece> {
  for (const paragraph of paragraphsOf(text)) {
    let last: string | undefined;
    for (const block of blocksOf(paragraph.trimEnd()))
      for (const sentence of block.match(SENTENCES) ?? [])
        for (const piece of smallParts(sentence, size)) {
          if (last !== undefined) yield { text: last, endsParagraph: false };
          last = piece;
        }
    if (last !== undefined) yield { text: `${last.trimEnd()}\n\n`, endsParagraph: true };
  }
}

function smallParts(sentence: string, size: number): readonly string[] {
  if (sentence === "") return [];
  if (sentence.length <= size) return [sentence];
  return (sentence.match(WORDS) ?? []).flatMap((word) => (word.length <= size ? [word] : cutUp(word, size)));
}

const lengthOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, { text }) => sum + text.length, 0);

/** Returns the end of a full passage: behind its last paragraph, if that makes it half full at least. */
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

function* splitText(text: string, size: number, overlap: number): Generator<string> {
  /** The pieces of the passage that is being filled; the first `old` of them are of the one before it. */
  let open: Piece[] = [];
  let [length, old] = [0, 0];
  const reopen = (pieces: readonly Piece[], repeated: number): void => {
    open = [...pieces];
    [length, old] = [lengthOf(pieces), repeated];
  };
  const close = (end: number): string => {
    const pieces = open.slice(0, end);
    const tail = tailOf(pieces, overlap);
    reopen([...tail, ...open.slice(end)], tail.length);
    return pieces
      .map((piece) => piece.text)
      .join("")
      .trim();
  };
  for (const piece of piecesOf(text, size)) {
    if (piece.text.trim() === "") continue;
    const needed = piece.text.trimEnd().length;
    const isFull = (): boolean => length + needed > size;
    while (isFull() && open.length > old) yield close(Math.max(endOf(open, size), old + 1));
    while (isFull()) reopen(open.slice(1), old - 1); // less overlap
    open.push(piece);
    length += piece.text.length;
  }
  if (open.length > old) yield close(open.length);
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/u;
const FENCE = /^ {0,3}(`{3,}|~{3,})/u;

type Section = { readonly headings: readonly string[]; readonly text: string };

/** The lines of a text, one after the other. */
function* linesOf(text: string): Generator<string> {
  let from = 0;
  for (let to = text.indexOf("\n"); to >= 0; to = text.indexOf("\n", from)) {
    yield text.slice(from, to);
    from = to + 1;
  }
  yield text.slice(from);
}

/** From how many lines on the next paragraph begins a new part of its section, and after how many lines any line does. */
const [MANY_LINES, MAX_LINES] = [500, 5_000];

/** The text between headings, with the headings above it, a long one in several parts, mostly at the end of a paragraph. What stands in a code
 *  block is not a heading. */
function* sectionsOf(text: string): Generator<Section> {
  let headings: readonly { readonly level: number; readonly title: string }[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const close = (): readonly Section[] => {
    const body = lines.join("\n").trim();
    lines = [];
    return body === "" ? [] : [{ headings: headings.map(({ title }) => title), text: body }];
  };
  for (const line of linesOf(text)) {
    const [, mark] = FENCE.exec(line) ?? [];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark !== undefined && mark.startsWith(fence!)) fence = undefined;
    const [, level, title] = (fence === undefined && HEADING.exec(line)) || [];
    if (level === undefined) {
      lines.push(line);
      if (lines.length >= (line === "" ? MANY_LINES : MAX_LINES)) yield* close();
      continue;
    }
    yield* close();
    headings = [
      ...headings.filter((each) => each.level < level.length),
      { level: level.length, title: title! },
    ];
  }
  yield* close();
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
  return [...passagesOf(text, options)];
}

/** As {@link split}: makes the passages one after the other, so that its caller may pause in between. */
export function* passagesOf(text: string, options: SplitOptions = {}): Generator<string> {
  check(splitSchema(), options, "split");
  const { size = 1_000, overlap = Math.min(150, size / 2), by = "text" } = options;
  const plain = text.replaceAll("\r\n", "\n");
  if (by === "text") return yield* splitText(plain, size, overlap);
  for (const { headings, text: body } of sectionsOf(plain)) {
    const path = headings.join(" › ").slice(0, Math.floor(size / 4));
    if (path === "") yield* splitText(body, size, overlap);
    else
      for (const passage of splitText(body, size - path.length - 2, Math.min(overlap, Math.floor(size / 3))))
        yield `${path}\n\n${passage}`;
  }
}
