import type { Token } from "./token.ts";

const SMALL_NUMBERS: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  一: 1,
  二: 2,
  两: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
  十: 10,
};
const COUNT = `(\\d{1,4}|${Object.keys(SMALL_NUMBERS).join("|")})`;
const END = "(?![A-Za-z\\d])";
const THINGS = "(?:个|名|位|家|款|种|大|的)";

/** Ways to ask for the first or last of a ranking, and whether the largest come first. */
const PATTERNS: readonly (readonly [RegExp, boolean])[] = [
  [new RegExp(`^top\\s*${COUNT}${END}`, "iu"), true],
  [new RegExp(`^bottom\\s*${COUNT}${END}`, "iu"), false],
  [new RegExp(`^${COUNT}\\s+(?:best[- ]selling|best|highest|largest|biggest|top)${END}`, "iu"), true],
  [new RegExp(`^${COUNT}\\s+(?:worst|lowest|smallest|least)${END}`, "iu"), false],
  [new RegExp(`^top${END}`, "iu"), true],
  [new RegExp(`^bottom${END}`, "iu"), false],
  [new RegExp(`^(?:排名)?前\\s*${COUNT}\\s*${THINGS}*`, "u"), true],
  [new RegExp(`^(?:排名)?(?:后|倒数)\\s*${COUNT}\\s*${THINGS}*`, "u"), false],
  [new RegExp(`^最(?:高|大|多|好|畅销)的?\\s*${COUNT}\\s*${THINGS}`, "u"), true],
  [new RegExp(`^最(?:低|小|少|差)的?\\s*${COUNT}\\s*${THINGS}`, "u"), false],
];
/** What "top cities" means when no number is given. */
const DEFAULT_COUNT = 5;

/** "top 5", "three best", "前5名", "最高的5个" at the start of a text. */
export function readTop(text: string): Token | undefined {
  for (const [pattern, descending] of PATTERNS) {
    const match = pattern.exec(text);
    if (!match) continue;
    const [said, number] = match;
    const count =
      number === undefined ? DEFAULT_COUNT : (SMALL_NUMBERS[number.toLowerCase()] ?? Number(number));
    if (count > 0) return { kind: "top", text: said, count, descending };
  }
  return undefined;
}
