import type { Analysis } from "./analysis.ts";
import type { JsonFields } from "./conversation.ts";
import type { Split } from "./write-sql.ts";

/** What the tools have given for an analysis so far. */
export type Found = {
  /** One row: every measure over all rows. */
  readonly overall?: JsonFields;
  /** The rows that the question's split gives. */
  readonly main?: JsonFields;
  /** The rows of the breakdown of a whole analysis. */
  readonly breakdown?: JsonFields;
  readonly statistics?: JsonFields;
  readonly mainChart?: JsonFields;
  readonly breakdownChart?: JsonFields;
  readonly report?: JsonFields;
  /** What failed, in the asker's language. */
  readonly failures: readonly string[];
};

/** How the question splits the rows; nothing if it asks for plain numbers. */
export function mainSplit({ groups, period, top }: Analysis): Split | undefined {
  if (groups.length === 0 && !period) return undefined;
  return { groups, ...(period && { period }), ...(top && { top }) };
}

/** How a whole analysis breaks the rows down besides. */
export function breakdownSplit({ breakdown }: Analysis): Split | undefined {
  return breakdown && { groups: [breakdown] };
}

export function rowCountOf(result: JsonFields | undefined): number {
  const count = result?.["rowCount"];
  return typeof count === "number" ? count : 0;
}

/** True if the one row of the overall result says that nothing matched. */
export function isEmpty(overall: JsonFields): boolean {
  const { rows } = overall;
  const [row] = Array.isArray(rows) ? rows : [];
  return Array.isArray(row) && row[0] === 0;
}
