import type { RunData } from "../store/run-data.ts";

const FADING = 3;
/** How far back an edge is looked for. */
const FARTHEST = 12;

/** Edges of the step and of those before it that took one: 0 is the newest, up to 3. */
export function takenEdges(run: RunData, q: number): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  for (let at = q, rank = 0; at > q - FARTHEST && rank <= FADING; at--) {
    const step = run.at(at);
    if (!step) break;
    if (at !== q && step.x.length === 0) continue;
    for (const id of step.x) if (!taken.has(id)) taken.set(id, rank);
    rank++;
  }
  return taken;
}

/** The step that entered a state which is active after `q`. */
export function enteredAt(run: RunData, q: number, id: string): number {
  let at = q;
  while (at > run.first && q - at < 5_000 && run.statesAt(at - 1).includes(id) && !reenters(run, at, id))
    at--;
  return at;
}

function reenters(run: RunData, q: number, id: string): boolean {
  return run.at(q)?.x.some((edge) => edge.startsWith(`${id}|`)) ?? false;
}

/** How often a state was entered and how long it was active in all, in ms. */
export type Visits = { readonly count: number; readonly ms: number };

export function visitsOf(run: RunData): ReadonlyMap<string, Visits> {
  const visits = new Map<string, { count: number; ms: number }>();
  let before: readonly string[] = [];
  for (let q = run.first; q <= run.last; q++) {
    const now = run.statesAt(q);
    const ms = run.durationOf(q) ?? 0;
    for (const id of now) {
      const known = visits.get(id) ?? { count: 0, ms: 0 };
      if (!before.includes(id)) known.count++;
      known.ms += ms;
      visits.set(id, known);
    }
    before = now;
  }
  return visits;
}

/** How long one of the states was active in all, in ms. */
export function timeIn(run: RunData, ids: readonly string[]): number {
  let ms = 0;
  for (let q = run.first; q <= run.last; q++) {
    const active = run.statesAt(q);
    if (ids.some((id) => active.includes(id))) ms += run.durationOf(q) ?? 0;
  }
  return ms;
}

/** The steps that entered one of the states, or took one of the edges. */
export function stepsThat(
  run: RunData,
  filter: { readonly kind: "state" | "edge"; readonly ids: readonly string[] },
): readonly number[] {
  const found: number[] = [];
  for (let q = run.first; q <= run.last; q++) {
    const step = run.at(q);
    if (!step) continue;
    const isHit =
      filter.kind === "edge"
        ? step.x.some((id) => filter.ids.includes(id))
        : filter.ids.some(
            (id) => run.statesAt(q).includes(id) && (!run.statesAt(q - 1).includes(id) || q === run.first),
          );
    if (isHit) found.push(q);
  }
  return found;
}

/** The `by`th of these steps after `q`, or before it; Infinity if there are not so many after it, `q` if none is before it. */
export function stepAmong(steps: readonly number[], q: number, by: number): number {
  if (by > 0) return steps.filter((at) => at > q)[by - 1] ?? Number.POSITIVE_INFINITY;
  const before = steps.filter((at) => at < q);
  return before[Math.max(0, before.length + by)] ?? q;
}
