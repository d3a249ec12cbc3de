import { countText } from "../../core/model/request.ts";

/** No tokenizer makes more characters of a token of text. */
const MAX_CHARACTERS_PER_TOKEN = 32;

/** The beginning of a text that has at most so many tokens; the text itself if that is all of it. */
export function cutToTokens(text: string, most: number): string {
  const candidate = text.slice(0, most * MAX_CHARACTERS_PER_TOKEN);
  if (candidate.length === text.length && countText(text) <= most) return text;
  const fits = largest(candidate.length, (end) => countText(text.slice(0, end)) <= most) ?? 0;
  return text.slice(0, fits).toWellFormed();
}

/** The largest number up to `most` that fits, if smaller ones fit too; undefined if 0 does not. */
export function largest(most: number, fits: (n: number) => boolean): number | undefined {
  if (!fits(0)) return undefined;
  let [low, high] = [0, most + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** A text in which no tag of this name begins or ends. */
export function withoutTag(text: string, tag: string): string {
  return text.replaceAll(new RegExp(`<(?=\\s*/?\\s*${tag}\\b)`, "giu"), "&lt;");
}
