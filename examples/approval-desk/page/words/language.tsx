import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from "react";
import { en, type Words } from "./en.ts";
import { Format } from "./format.ts";
import { zh } from "./zh.ts";

const WORDS = { en, zh } as const;
/** The languages of the page, and what speakers of each call it. */
export const LANGUAGES = { en: "English", zh: "中文" } as const;
export type Language = keyof typeof LANGUAGES;
const TAGS: { readonly [L in Language]: string } = { en: "en", zh: "zh-Hans" };
const KEY = "desk-language";

type Speaking = {
  readonly language: Language;
  readonly words: Words;
  readonly format: Format;
  readonly speak: (language: Language) => void;
};

/** The language that was chosen, else the first one of the browser's that the page has. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(KEY) ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  return (wanted.find((tag) => Object.hasOwn(WORDS, tag)) as Language | undefined) ?? "en";
}

/** The region of the browser counts for dates and amounts, if its language is the page's. */
const localeOf = (language: Language): string =>
  navigator.languages.find((tag) => tag.startsWith(language)) ?? TAGS[language];

const LanguageContext = createContext<Speaking | undefined>(undefined);

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  useEffect(() => {
    document.documentElement.lang = TAGS[language];
  }, [language]);
  const value = useMemo(
    () => ({
      language,
      words: WORDS[language],
      format: new Format(localeOf(language)),
      speak: (next: Language) => {
        localStorage.setItem(KEY, next);
        setLanguage(next);
      },
    }),
    [language],
  );
  return <LanguageContext value={value}>{children}</LanguageContext>;
}

export function useLanguage(): Speaking {
  return useContext(LanguageContext)!;
}
