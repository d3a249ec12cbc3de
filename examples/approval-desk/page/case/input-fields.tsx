import { useId } from "react";
import type { Json, JsonObject } from "agentchart";
import { useLanguage } from "../words/language.tsx";

type Texts = { readonly [field: string]: string };
const CENTS_PER_EURO = 100;
/** A longer text gets more than one line. */
const LONG = 16;

/** Amounts of money are shown in euros and kept in cents. */
const isCents = (field: string, value: Json): value is number =>
  typeof value === "number" && /cents$/iu.test(field);

function textOf(field: string, value: Json): string {
  if (isCents(field, value)) return (value / CENTS_PER_EURO).toFixed(2);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The arguments of a call as texts that a person can change. */
export function textsOf(input: JsonObject): Texts {
  return Object.fromEntries(Object.entries(input).map(([field, value]) => [field, textOf(field, value)]));
}

/** The value that a text stands for; undefined if it stands for none. */
function valueOf(field: string, before: Json, text: string): Json | undefined {
  if (typeof before === "string") return text.trim() === "" ? undefined : text.trim();
  if (isCents(field, before)) {
    const euros = /^\s*(\d{1,7})(?:[.,](\d{1,2}))?\s*$/u.exec(text);
    const cents = euros && Number(euros[1]) * CENTS_PER_EURO + Number((euros[2] ?? "0").padEnd(2, "0"));
    return cents !== null && cents > 0 ? cents : undefined;
  }
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Reads the arguments, or returns the name of the field that is not valid. */
export function readInput(input: JsonObject, texts: Texts): JsonObject | string {
  const read = Object.entries(input).map(
    ([field, before]) => [field, valueOf(field, before, texts[field] ?? "")] as const,
  );
  const wrong = read.find(([, value]) => value === undefined);
  return wrong ? wrong[0] : (Object.fromEntries(read) as JsonObject);
}

type Props = {
  readonly input: JsonObject;
  readonly texts: Texts;
  /** The field that is not valid. */
  readonly wrong: string | undefined;
  readonly change: (texts: Texts) => void;
};

/** A field for each argument of a call. */
export function InputFields({ input, texts, wrong, change }: Props) {
  const { words } = useLanguage();
  const form = useId();
  return Object.entries(input).map(([field, value], index) => {
    const id = `${form}-${field}`;
    const label = words.fields[field] ?? field;
    const text = texts[field] ?? "";
    const common = {
      id,
      value: text,
      ...(index === 0 && { "data-first": true }),
      "aria-invalid": wrong === field || undefined,
      "aria-describedby": wrong === field ? `${id}-wrong` : undefined,
      onChange: ({ target }: { readonly target: { readonly value: string } }) =>
        change({ ...texts, [field]: target.value }),
    };
    return (
      <div className="field" key={field}>
        <label htmlFor={id}>{isCents(field, value) ? `${label} (EUR)` : label}</label>
        {typeof value === "string" && value.length > LONG ? (
          <textarea rows={3} {...common} />
        ) : (
          <input inputMode={typeof value === "number" ? "decimal" : "text"} autoComplete="off" {...common} />
        )}
        {wrong === field && (
          <p className="problem" id={`${id}-wrong`} role="alert">
            {words.approval.invalid(label)}
          </p>
        )}
      </div>
    );
  });
}
