import { keep, kept } from "../store/kept.ts";

/** The languages of the pages, and what speakers of each call it. */
export const LANGUAGES = { en: "English", zh: "中文" } as const;
/** One of {@link LANGUAGES}. */
export type Language = keyof typeof LANGUAGES;

const KEY = "agentchart.language";

/** The language that a person has chosen, else the first one of the browser's that the page has. */
export const language: Language = chosenLanguage();
if (globalThis.document) document.documentElement.lang = { en: "en", zh: "zh-Hans" }[language];

function chosenLanguage(): Language {
  if (!globalThis.document) return "en";
  const wanted = [kept(KEY) ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  return wanted.find((tag): tag is Language => Object.hasOwn(LANGUAGES, tag)) ?? "en";
}

/** Changes the language. Words are read when the page is loaded, so that it is loaded again, at the same place. */
export function speak(next: Language): void {
  keep(KEY, next);
  location.reload();
}
