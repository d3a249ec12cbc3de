import { perObject } from "../../base/json.ts";

/** A call that a limit remembers: its id, when it succeeded in epoch ms, and how much it counts. */
export type Use = readonly [call: string, at: number, amount: number];
/** The calls about one subject, in the order in which the limit heard of them. */
type Calls = readonly Use[];
/** The same, as sessions of 0.1.0 have stored it. */
type OldCalls = { readonly [call: string]: readonly [at: number, amount: number] };
/** The calls that a limit remembers, by their subjects. A list is copied fast, however long it is. */
export type Used = { readonly [key: string]: Calls | OldCalls };

const NONE: Calls = Object.freeze([]);
const isNew = (calls: Calls | OldCalls): calls is Calls => Array.isArray(calls);
const readOld = perObject((calls: OldCalls): Calls =>
  Object.entries(calls).map(([id, [at, amount]]) => [id, at, amount]),
);
const listOf = (calls: Calls | OldCalls): Calls => (isNew(calls) ? calls : readOld(calls));

/** Returns the calls that are remembered about a subject. */
export function usesOf(used: Used | undefined, key: string): readonly Use[] {
  return used && Object.hasOwn(used, key) ? listOf(used[key]!) : NONE;
}

/** The sum of the calls about one subject, the time of the oldest, and where each is. */
type Tally = { amount: number; oldest: number; readonly places: Map<string, number> };

/** The sums of what is remembered. The memory with one more call takes them over: one that is asked about later counts again. */
class Tallies {
  of: Used;
  count: number;
  readonly #byKey = new Map<string, Tally>();

  constructor(used: Used) {
    this.of = used;
    this.count = Object.values(used).reduce((sum, calls) => sum + listOf(calls).length, 0);
  }

  about(key: string): Tally {
    let tally = this.#byKey.get(key);
    if (tally) return tally;
    tally = { amount: 0, oldest: Number.POSITIVE_INFINITY, places: new Map() };
    for (const [place, use] of usesOf(this.of, key).entries()) addTo(tally, use, place);
    this.#byKey.set(key, tally);
    return tally;
  }
}

function addTo(tally: Tally, [id, at, amount]: Use, place: number): void {
  tally.amount += amount;
  tally.oldest = Math.min(tally.oldest, at);
  tally.places.set(id, place);
}

/** The sums of a memory that was made here, on itself: nothing that copies, stores or compares it sees them. An entry of a weak map would take longer
 *  than all else that a use needs. */
const TALLIES = Symbol("tallies");
/** Those of other memories: restored ones, which may be frozen, and ones from which others were made. */
const restored = new WeakMap<Used, Tallies>();

function talliesOf(used: Used): Tallies {
  const own = (used as { readonly [TALLIES]?: Tallies })[TALLIES];
  if (own?.of === used) return own;
  let known = restored.get(used);
  if (known?.of !== used) restored.set(used, (known = new Tallies(used)));
  return known;
}

/** Returns the amount of the calls about a subject, and the time of the oldest. */
export function summaryOf(used: Used | undefined, key: string): Pick<Tally, "amount" | "oldest"> {
  return used ? talliesOf(used).about(key) : NOTHING;
}

const NOTHING = Object.freeze({ amount: 0, oldest: Number.POSITIVE_INFINITY });

/** Returns how many calls are remembered. */
export const countOf = (used: Used): number => talliesOf(used).count;

/** True if a call is remembered about a subject. */
export const isIn = (used: Used | undefined, key: string, id: string): boolean =>
  used !== undefined && talliesOf(used).about(key).places.has(id);

/** Returns what is remembered with a use; one of the same call is replaced. */
export function withUsed(used: Used | undefined, key: string, use: Use): Used {
  if (!used) return { [key]: [use] };
  const known = talliesOf(used);
  const tally = known.about(key);
  const before = usesOf(used, key);
  const place = tally.places.get(use[0]);
  if (place !== undefined) return { ...used, [key]: before.with(place, use) };
  const next: Used = { ...used, [key]: before.concat([use]) };
  addTo(tally, use, before.length);
  known.count += 1;
  known.of = next;
  Object.defineProperty(next, TALLIES, { value: known });
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

/** Returns what is remembered of the calls since an instant; a subject without one is forgotten. */
export function usedSince(used: Used, from: number): Used {
  const recent = Object.keys(used).map(
    (key) => [key, usesOf(used, key).filter(([, at]) => at >= from)] as const,
  );
  return Object.fromEntries(recent.filter(([, uses]) => uses.length > 0));
}
