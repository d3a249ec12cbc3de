import { countText } from "../../core/model/request.ts";

/** No tokenizer makes more characters of a token of text. */
const MAX_CHARACTERS_PER_TOKEN = 32;

/** The beginning of a text that has at most so many tokens; the text itself if that is all of it. */
export function cutToTokens(text: string, most: number): string {
  const candidate = text.slice(0, most * MAX_CHARACTERS_PER_TOKEN);
  if (candidate.length === text.length && countText(text) <= most) return text;
  let [fits, exceeds] = [0, candidate.length + 1];
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2);
    if (countText(text.slice(0, middle)) <= most) fits = middle;
    else exceeds = middle;
  }
  return text.slice(0, fits).toWellFormed();
}

/** A text in which no tag of this name begins or ends. */
export function withoutTag(text: string, tag: string): string {
  return text.replaceAll(new RegExp(`<(?=\\s*/?\\s*${tag}\\b)`, "giu"), "&lt;");
}
