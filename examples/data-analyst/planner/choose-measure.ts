import type { ColumnRef, Measure } from "./analysis.ts";
import { bestOf, fail, refsOf, surestOf, type Attempt, type WeightedRef } from "./attempt.ts";
import { amountRank, synonymsOf } from "./concepts.ts";
import type { Noun, WantedMetric } from "./reading.ts";
import { isMeasure, isNumber } from "./schema.ts";

const TABLE_SCORE = 30;

/** What "total" means when nothing is named: the column that looks like money, else the only number there is. */
function defaultNumber({ base, reached }: Attempt): ColumnRef | undefined {
  const numbers = base.columns.filter(isMeasure);
  const ranked = numbers
    .filter(({ name }) => amountRank(name) !== -1)
    .toSorted((a, b) => amountRank(a.name) - amountRank(b.name));
  const column = ranked[0] ?? (numbers.length === 1 ? numbers[0] : undefined);
  return column && { column, at: reached[0]! };
}

/** The columns of the table itself: a number of a joined table would be counted once per row. */
function ownRefs(attempt: Attempt, noun: Noun | undefined): WeightedRef[] {
  return refsOf(attempt, noun?.columns ?? []).filter(({ ref }) => ref.at.joins.length === 0);
}

function chooseNumber(attempt: Attempt, noun: Noun | undefined): ColumnRef | undefined {
  const own = ownRefs(attempt, noun);
  const numbers = own.filter(
    ({ ref: { column }, weight }) => isNumber(column) && (weight === 3 || !column.identifier),
  );
  const named = bestOf(attempt, numbers);
  if (named) return named;
  const isEntity = noun && (noun.tables.some(({ table }) => table === attempt.base) || own.length > 0);
  const isGeneric = !noun || isEntity || amountRank(noun.text) !== -1;
  const fallback = isGeneric ? defaultNumber(attempt) : undefined;
  if (fallback) return fallback;
  return fail(attempt, noun && !isEntity ? { kind: "noColumn", text: noun.text } : { kind: "noNumber" });
}

/** What each row has of its own, so that a sum of it says nothing. */
const INTENSIVE = new Set(["unit price", "score", "age", "temperature"]);

/** "How many cups": the sum, if a column already holds the number of things. */
function holdsQuantities({ column }: ColumnRef): boolean {
  return (
    isMeasure(column) &&
    column.nonNegative &&
    !synonymsOf(column.name).some(({ term }) => INTENSIVE.has(term))
  );
}

function chooseCounted(attempt: Attempt, { noun, counts }: WantedMetric): Pick<Measure, "metric" | "ref"> {
  if (!noun) return { metric: "count" };
  const own = ownRefs(attempt, noun);
  const table = noun.tables.find((candidate) => candidate.table === attempt.base);
  if (table && table.weight >= surestOf(own)) {
    attempt.score += TABLE_SCORE;
    return { metric: "count" };
  }
  const ref = bestOf(attempt, own, ({ kind }) => (kind === "text" ? 1 : 0));
  // Rows that say yes are not the things themselves: one member may have many rows.
  if (!ref || ref.column.yes !== undefined) {
    fail(attempt, { kind: "noColumn", text: noun.text });
    return { metric: "count" };
  }
  return { ref, metric: counts && holdsQuantities(ref) ? "sum" : "count" };
}

/** Ties a metric to a column of the table, or to its rows. */
export function chooseMeasure(attempt: Attempt, wanted: WantedMetric): Pick<Measure, "metric" | "ref"> {
  if (wanted.metric === "count") return chooseCounted(attempt, wanted);
  const ref = chooseNumber(attempt, wanted.noun);
  return { metric: wanted.metric, ...(ref && { ref }) };
}
