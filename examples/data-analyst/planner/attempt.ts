import type { ColumnRef } from "./analysis.ts";
import type { Naming } from "./phrases.ts";
import { reach, type Reached } from "./reach.ts";
import type { Problem } from "./reading.ts";
import type { Column, Schema, Table } from "./schema.ts";

/** One table tried as the one whose rows are counted and summed: how well the question fits it, and the first thing
 *  that does not. */
export type Attempt = {
  readonly base: Table;
  readonly reached: readonly Reached[];
  score: number;
  problem?: Problem;
};

export type WeightedRef = { readonly ref: ColumnRef; readonly weight: number };

/** More than all names of a question can weigh: whatever does not fit at all decides. */
const PENALTY = 1000;
const NAME_SCORE = 10;

export function createAttempt(schema: Schema, base: Table): Attempt {
  return { base, reached: reach(schema, base), score: 0 };
}

export function fail(attempt: Attempt, problem: Problem): undefined {
  attempt.problem ??= problem;
  attempt.score -= PENALTY;
}

/** The columns of a name that the table has or reaches. */
export function refsOf({ reached }: Attempt, columns: Naming["columns"]): WeightedRef[] {
  return columns.flatMap(({ column, weight }) => {
    const at = reached.find(({ table }) => table.name === column.table);
    return at ? [{ ref: { column, at }, weight }] : [];
  });
}

/** The best of several columns: surest name, nearest table, then what `preference` ranks higher. */
export function bestOf(
  attempt: Attempt,
  refs: readonly WeightedRef[],
  preference: (column: Column) => number = () => 0,
): ColumnRef | undefined {
  const [best] = refs.toSorted(
    (a, b) =>
      b.weight - a.weight ||
      a.ref.at.joins.length - b.ref.at.joins.length ||
      preference(b.ref.column) - preference(a.ref.column),
  );
  if (best) attempt.score += best.weight * NAME_SCORE - best.ref.at.joins.length;
  return best?.ref;
}

/** How sure the surest of the names is; 0 if there is none. */
export function surestOf(refs: readonly WeightedRef[]): number {
  return Math.max(0, ...refs.map(({ weight }) => weight));
}
