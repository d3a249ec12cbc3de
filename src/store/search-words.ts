import { isUnspaced, pairsOf, plainOf, runsOf } from "../core/base/words.ts";

/** Longer words are cut: nobody types them, and full-text indexes refuse them. */
const MAX_WORD = 64;
/** The maximum number of characters of one text that are indexed: of a very long result, its beginning. */
const MAX_TEXT = 65_536;
/** The maximum number of words of a query that count. */
const MAX_QUERY_WORDS = 32;

/** Calls `add` with each word that a text is found by. Words are in lower case and without accents; of Chinese, Japanese and other text
 *  without spaces each character and each pair of neighbours is a word. */
export function eachWord(text: string, add: (word: string) => void): void {
  for (const run of runsOf(text.slice(0, MAX_TEXT).toWellFormed())) {
    if (!isUnspaced(run)) {
      add(cut(plainOf(run)));
      continue;
    }
    const characters = Array.from(run);
    for (const character of characters) add(character);
    for (const pair of pairsOf(characters)) add(pair);
  }
}

/** A word to look for. `isPrefix`: longer words that begin with it count too. */
export type QueryWord = { readonly word: string; readonly isPrefix: boolean };

/** The words to look for, each once. */
export function queryWords(text: string): readonly QueryWord[] {
  const words = runsOf(text.slice(0, MAX_TEXT).toWellFormed()).flatMap((run): QueryWord[] => {
    if (!isUnspaced(run)) return [{ word: cut(plainOf(run)), isPrefix: true }];
    const characters = Array.from(run);
    const parts = characters.length === 1 ? characters : pairsOf(characters);
    return parts.map((word) => ({ word, isPrefix: false }));
  });
  return [...new Map(words.map((word) => [word.word, word])).values()].slice(0, MAX_QUERY_WORDS);
}

/** True if a set of words has all words of a query. */
export function hasWords(words: ReadonlySet<string>, query: readonly QueryWord[]): boolean {
  return query.every(
    ({ word, isPrefix }) => words.has(word) || (isPrefix && [...words].some((each) => each.startsWith(word))),
  );
}

const cut = (word: string): string =>
  word.length <= MAX_WORD ? word : word.slice(0, MAX_WORD).toWellFormed();
