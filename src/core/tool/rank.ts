/** A thing that is searched, with its words; a word that stands there more often counts more. */
export type Searched<T> = { readonly item: T; readonly words: readonly string[] };

/** The constants of BM25: how soon more of the same word counts no more, and how much a long text is discounted. */
const SATURATION = 1.2;
const LENGTH_DISCOUNT = 0.75;

/** The words of a text in lower case and without a plural s: `camelCase` and `snake_case` are several, each Han character is one. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2").toLowerCase();
  const words = spaced.match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (word.length > 3 ? word.replace(/ies$/u, "y").replace(/(?<!s)s$/u, "") : word));
}

/** The weight of a word that so many of the texts have: the rarer, the more. */
export function rarityOf(having: number, texts: number): number {
  return Math.log(1 + (texts - having + 0.5) / (having + 0.5));
}

/**
 * The items that match a query, best first by BM25, in their order if they match equally well. Written here and not taken from a
 * package, because every process and every release must find the same.
 */
export function rank<T>(query: string, searched: readonly Searched<T>[]): readonly T[] {
  const asked = new Set(wordsOf(query));
  const averageLength = searched.reduce((sum, { words }) => sum + words.length, 0) / searched.length;
  const counts = searched.map(({ words }) => {
    const found = new Map<string, number>();
    for (const word of words) if (asked.has(word)) found.set(word, (found.get(word) ?? 0) + 1);
    return found;
  });
  const weights = new Map(
    [...asked].map((word) => {
      const having = counts.filter((found) => found.has(word)).length;
      return [word, rarityOf(having, searched.length)];
    }),
  );
  const scored = searched.map(({ item, words }, index) => {
    const length = 1 - LENGTH_DISCOUNT + (LENGTH_DISCOUNT * words.length) / averageLength;
    const score = [...counts[index]!].reduce(
      (sum, [word, count]) =>
        sum + (weights.get(word)! * count * (SATURATION + 1)) / (count + SATURATION * length),
      0,
    );
    return { item, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

/** The constant of reciprocal rank fusion: how little the first places count more than those after them. */
const RANK_CONSTANT = 60;

/**
 * The best things of several rankings, by the sum of their reciprocal ranks. What stands in the middle of all rankings would come before
 * what one of them has first: so the first ones of each ranking are among them in any case, if not before the others.
 */
export function fused(rankings: readonly (readonly number[])[], limit: number): readonly number[] {
  const sums = new Map<number, number>();
  for (const ranking of rankings)
    for (const [rank, row] of ranking.entries())
      sums.set(row, (sums.get(row) ?? 0) + 1 / (RANK_CONSTANT + rank + 1));
  const ranked = [...sums].toSorted((a, b) => b[1] - a[1]).map(([row]) => row);
  const kept = new Set(rankings.flatMap((ranking) => ranking.slice(0, Math.floor(limit / 4))));
  const others = ranked.filter((row) => !kept.has(row)).slice(0, Math.max(0, limit - kept.size));
  const chosen = new Set([...kept, ...others]);
  return ranked.filter((row) => chosen.has(row)).slice(0, limit);
}
