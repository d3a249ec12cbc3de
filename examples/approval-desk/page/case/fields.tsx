import type { Json } from "agentchart";
import type { Format } from "../words/format.ts";
import { useLanguage, type Language } from "../words/language.tsx";

/** A value as a person reads it. */
function shown(field: string, value: Json, language: Language, format: Format): string {
  if (value === null) return "–";
  if (typeof value === "number") return /cents$/iu.test(field) ? format.euros(value) : format.count(value);
  if (typeof value === "string") return /^\d{4}-\d{2}-\d{2}$/u.test(value) ? format.day(value) : value;
  if (
    typeof value === "object" &&
    !Array.isArray(value) &&
    typeof (value as { [field: string]: Json })[language] === "string"
  )
    return (value as { readonly [L in Language]: string })[language];
  return JSON.stringify(value);
}

/** An object as a list of its fields, with the names and the amounts of the page's language. */
export function Fields({ value }: { readonly value: { readonly [field: string]: Json } }) {
  const { words, format, language } = useLanguage();
  return (
    <dl className="fields">
      {Object.entries(value).map(([field, each]) => (
        <div key={field}>
          <dt>{words.fields[field] ?? field}</dt>
          <dd>
            {typeof each === "string"
              ? (words.values[each] ?? shown(field, each, language, format))
              : shown(field, each, language, format)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
