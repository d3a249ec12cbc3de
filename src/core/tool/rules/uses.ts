/** A call that a limit remembers: its id, when it succeeded in epoch ms, and how much it counts. */
export type Use = readonly [call: string, at: number, amount: number];
/** The calls about one subject, in the order in which the limit heard of them. */
type Calls = readonly Use[];
/** The same, as sessions of 0.1.0 have stored it. */
type OldCalls = { readonly [call: string]: readonly [at: number, amount: number] };
/** The calls that a limit remembers, by their subjects. A list is copied fast, however long it is. */
export type Used = { readonly [key: string]: Calls | OldCalls };

const NONE: Calls = Object.freeze([]);
/** Counts and readings of what is remembered, which never changes. */
const summaries = new WeakMap<Calls, Summary>();
const counts = new WeakMap<Used, number>();
const read = new WeakMap<OldCalls, Calls>();

type Summary = { readonly amount: number; readonly oldest: number };

const isNew = (calls: Calls | OldCalls): calls is Calls => Array.isArray(calls);

function listOf(calls: Calls | OldCalls): Calls {
  if (isNew(calls)) return calls;
  let list = read.get(calls);
  if (!list) read.set(calls, (list = Object.entries(calls).map(([id, [at, amount]]) => [id, at, amount])));
  return list;
}

/** Returns the calls that are remembered about a subject. */
export function usesOf(used: Used | undefined, key: string): readonly Use[] {
  return used && Object.hasOwn(used, key) ? listOf(used[key]!) : NONE;
}

/** Returns the amount of all calls of a list, and the time of the oldest. */
export function summaryOf(calls: readonly Use[]): Summary {
  let known = summaries.get(calls);
  if (!known) {
    known = NOTHING;
    for (const use of calls) known = withUse(known, use);
    summaries.set(calls, known);
  }
  return known;
}

const NOTHING: Summary = { amount: 0, oldest: Number.POSITIVE_INFINITY };
const withUse = ({ amount, oldest }: Summary, [, at, more]: Use): Summary => ({
  amount: amount + more,
  oldest: Math.min(oldest, at),
});

/** Returns how many calls are remembered. */
export function countOf(used: Used): number {
  let known = counts.get(used);
  if (known === undefined)
    counts.set(used, (known = Object.values(used).reduce((sum, calls) => sum + listOf(calls).length, 0)));
  return known;
}

/** The places of the calls of a long list. A list that has one more call takes them over. */
const places = new WeakMap<Calls, Map<string, number>>();
/** So short a list is searched. */
const FEW = 16;

function placesOf(calls: Calls): Map<string, number> {
  let known = places.get(calls);
  if (!known) places.set(calls, (known = new Map(calls.map(([id], place) => [id, place]))));
  return known;
}

/** Returns the place of a call in a list; -1 if it is not there. */
function placeOf(calls: Calls, id: string): number {
  if (calls.length > FEW) return placesOf(calls).get(id) ?? -1;
  let place = calls.length - 1;
  while (place >= 0 && calls[place]![0] !== id) place--;
  return place;
}

/** True if a list has a call. */
export const isIn = (calls: readonly Use[], id: string): boolean => placeOf(calls, id) >= 0;

/** Returns a list with one more call. */
function withOne(before: Calls, use: Use): Calls {
  const calls = [...before, use];
  summaries.set(calls, withUse(summaryOf(before), use));
  const known = places.get(before);
  if (known) {
    places.delete(before);
    places.set(calls, known.set(use[0], before.length));
  }
  return calls;
}

/** Returns what is remembered with a use; one of the same call is replaced. */
export function withUsed(used: Used | undefined, key: string, use: Use): Used {
  const before = usesOf(used, key);
  const place = placeOf(before, use[0]);
  if (place >= 0) return { ...used, [key]: before.with(place, use) };
  const next: Used = { ...used, [key]: withOne(before, use) };
  counts.set(next, (used ? countOf(used) : 0) + 1);
  return next;
}

/** Returns what both remember. */
export function joinUsed(one: Used | undefined, other: Used | undefined): Used | undefined {
  if (!one || !other) return one ?? other;
  const joined = Object.keys(other).map((key) => {
    const calls = new Map([...usesOf(one, key), ...usesOf(other, key)].map((use) => [use[0], use]));
    return [key, [...calls.values()]] as const;
  });
  return { ...one, ...Object.fromEntries(joined) };
}

/** Returns what is remembered of the calls since an instant. */
export function usedSince(used: Used, from: number): Used {
  const recent = Object.keys(used).map(
    (key) => [key, usesOf(used, key).filter(([, at]) => at >= from)] as const,
  );
  return Object.fromEntries(recent);
}
