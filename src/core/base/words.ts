/** Scripts that put no spaces between words. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const RUNS = new RegExp(`[${UNSPACED}ー]+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const IS_ASCII = /^[\w-]*$/;
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");

/** The words of a text in lower case; what stands between two other characters in a script without spaces is one word. */
export const runsOf = (text: string): readonly string[] =>
  text.normalize("NFKC").toLowerCase().match(RUNS) ?? [];

/** True for a word in a script that puts no spaces between words. */
export const isUnspaced = (run: string): boolean => IS_UNSPACED.test(run);

/** A word without its accents; a word of accents alone as it is. */
export function plainOf(run: string): string {
  if (IS_ASCII.test(run)) return run;
  return run.normalize("NFD").replaceAll(/\p{M}/gu, "").normalize("NFC") || run;
}

/** Each two characters that are neighbours. */
export const pairsOf = (characters: readonly string[]): readonly string[] =>
  characters.slice(1).map((character, index) => characters[index]! + character);
