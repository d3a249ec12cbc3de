import * as s from "../base/option-schema.ts";

/** The position at which a subscriber goes on: after the events of a journal entry (12), or after its n-th event, from 0 ("12.0"). */
export type EventPosition = number | string;

const FORM = /^\d{1,15}(?:\.\d{1,9})?$/u;

/** The schema of {@link EventPosition}. */
export const positionSchema = s.lazily(() =>
  s.either(
    s.integer(0),
    s.matching(FORM, "a position"),
    'a journal position such as 12, or the `position` of an event such as "12.0"',
  ),
);

/** A position in parts; `n` is Infinity for a whole entry. */
export type PositionParts = { readonly seq: number; readonly n: number };

/** The parts of a position. */
export function positionOf(position: EventPosition): PositionParts {
  const [seq, n] = String(position).split(".");
  return { seq: Number(seq), n: n === undefined ? Number.POSITIVE_INFINITY : Number(n) };
}

/** True if an event of a journal comes after a position. */
export function isAfter(position: string, { seq, n }: PositionParts): boolean {
  const own = positionOf(position);
  return own.seq > seq || (own.seq === seq && own.n > n);
}
