import { language } from "./language.ts";

/** The texts of a language by the English ones; `{}` stands for a value, `{1}` for the second one. */
export type Words = { readonly [english: string]: string };

// English is in the source, so that it costs nothing; another language is loaded before anything is shown.
const words: Words = language === "zh" ? await chinese() : {};

/** Without the file, as in a page that has gone offline, the page is English. */
async function chinese(): Promise<Words> {
  try {
    return (await import("./zh.json")).default;
  } catch {
    return {};
  }
}

/** A value that a text may show: data, or words that come from here, as all have to whose words the source knows. */
type Shown<Value> = Value extends string ? (string extends Value ? Value : never) : Value;

/** Returns a text of the page in its language: `t("Fork")`, or t`step ${n} of ${last}`. Every text that is not data comes from here. */
export function t<Values extends readonly unknown[]>(
  text: string | TemplateStringsArray,
  ...values: Values & { readonly [At in keyof Values]: Shown<Values[At]> }
): string {
  const english = typeof text === "string" ? text : text.join("{}");
  const known = Object.hasOwn(words, english) ? words[english]! : english;
  if (typeof text === "string") return known;
  let next = 0;
  return known.replaceAll(/\{(\d?)\}/g, (_, at: string) => String(values[at === "" ? next++ : Number(at)]));
}
