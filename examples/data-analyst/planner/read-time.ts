import { readPoint, type Point } from "./read-point.ts";

/** A stretch of time as prefixes of ISO dates: `2024`, `2024-03` or `2024-03-05`, both ends included. */
export type TimeSpan =
  | { readonly kind: "span"; readonly from?: string; readonly to?: string }
  /** Months without a year: of every year there is. */
  | { readonly kind: "months"; readonly months: readonly number[] };

export type TimeMatch = { readonly time: TimeSpan; readonly length: number };

const two = (value: number): string => String(value).padStart(2, "0");

/** The first or last ISO prefix of a point; undefined without a year. */
function prefix({ year, months, day }: Point, end: "first" | "last"): string | undefined {
  if (year === undefined) return undefined;
  const month = end === "first" ? months?.[0] : months?.at(-1);
  if (month === undefined) return year;
  return `${year}-${two(month)}${day === undefined ? "" : `-${two(day)}`}`;
}

function spanOf(first: Point, last: Point): TimeSpan | undefined {
  // "January to March 2024": the year stands at the end and counts for both.
  const start = first.year === undefined && last.year !== undefined ? { ...first, year: last.year } : first;
  const end = last.year === undefined && first.year !== undefined ? { ...last, year: first.year } : last;
  const [from, to] = [prefix(start, "first"), prefix(end, "last")];
  if (from !== undefined && to !== undefined) return { kind: "span", from, to };
  const [begin, stop] = [start.months?.[0], end.months?.at(-1)];
  if (begin === undefined || stop === undefined || begin > stop || start.day !== undefined) return undefined;
  return { kind: "months", months: Array.from({ length: stop - begin + 1 }, (_, index) => begin + index) };
}

/** The prefix just before or after; both ends of a span are included, so "after March" starts in April. */
function beside(point: Point, step: 1 | -1): string | undefined {
  const at = prefix(point, step === 1 ? "last" : "first");
  if (at === undefined) return undefined;
  const [year, month, day] = at.split("-").map(Number);
  if (month === undefined) return String(year! + step);
  if (day === undefined) {
    const index = year! * 12 + month - 1 + step;
    return `${Math.floor(index / 12)}-${two((index % 12) + 1)}`;
  }
  return new Date(Date.UTC(year!, month - 1, day + step)).toISOString().slice(0, 10);
}

function readOpen(text: string): TimeMatch | undefined {
  const [lead, word] = /^(since|starting|from|after|before|until|till|up to|through)\s+/i.exec(text) ?? [];
  if (lead !== undefined && word !== undefined) {
    const point = readPoint(text.slice(lead.length));
    if (!point) return undefined;
    const time = openSpan(word.toLowerCase(), point);
    return time && { time, length: lead.length + point.length };
  }
  const point = readPoint(text);
  const [tail, suffix] = /^\s*(以来|之后|以后|之前|以前|onwards?)/.exec(text.slice(point?.length ?? 0)) ?? [];
  if (!point || tail === undefined || suffix === undefined) return undefined;
  const time = openSpan(suffix, point);
  return time && { time, length: point.length + tail.length };
}

function span(from: string | undefined, to: string | undefined): TimeSpan | undefined {
  if (from === undefined && to === undefined) return undefined;
  return { kind: "span", ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

function openSpan(word: string, point: Point): TimeSpan | undefined {
  if (/^(after|之后|以后)$/.test(word)) return span(beside(point, 1), undefined);
  if (/^(before|之前|以前)$/.test(word)) return span(undefined, beside(point, -1));
  if (/^(until|till|up to|through)$/.test(word)) return span(undefined, prefix(point, "last"));
  // "from March" with nothing after it could also name the month itself; "since" and "onwards" cannot.
  return word === "from" ? undefined : span(prefix(point, "first"), undefined);
}

/** The time expression that a text starts with, in English or Chinese. Relative ones ("last month") are none. */
export function readTime(text: string): TimeMatch | undefined {
  const open = readOpen(text);
  if (open) return open;
  const lead = /^(?:from|between|从|自)\s*/i.exec(text)?.[0] ?? "";
  const first = readPoint(text.slice(lead.length));
  if (!first) return undefined;
  const rest = text.slice(lead.length + first.length);
  const link = (
    /^between/i.test(lead) ? /^\s*(?:and|to)\s*/i : /^\s*(?:to|till|until|through|-|–|—|~|～|至|到)\s*/i
  ).exec(rest)?.[0];
  const last = link === undefined ? undefined : readPoint(rest.slice(link.length));
  const time = last && spanOf(first, last);
  if (time) return { time, length: lead.length + first.length + link!.length + last.length };
  if (lead !== "") return undefined;
  const single = spanOf(first, first);
  return single && { time: single, length: first.length };
}
