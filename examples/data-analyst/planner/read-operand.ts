import type { Comparison } from "./lexicon.ts";
import { phrasesAt, type Naming, type Phrases } from "./phrases.ts";
import { isDate } from "./schema.ts";
import { readTime, type TimeSpan } from "./read-time.ts";

/** What a column is compared with. */
export type Operand = string | number | TimeSpan;

type Place = {
  readonly text: string;
  readonly folded: string;
  readonly at: number;
  readonly phrases: Phrases;
  readonly naming: Naming;
  readonly word: { readonly comparison: Comparison; readonly text: string };
  /** After "where", when any text may be a value. */
  readonly inCondition: boolean;
};

const QUOTED = /^(?:"([^"]*)"|“([^”]*)”|「([^」]*)」|'((?:[^']|'')*)'|‘([^’]*)’)/u;
const NUMBER = /^-?\d[\d,]*(?:\.\d+)?(?![A-Za-z\d])/u;
const RAW_END =
  /\s*(?:[,;?!，。；？！、]|[.]\s|[.]?$|\s(?:and|or|by|per|for|in|from|with|where|each|during|grouped|then|draw|write)\s|的|按|各|每|且|并|和|或)/u;
const VAGUE = /^(is|are|是)$/i;

function knownValue(
  { folded, phrases, naming }: Place,
  at: number,
): { readonly value: string; readonly end: number } | undefined {
  for (const { length, meaning } of phrasesAt(folded, at, phrases)) {
    const match = meaning.values.find(({ column }) =>
      naming.columns.some((candidate) => candidate.column === column),
    );
    if (match) return { value: match.value, end: at + length };
  }
  return undefined;
}

type ReadOperand = { readonly operand: Operand; readonly end: number };

function readQuoted(rest: string, at: number): ReadOperand | undefined {
  const quoted = QUOTED.exec(rest);
  if (!quoted) return undefined;
  const inner = quoted.slice(1).find((group) => group !== undefined) ?? "";
  const operand = quoted[0].startsWith("'") ? inner.replaceAll("''", "'") : inner;
  return { operand, end: at + quoted[0].length };
}

/** Any text up to where the sentence goes on with something else. */
function readRaw({ folded, phrases, inCondition }: Place, rest: string, at: number): ReadOperand | undefined {
  if (!inCondition && phrasesAt(folded, at, phrases).length > 0) return undefined;
  const stop = RAW_END.exec(rest)?.index ?? rest.length;
  return stop === 0 ? undefined : { operand: rest.slice(0, stop), end: at + stop };
}

function readOne(place: Place, start: number, rawAllowed: boolean): ReadOperand | undefined {
  const at = start + (/^\s*/.exec(place.text.slice(start))?.[0].length ?? 0);
  const rest = place.text.slice(at);
  const quoted = readQuoted(rest, at);
  if (quoted) return quoted;
  const known = knownValue(place, at);
  if (known) return { operand: known.value, end: known.end };
  const [first] = place.naming.columns;
  const time = place.naming.columns.some(({ column }) => isDate(column)) ? readTime(rest) : undefined;
  if (time) return { operand: time.time, end: at + time.length };
  const number = NUMBER.exec(rest)?.[0].replace(/,+$/, "");
  if (number !== undefined) {
    const operand = first?.column.kind === "text" ? number : Number(number.replaceAll(",", ""));
    return { operand, end: at + number.length };
  }
  return rawAllowed && rest !== "" ? readRaw(place, rest, at) : undefined;
}

/** The values after a comparison: one, or several of the same column joined by "and", "or" or commas. Undefined if what
 *  follows is no value, so that "is" was only a verb. */
export function readOperands(
  place: Place,
):
  | { readonly comparison: Comparison; readonly operands: readonly Operand[]; readonly end: number }
  | undefined {
  const { comparison, text: word } = place.word;
  const first = readOne(place, place.at, place.inCondition || !VAGUE.test(word));
  if (!first) return undefined;
  const listed = comparison === "=" || comparison === "!=" ? readMore(place, first.end) : [];
  const operands = [first.operand, ...listed.map(({ value }) => value)];
  return { comparison, operands, end: listed.at(-1)?.end ?? first.end };
}

const LINK = /^\s*(?:,\s*(?:and|or)?|，|、|and|or|和|或者?)\s*/u;

/** Further known values of the same column, joined by "and", "or" or commas. */
function readMore(place: Place, start: number): { readonly value: string; readonly end: number }[] {
  const link = LINK.exec(place.text.slice(start))?.[0];
  const next = link === undefined ? undefined : knownValue(place, start + link.length);
  return next ? [next, ...readMore(place, next.end)] : [];
}
