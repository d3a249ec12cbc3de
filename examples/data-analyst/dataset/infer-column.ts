export type InferredColumn = {
  readonly type: "INTEGER" | "REAL" | "DATE" | "TEXT";
  /** How the text is read; null for a missing value. */
  readonly read: (text: string) => string | number | null;
  /** Set if numbers were written with a decimal comma. */
  readonly decimalComma?: true;
};

const MISSING = new Set(["", "na", "n/a", "null", "none", "-", "–", "#n/a", "nan"]);
const INTEGER = /^[+-]?(0|[1-9]\d{0,14})$/;
const REAL = /^[+-]?(\d{1,15}(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?$/i;
const GROUPED = /^[+-]?[$€£¥￥]?\s?(\d{1,3}(,\d{3})+|\d{1,12})(\.\d+)?$/;
const COMMA = /^[+-]?(\d{1,3}(\.\d{3})+|\d{1,12})(,\d+)?$/;
const LEADING_ZERO = /^[+-]?0\d+$/;
const YEAR_FIRST =
  /^(?<year>\d{4})[-/.年](?<month>\d{1,2})[-/.月](?<day>\d{1,2})日?(?:[T ]\s*(?<time>\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?))?$/;
const YEAR_MONTH = /^(?<year>\d{4})[-/年](?<month>\d{1,2})月?$/;

/** With dots, the day stands first everywhere. */
const DOTTED = /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})(?: (?<time>\d{1,2}:\d{2}(?::\d{2})?))?$/;

/** A date that is written year-first, or day.month.year, as ISO text, or undefined. Dates such as 03/04/2025 stay text: one cannot
 *  tell day and month apart. */
export function toIsoDate(text: string): string | undefined {
  const { year, month, day, time } =
    (YEAR_FIRST.exec(text) ?? YEAR_MONTH.exec(text) ?? DOTTED.exec(text))?.groups ?? {};
  if (year === undefined || month === undefined) return undefined;
  const iso = [year, month.padStart(2, "0"), day?.padStart(2, "0")]
    .filter((part) => part !== undefined)
    .join("-");
  const real = Number(month) >= 1 && Number(month) <= 12 && !Number.isNaN(Date.parse(iso)) && isRealDay(iso);
  return real ? (time === undefined ? iso : `${iso}T${time.padStart(5, "0")}`) : undefined;
}

function isRealDay(iso: string): boolean {
  return new Date(`${iso.slice(0, 7)}-${iso.slice(8) || "01"}T00:00:00Z`).toISOString().startsWith(iso);
}

function isMissing(text: string): boolean {
  return MISSING.has(text.trim().toLowerCase());
}

function reader(read: (text: string) => string | number): InferredColumn["read"] {
  return (text) => (isMissing(text) ? null : read(text.trim()));
}

const TEXT: InferredColumn = { type: "TEXT", read: (value) => (value.trim() === "" ? null : value) };

/** The narrowest type that every value of a column has. A value such as `n/a` is missing in a column of numbers or
 *  dates, and a word in a column of words; an empty one is always missing. */
export function inferColumn(values: readonly string[], delimiter: string): InferredColumn {
  const present = values.filter((value) => !isMissing(value)).map((value) => value.trim());
  const are = (pattern: RegExp): boolean => present.every((value) => pattern.test(value));
  // What starts with a zero is a code and no number: 01234.
  if (present.length === 0 || present.some((value) => LEADING_ZERO.test(value))) return TEXT;
  if (present.every((value) => toIsoDate(value) !== undefined)) {
    return { type: "DATE", read: reader((value) => toIsoDate(value) ?? value) };
  }
  if (are(INTEGER)) return { type: "INTEGER", read: reader(Number) };
  if (are(REAL)) return { type: "REAL", read: reader(Number) };
  if (delimiter === ";" && are(COMMA)) {
    const read = reader((value) => Number(value.replaceAll(".", "").replace(",", ".")));
    return { type: "REAL", read, decimalComma: true };
  }
  if (!are(GROUPED)) return TEXT;
  return { type: "REAL", read: reader((value) => Number(value.replaceAll(/[$€£¥￥,\s]/g, ""))) };
}
