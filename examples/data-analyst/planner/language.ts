export type Language = "en" | "zh";

const HAN = /\p{Script=Han}/gu;
const LATIN_WORD = /[a-z]+/gi;

/** Names and values of a database, which are in whatever language they are. */
const QUOTED = /"[^"]*"|“[^”]*”|「[^」]*」|`[^`]*`/g;

/** Chinese if what is not quoted has as many Chinese characters as Latin words, else English. */
export function languageOf(text: string): Language {
  const own = text.replaceAll(QUOTED, " ");
  const han = own.match(HAN)?.length ?? 0;
  const words = own.match(LATIN_WORD)?.length ?? 0;
  return han > 0 && han >= words ? "zh" : "en";
}
