import type { ColumnRef, Group } from "./analysis.ts";
import { bestOf, fail, refsOf, surestOf, type Attempt } from "./attempt.ts";
import { synonymsOf } from "./concepts.ts";
import type { Period } from "./lexicon.ts";
import { labelColumn } from "./reach.ts";
import type { Noun } from "./reading.ts";
import { isDate, type Column } from "./schema.ts";

export type UnnamedGroup = Omit<Group, "alias">;

/** Words group better than numbers, and values that repeat better than those that do not. */
export function groupPreference({ kind, unique }: Column): number {
  return (kind === "text" ? 2 : 0) + (unique ? 0 : 1);
}

/** The rows of a joined table, by their label: "top 3 customers" of orders that only hold a customer's key. */
function entityGroup(attempt: Attempt, noun: Noun, surest: number): UnnamedGroup | undefined {
  const named = noun.tables.find(
    ({ table }) => table !== attempt.base && attempt.reached.some((at) => at.table === table),
  );
  const at = attempt.reached.find(({ table }) => table === named?.table);
  const label = at && labelColumn(at.table);
  if (!named || !at || !label || named.weight < surest) return undefined;
  attempt.score += named.weight * 10;
  const key = at.table.columns.find(({ name }) => at.table.primaryKey.includes(name));
  return { ref: { column: label, at }, ...(key && key !== label && { key: { column: key, at } }) };
}

/** Ties a name to the column that rows are grouped by. */
export function chooseGroup(attempt: Attempt, noun: Noun): UnnamedGroup | undefined {
  const refs = refsOf(attempt, noun.columns).filter(({ ref }) => ref.column.kind !== "blob");
  const surest = surestOf(
    refs.map(({ ref, weight }) => ({ ref, weight: ref.column.identifier ? weight - 1 : weight })),
  );
  const entity = entityGroup(attempt, noun, surest);
  if (entity) return entity;
  const ref = bestOf(attempt, refs, groupPreference);
  return ref ? { ref } : fail(attempt, { kind: "noColumn", text: noun.text });
}

/** True for "per order": the average of all rows already is per row. */
export function isRowItself(attempt: Attempt, noun: Noun): boolean {
  const isBase = noun.tables.some(({ table, weight }) => table === attempt.base && weight === 3);
  return isBase && surestOf(refsOf(attempt, noun.columns)) < 3;
}

/** True if the name is best understood as a column of dates. */
export function namesDate(attempt: Attempt, noun: Noun): boolean {
  const refs = refsOf(attempt, noun.columns);
  const surest = surestOf(refs);
  return refs.some(({ ref, weight }) => weight === surest && isDate(ref.column));
}

/** The column of dates that times speak of: the one that was named, else the first. */
export function chooseDate(attempt: Attempt, nouns: readonly Noun[]): ColumnRef | undefined {
  const said = nouns.flatMap((noun) => refsOf(attempt, noun.columns)).filter(({ ref }) => isDate(ref.column));
  const [surest] = said.toSorted((a, b) => b.weight - a.weight);
  if (surest) return surest.ref;
  const [first] = attempt.reached.flatMap((at) =>
    at.table.columns.filter(isDate).map((column) => ({ column, at })),
  );
  return first;
}

const CALENDAR: Partial<Record<Period, readonly string[]>> = {
  year: ["year", "年份", "年"],
  month: ["month", "月份", "月"],
};

/** A column that already holds years or months, for tables without dates. */
export function calendarGroup({ base, reached }: Attempt, period: Period): UnnamedGroup | undefined {
  const column = base.columns.find(({ name }) => CALENDAR[period]?.includes(name.toLowerCase()));
  return column && { ref: { column, at: reached[0]! } };
}

const FEW = { least: 2, most: 12 };

function isCategory({ kind, distinct, unique }: Column): boolean {
  return kind === "text" && !unique && distinct >= FEW.least && distinct <= FEW.most;
}

/** What sales are usually broken down by, best first. */
const TELLING = ["category", "product", "region", "channel", "department"];

function tellingRank({ name }: Column): number {
  const terms = new Set(synonymsOf(name).map(({ term }) => term));
  const index = TELLING.findIndex((term) => terms.has(term));
  return index === -1 ? TELLING.length : index;
}

/** A category that says something about the whole. */
export function chooseBreakdown({ base, reached }: Attempt): UnnamedGroup | undefined {
  const [column] = base.columns.filter(isCategory).toSorted((a, b) => tellingRank(a) - tellingRank(b));
  return column && { ref: { column, at: reached[0]! } };
}

/** A column of states such as "cancelled", which a reader has to know are all counted. */
export function statusColumn({ base }: Attempt): Column | undefined {
  return base.columns.find(
    (column) =>
      isCategory(column) &&
      synonymsOf(column.name).some(({ term, weight }) => weight === 2 && term === "status"),
  );
}
