import { language } from "./language.ts";
import { t, type Words } from "./t.ts";

// What processes, checks and charts say comes in English, with values in it: these are the sentences whose words are known. In the
// catalogue `{}` stands for a value, and `{~}` for one that is a label with known words itself.
const known: Words = language === "zh" ? await chinese() : {};

async function chinese(): Promise<Words> {
  try {
    return (await import("./zh-said.json")).default;
  } catch {
    return {};
  }
}

const isSentence = (text: string): boolean => /[.?]$/.test(text);
/** Returns a whole sentence in the language of the page, or as it is if its words are not known. */
export const said = (sentence: string): string =>
  isSentence(sentence) ? inWords(sentence, known) : sentence;
/** Returns a label, such as the title of a check, in the language of the page, or as it is if its words are not known. */
export const labelled = (label: string): string => (isSentence(label) ? label : inWords(label, known));

const REASON = "asked: ";
/** Returns a line of the account of a call in the language of the page. */
export const noted = (line: string): string =>
  line.startsWith(REASON) ? `${t("asked:")} ${said(line.slice(REASON.length))}` : labelled(line);

/** Returns a text by the words of a catalogue. Sentences are matched with sentences, and labels with labels. */
export function inWords(text: string, words: Words): string {
  if (Object.hasOwn(words, text)) return words[text]!;
  for (const [english, whole] of patternsOf(words)) {
    const values = isSentence(english) === isSentence(text) && whole.exec(text)?.slice(1);
    if (!values) continue;
    const marks = english.match(MARK)!;
    let next = 0;
    return words[english]!.replaceAll(/\{(\d?)\}/g, (_, given: string) => {
      const at = given === "" ? next++ : Number(given);
      return marks[at] === "{~}" ? inWords(values[at]!, words) : values[at]!;
    });
  }
  return text;
}

const SPECIAL = /[$()*+.?[\\\]^{|}]/g;
const MARK = /\{~?\}/g;
type Patterns = readonly (readonly [english: string, whole: RegExp])[];
const made = new WeakMap<Words, Patterns>();

function patternsOf(words: Words): Patterns {
  let patterns = made.get(words);
  if (!patterns) {
    patterns = Object.keys(words)
      .filter((english) => english.search(MARK) >= 0)
      .map((english) => [english, wholeOf(english)]);
    made.set(words, patterns);
  }
  return patterns;
}

const wholeOf = (english: string): RegExp =>
  new RegExp(
    `^${english
      .split(MARK)
      .map((part) => part.replaceAll(SPECIAL, "\\$&"))
      .join("([^]*?)")}$`,
  );
