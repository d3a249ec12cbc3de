/** The languages in which the desk answers. */
export type Language = "en" | "zh";

/** The language of a text: Chinese if it has a Chinese character. */
export function languageOf(text: string): Language {
  return /\p{Script=Han}/u.test(text) ? "zh" : "en";
}
