import type { Condition } from "./analysis.ts";
import { bestOf, fail, refsOf, type Attempt } from "./attempt.ts";
import { groupPreference } from "./choose-group.ts";
import type { Comparison } from "./lexicon.ts";
import type { ValueOf } from "./phrases.ts";
import type { Operand } from "./read-operand.ts";
import type { Reading } from "./reading.ts";
import { isDate, isNumber, type Column } from "./schema.ts";

function isEquality(comparison: Comparison): boolean {
  return comparison === "=" || comparison === "!=";
}

/** Larger and smaller make sense for numbers and times only: every text is larger than any number to SQLite. */
function fits(column: Column, comparison: Comparison, operand: Operand): boolean {
  if (isNumber(column)) return typeof operand === "number";
  return isEquality(comparison) || typeof operand !== "string";
}

/** Ties "amount > 100" to a column. */
export function chooseFilter(attempt: Attempt, filter: Reading["filters"][number]): Condition | undefined {
  const { comparison, operands, naming } = filter;
  const refs = refsOf(attempt, naming.columns).filter(
    ({ ref }) => isEquality(comparison) || isNumber(ref.column) || isDate(ref.column),
  );
  const holding = refs.filter(({ ref }) =>
    operands.every((operand) => typeof operand !== "string" || ref.column.samples.includes(operand)),
  );
  const ref = bestOf(attempt, holding.length > 0 ? holding : refs, groupPreference);
  if (!ref) return fail(attempt, { kind: "noColumn", text: naming.columns[0]?.column.name ?? "" });
  const misfit = operands.find((operand) => !fits(ref.column, comparison, operand));
  if (misfit === undefined) return { ref, comparison, operands };
  return fail(attempt, {
    kind: "noValue",
    text: typeof misfit === "object" ? ref.column.name : String(misfit),
  });
}

/** Ties a value such as "Berlin" to the column that holds it. */
export function chooseValue(
  attempt: Attempt,
  values: readonly ValueOf[],
  negated: boolean,
): Condition | undefined {
  const refs = refsOf(
    attempt,
    values.map(({ column }) => ({ column, weight: 3 })),
  );
  const ref = bestOf(attempt, refs, ({ distinct }) => -distinct);
  const value = ref && values.find(({ column }) => column === ref.column)?.value;
  if (!ref || value === undefined) return fail(attempt, { kind: "noValue", text: values[0]?.value ?? "" });
  return { ref, comparison: negated ? "!=" : "=", operands: [value] };
}

/** Conditions of the same kind on the same column are alternatives: "in Berlin and Paris". */
export function mergeConditions(conditions: readonly Condition[]): Condition[] {
  const merged: Condition[] = [];
  for (const condition of conditions) {
    const at = merged.findIndex(
      ({ ref, comparison }) =>
        ref.column === condition.ref.column && comparison === condition.comparison && isEquality(comparison),
    );
    if (at === -1) merged.push(condition);
    else merged[at] = { ...condition, operands: [...merged[at]!.operands, ...condition.operands] };
  }
  return merged;
}
