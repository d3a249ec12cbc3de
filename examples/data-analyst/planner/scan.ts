import {
  fold,
  isNamed,
  meaningQuoted,
  phrasesAt,
  type Meaning,
  type Phrases,
  type ValueOf,
} from "./phrases.ts";
import { readOperands } from "./read-operand.ts";
import { readTime } from "./read-time.ts";
import { readTop } from "./read-top.ts";
import { isName, type Token } from "./token.ts";

/** Where the scanner stands. `text` keeps the case, `folded` is what phrases are compared with; they are equally long. */
type Place = {
  readonly text: string;
  readonly folded: string;
  readonly phrases: Phrases;
  readonly at: number;
  readonly previous: Token | undefined;
  /** After "where", when any text may be a value. */
  readonly inCondition: boolean;
};

/** A token, or two made into one: a name and what it is compared with. */
type Read = { readonly token: Token; readonly end: number; readonly replacesPrevious?: true };

const QUOTED = /^(?:"([^"]*)"|“([^”]*)”|「([^」]*)」|'([^']*)'(?![\p{L}])|‘([^’]*)’|`([^`]*)`)/u;
const NUMBER = /^-?\d[\d,]*(?:\.\d+)?(?![A-Za-z\d])/u;
const WORD = /^(?:\p{Script=Han}|[\p{L}\p{N}_']+(?:-[\p{L}\p{N}_]+)*|.)/su;
/** What stands between "在" and "的", when no word of it is known. */
const HAN_PLACE = /^\p{Script=Han}{2,12}?(?=的|[,，。?？]|按|各|每|$)/u;

/** Right after "in", "not" or the name of its column a phrase is a value rather than a name or a cue. */
function prefersValue(previous: Token | undefined, values: readonly ValueOf[]): boolean {
  if (previous?.kind === "name") {
    return previous.columns.some(({ column }) => values.some((value) => value.column === column));
  }
  return previous?.kind === "in" || previous?.kind === "not" || previous?.kind === "value";
}

function toToken(text: string, meaning: Meaning, previous: Token | undefined): Token | undefined {
  const { cue, columns, tables, values } = meaning;
  if (values.length > 0 && prefersValue(previous, values)) return { kind: "value", text, values };
  // "average total" asks for the column of that name, "total by city" does not.
  const yields = !cue || cue.kind === "filler" || (cue.kind === "metric" && previous?.kind === "metric");
  if (columns.length + tables.length > 0 && yields) return { kind: "name", text, columns, tables };
  if (cue && cue.kind !== "filler") return { ...cue, text };
  if (values.length > 0) return { kind: "value", text, values };
  return cue && { ...cue, text };
}

/** Times and "top 5", unless a longer name or value starts the same way: "Q1 Special", "Top Gear". */
function readFixed({ text, folded, phrases, at }: Place): Read | undefined {
  const rest = text.slice(at);
  const time = readTime(rest);
  const said = time && rest.slice(0, time.length);
  const token: Token | undefined =
    time && said !== undefined ? { kind: "time", text: said, time: time.time } : readTop(rest);
  const [phrase] = token ? phrasesAt(folded, at, phrases) : [];
  if (!token || (phrase && isNamed(phrase.meaning) && phrase.length > token.text.length)) return undefined;
  return { token, end: at + token.text.length };
}

function readPhrase(place: Place): Read | undefined {
  const { text, folded, phrases, at, previous } = place;
  const rest = text.slice(at);
  const quoted = QUOTED.exec(rest);
  const inner = quoted?.slice(1).find((group) => group !== undefined);
  const meaning = inner === undefined ? undefined : meaningQuoted(inner, phrases);
  const found = quoted ? meaning && { meaning, length: quoted[0].length } : phrasesAt(folded, at, phrases)[0];
  const isUnknown = !found || (found.meaning.cue?.kind === "filler" && !isNamed(found.meaning));
  const unknown = previous?.kind === "in" && isUnknown ? HAN_PLACE.exec(rest)?.[0] : undefined;
  if (unknown !== undefined) return { token: { kind: "word", text: unknown }, end: at + unknown.length };
  const token = found && toToken(rest.slice(0, found.length), found.meaning, previous);
  if (token)
    return token.kind === "compare" ? readComparison(place, token) : { token, end: at + token.text.length };
  if (!quoted) return undefined;
  return { token: { kind: "literal", text: quoted[0], literal: inner ?? "" }, end: at + quoted[0].length };
}

/** A comparison makes a filter of the name before it; without a name or a value it was only a verb. */
function readComparison(place: Place, token: Extract<Token, { kind: "compare" }>): Read {
  const { text, at, previous } = place;
  const end = at + token.text.length;
  const naming = isName(previous) && previous.columns.length > 0 ? previous : undefined;
  const read = naming && readOperands({ ...place, at: end, naming, word: token });
  if (!read) {
    // "at least 2000 units": a bound that no name stands before must not be taken for a year.
    const isBound = token.comparison !== "=" && /^\s*\d/.test(text.slice(end));
    const verb = token.comparison === "!=" ? "not" : "filler";
    return { token: { kind: isBound ? "beyond" : verb, text: token.text }, end };
  }
  const { comparison, operands } = read;
  const said = `${naming.text} ${text.slice(at, read.end)}`;
  return {
    token: { kind: "filter", text: said, naming, comparison, operands },
    end: read.end,
    replacesPrevious: true,
  };
}

function readRest({ text, at }: Place): Read {
  const rest = text.slice(at);
  const number = NUMBER.exec(rest)?.[0];
  if (number !== undefined) {
    const literal = Number(number.replaceAll(",", ""));
    return { token: { kind: "literal", text: number, literal }, end: at + number.length };
  }
  const word = WORD.exec(rest)?.[0] ?? rest.charAt(0);
  return {
    token: { kind: /^[\p{L}\p{N}]/u.test(word) ? "word" : "break", text: word },
    end: at + word.length,
  };
}

/** Cuts a question into tokens, from left to right, the longest known phrase first. */
export function scan(question: string, phrases: Phrases): Token[] {
  const normal = question.normalize("NFKC");
  const folded = fold(question);
  const text = folded.length === normal.length ? normal : folded;
  const tokens: Token[] = [];
  let inCondition = false;
  for (let at = 0; at < text.length;) {
    if (/\s|\u200b/u.test(text.charAt(at))) {
      at++;
      continue;
    }
    const place: Place = { text, folded, phrases, at, previous: tokens.at(-1), inCondition };
    const { token, end, replacesPrevious } = readFixed(place) ?? readPhrase(place) ?? readRest(place);
    if (replacesPrevious) tokens.pop();
    tokens.push(token);
    at = end;
    if (token.kind === "where") inCondition = true;
    else if (token.kind === "break" && !/^[,，]$/.test(token.text)) inCondition = false;
  }
  return tokens;
}
