import { rarityOf, wordsOf } from "../../core/tool/rank.ts";

/**
 * Returns the scores of texts, from 0 to 1. The score is the share of the query's words that a text has, of which those count more that few
 * texts have.
 */
export function scoresOf(query: string, texts: readonly string[]): readonly number[] {
  const asked = [...new Set(wordsOf(query))];
  const having = texts.map((text) => new Set(wordsOf(text)));
  const weights = asked.map((word) => {
    const count = having.filter((words) => words.has(word)).length;
    return count === 0 ? 0 : rarityOf(count, texts.length);
  });
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return having.map((words) => {
    const found = asked.reduce((sum, word, index) => (words.has(word) ? sum + weights[index]! : sum), 0);
    return whole === 0 ? 0 : found / whole;
  });
}
