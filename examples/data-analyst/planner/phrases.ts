import { plural, singular, synonymsOf, wordsOf, VALUE_ALIASES } from "./concepts.ts";
import { CUES, type Cue } from "./lexicon.ts";
import type { Column, Schema, Table } from "./schema.ts";

/** What a phrase may name, with how sure that is: 3 for the very name, less for a synonym. */
export type Naming = {
  readonly columns: readonly { readonly column: Column; readonly weight: number }[];
  readonly tables: readonly { readonly table: Table; readonly weight: number }[];
};
export type ValueOf = { readonly column: Column; readonly value: string };

/** All that a piece of text can mean. */
export type Meaning = {
  cue?: Cue;
  columns: Naming["columns"][number][];
  tables: Naming["tables"][number][];
  values: ValueOf[];
};

export type Phrases = {
  readonly meanings: ReadonlyMap<string, Meaning>;
  /** Lengths of the phrases that start with a character, longest first. */
  readonly lengths: ReadonlyMap<string, readonly number[]>;
};

/** The form in which phrases are compared: one case, plain digits and blanks. The length may differ from the text's. */
export function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

function variants(phrase: string): string[] {
  return [...new Set([phrase, singular(phrase), plural(phrase), plural(singular(phrase))])].filter(
    (one) => one !== "",
  );
}

function isWorthFinding(value: string): boolean {
  return value.length >= 2 && value.length <= 60 && !/^[\d\s.,:/-]*$/.test(value);
}

/** Everything a name may be called, with how sure each is. */
function callsOf(name: string): { readonly phrase: string; readonly weight: number }[] {
  return [
    { phrase: name, weight: 3 },
    ...variants(wordsOf(name)).map((phrase) => ({ phrase, weight: 3 })),
    ...synonymsOf(name).flatMap(({ term, weight }) => variants(term).map((phrase) => ({ phrase, weight }))),
  ];
}

/** A name without a year or a number: "orders" for "orders_2024". */
function withoutNumbers(name: string): string {
  return wordsOf(name)
    .replaceAll(/\b\d+\b/g, "")
    .trim();
}

/** Everything a value may be called. */
function aliasesOf(value: string): string[] {
  const isAlias = ([, aliased]: (typeof VALUE_ALIASES)[number]): boolean =>
    aliased.toLowerCase() === value.toLowerCase();
  return [
    value,
    ...(/^已./.test(value) ? [value.slice(1)] : []),
    ...VALUE_ALIASES.filter(isAlias).map(([alias]) => alias),
  ];
}

class Dictionary {
  readonly meanings = new Map<string, Meaning>();

  at(phrase: string): Meaning {
    const key = fold(phrase);
    const known = this.meanings.get(key);
    if (known) return known;
    const meaning: Meaning = { columns: [], tables: [], values: [] };
    if (key !== "") this.meanings.set(key, meaning);
    return meaning;
  }

  addTable(table: Table): void {
    for (const { phrase, weight } of [table.name, withoutNumbers(table.name)].flatMap(callsOf)) {
      keepBest(this.at(phrase).tables, { table, weight }, (one) => one.table === table);
    }
    for (const column of table.columns) {
      for (const { phrase, weight } of callsOf(column.name)) {
        keepBest(this.at(phrase).columns, { column, weight }, (one) => one.column === column);
        const isKnown = this.at(phrase).values.some((one) => one.column === column);
        if (column.yes !== undefined && weight > 1 && !isKnown)
          this.at(phrase).values.push({ column, value: column.yes });
      }
      for (const value of column.kind === "text" ? column.samples.filter(isWorthFinding) : []) {
        for (const phrase of aliasesOf(value)) this.at(phrase).values.push({ column, value });
      }
    }
  }
}

/** The dictionary of a database: the planner's own words, the names of tables and columns with their synonyms, and the
 *  sample values. */
export function phrasesOf(schema: Schema): Phrases {
  const dictionary = new Dictionary();
  for (const [phrase, cue] of CUES) dictionary.at(phrase).cue = cue;
  for (const table of schema.tables) dictionary.addTable(table);
  const { meanings } = dictionary;
  return { meanings, lengths: lengthsOf(meanings.keys()) };
}

function keepBest<T extends { readonly weight: number }>(
  list: T[],
  entry: T,
  same: (one: T) => boolean,
): void {
  const at = list.findIndex(same);
  if (at === -1) list.push(entry);
  else if (list[at]!.weight < entry.weight) list[at] = entry;
}

function lengthsOf(phrases: Iterable<string>): Map<string, number[]> {
  const lengths = new Map<string, Set<number>>();
  for (const phrase of phrases) {
    const first = phrase.charAt(0);
    const known = lengths.get(first);
    if (known) known.add(phrase.length);
    else lengths.set(first, new Set([phrase.length]));
  }
  return new Map([...lengths].map(([first, known]) => [first, [...known].toSorted((a, b) => b - a)]));
}

const WORD = /[\p{L}\p{N}_]/u;
const HAN = /\p{Script=Han}/u;

/** True if no word is cut in two at this position; Chinese text has no such borders. */
function isBorder(text: string, at: number): boolean {
  const [before, after] = [text.charAt(at - 1), text.charAt(at)];
  return !WORD.test(before) || !WORD.test(after) || HAN.test(before) || HAN.test(after);
}

/** The phrases that folded text has at a position, longest first. */
export function phrasesAt(
  text: string,
  at: number,
  { meanings, lengths }: Phrases,
): { readonly length: number; readonly meaning: Meaning }[] {
  if (!isBorder(text, at)) return [];
  return (lengths.get(text.charAt(at)) ?? []).flatMap((length) => {
    const meaning = at + length <= text.length ? meanings.get(text.slice(at, at + length)) : undefined;
    return meaning && isBorder(text, at + length) ? [{ length, meaning }] : [];
  });
}

/** True if the phrase names a column or table or is a value, whatever else it means. */
export function isNamed({ columns, tables, values }: Meaning): boolean {
  return columns.length + tables.length + values.length > 0;
}

/** What a quoted text means if it is a name or value of the database. Quotes say that the very name is meant. */
export function meaningQuoted(text: string, { meanings }: Phrases): Meaning | undefined {
  const meaning = meanings.get(fold(text));
  if (!meaning || !isNamed(meaning)) return undefined;
  const columns = meaning.columns.filter(({ weight }) => weight === 3);
  const tables = meaning.tables.filter(({ weight }) => weight === 3);
  const exact = columns.length + tables.length > 0 ? { columns, tables } : meaning;
  return { columns: exact.columns, tables: exact.tables, values: meaning.values };
}
