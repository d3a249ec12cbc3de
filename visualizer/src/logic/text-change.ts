/** Two texts that begin and end the same: the same beginning, what differs, and the same end. */
export type TextChange = {
  readonly begin: string;
  readonly before: string;
  readonly after: string;
  readonly end: string;
};

const isWord = (char: string | undefined): boolean =>
  char !== undefined && /[\p{L}\p{N}\p{M}_\uD800-\uDFFF]/u.test(char);

/** Returns what differs between two texts, in whole words. */
export function changedMiddle(before: string, after: string): TextChange {
  const most = Math.min(before.length, after.length);
  let begin = 0;
  while (begin < most && before[begin] === after[begin]) begin++;
  const isInWord = (at: number): boolean => isWord(before[at]) || isWord(after[at]);
  while (begin > 0 && isWord(before[begin - 1]) && isInWord(begin)) begin--;
  let end = 0;
  while (end < most - begin && before.at(-1 - end) === after.at(-1 - end)) end++;
  const isCut = (): boolean => isWord(before.at(-1 - end)) || isWord(after.at(-1 - end));
  while (end > 0 && isWord(before.at(-end)) && isCut()) end--;
  return {
    begin: before.slice(0, begin),
    before: before.slice(begin, before.length - end),
    after: after.slice(begin, after.length - end),
    end: end === 0 ? "" : before.slice(-end),
  };
}
