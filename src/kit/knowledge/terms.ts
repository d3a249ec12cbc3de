import { stemmer } from "stemmer";
import { isUnspaced, pairsOf, plainOf, runsOf } from "../../core/base/words.ts";
import { rarityOf } from "../../core/tool/rank.ts";

/** English words that stand in most questions and say nothing. */
const STOP_WORDS = new Set(
  "a an and are as at be by can did do does for from had has have how i if in is it its me my of on or our so that the their them then there they this to was we were what when where which who why will with you your".split(
    " ",
  ),
);

/** The stems of words that were seen lately: the same ones stand in most passages. */
const stems = new Map<string, string>();
const MAX_STEMS = 10_000;

/** A word without accents and without an English ending. */
function stemOf(run: string): string {
  const known = stems.get(run);
  if (known !== undefined) return known;
  const plain = plainOf(run);
  const stem = /^[a-z]+$/u.test(plain) ? stemmer(plain) : plain;
  if (stems.size >= MAX_STEMS) stems.clear();
  stems.set(structuredClone(run), structuredClone(stem)); // a part of a text, as a key, would keep all of that
  return stem;
}

function termsOfRun(run: string, isQuery: boolean): readonly string[] {
  if (!isUnspaced(run)) {
    return [stemOf(run)];
  }
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return isQuery ? pairsOf(characters) : [...characters, ...pairsOf(characters)];
}

/** Returns the terms by which a text is found. They are words in lower case without accents and English endings; of Chinese, Japanese and
 *  other text without spaces each character and each pair of neighbours. */
export function termsOf(text: string): readonly string[] {
  return runsOf(text).flatMap((run) => termsOfRun(run, false));
}

const MAX_TERMS = 64;

/** The terms of a query, each once: of text without spaces the pairs alone, unless it is one character. */
export function queryTerms(text: string): readonly string[] {
  const runs = runsOf(text);
  const telling = runs.filter((run) => !STOP_WORDS.has(run));
  const terms = (telling.length > 0 ? telling : runs).flatMap((run) => termsOfRun(run, true));
  return [...new Set(terms)].slice(0, MAX_TERMS);
}

/** The terms of a text without the small words of English. */
export function tellingTerms(text: string): readonly string[] {
  return runsOf(text)
    .filter((run) => !STOP_WORDS.has(run))
    .flatMap((run) => termsOfRun(run, false));
}

/** A term of a query, in how many passages it stands, and how much it counts: the rarer, the more. */
export type WeightedTerm = { readonly term: string; readonly count: number; readonly weight: number };

/** Terms with their weights, the rarest first. */
export function weighted(
  terms: readonly string[],
  counts: ReadonlyMap<string, number>,
  total: number,
): readonly WeightedTerm[] {
  return terms
    .map((term) => {
      const count = counts.get(term) ?? 0;
      return { term, count, weight: rarityOf(count, total) };
    })
    .toSorted((a, b) => a.count - b.count);
}

/** The approximate maximum number of passages that a search by words looks at. */
const MAX_MATCHES = 20_000;

/** The terms to search for: those that stand somewhere, without the most frequent ones where the rarer ones find enough. */
export function searched(terms: readonly WeightedTerm[]): readonly WeightedTerm[] {
  let matches = 0;
  return terms.filter(({ count }, index) => {
    matches += count;
    return count > 0 && (matches <= MAX_MATCHES || terms.slice(0, index).every((term) => term.count === 0));
  });
}

/** The share of a query that a text has, by weight, from 0 to 1. */
export function shareOf(terms: readonly WeightedTerm[], text: string): number {
  const having = new Set(termsOf(text));
  const whole = terms.reduce((sum, { weight }) => sum + weight, 0);
  const found = terms.reduce((sum, { term, weight }) => (having.has(term) ? sum + weight : sum), 0);
  return whole === 0 ? 0 : found / whole;
}
