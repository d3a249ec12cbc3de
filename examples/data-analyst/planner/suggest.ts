import { amountRank, plural, singular, synonymsOf, translate, wordsOf } from "./concepts.ts";
import type { Language } from "./language.ts";
import { isDate, isMeasure, type Column, type Schema, type Table } from "./schema.ts";

type Subject = {
  readonly table: Table;
  readonly number?: Column;
  readonly category?: Column;
  readonly other?: Column;
  readonly date?: Column;
};

/** How much a column looks like money: 0 is most. */
function likeness({ name }: Column): number {
  const rank = amountRank(name);
  return rank === -1 ? Number.MAX_SAFE_INTEGER : rank;
}

function subjectOf(table: Table): Subject {
  const numbers = table.columns.filter(isMeasure);
  const categories = table.columns.filter(
    ({ kind, unique, distinct }) => kind === "text" && !unique && distinct >= 2,
  );
  const [number] = numbers.toSorted((a, b) => likeness(a) - likeness(b));
  const [category, other] = categories.toSorted(
    (a, b) => Math.abs(a.distinct - 8) - Math.abs(b.distinct - 8),
  );
  const date = table.columns.find(isDate);
  return {
    table,
    ...(number && { number }),
    ...(category && { category }),
    ...(other && { other }),
    ...(date && { date }),
  };
}

function worth({ table, number, category, date }: Subject): number {
  return (number ? 4 : 0) + (category ? 3 : 0) + (date ? 2 : 0) + (table.rowCount > 0 ? 1 : 0);
}

/** A name that a question can hold as it is, in its language if only one column is called so, else in quotes. */
function said({ name }: { readonly name: string }, { columns }: Table, language: Language): string {
  const translated = translate(wordsOf(name), language);
  const rivals = columns.filter(
    (column) => translated !== undefined && synonymsOf(column.name).some(({ term }) => term === translated),
  );
  if (translated !== undefined && rivals.length <= 1) return translated;
  const plain = /^[a-z]{3,}(_[a-z]{3,})*$/.test(name) || /^\p{Script=Han}{2,}$/u.test(name);
  if (plain) return wordsOf(name);
  return name.includes('"') ? `\`${name}\`` : `"${name}"`;
}

/** Three questions about the table that has most to ask about, which the planner itself can answer. */
export function suggestQuestions(schema: Schema, language: Language): string[] {
  const [best] = schema.tables
    .map(subjectOf)
    .toSorted((a, b) => worth(b) - worth(a) || b.table.rowCount - a.table.rowCount);
  if (!best) return [];
  const { table, number, category, other, date } = best;
  const zh = language === "zh";
  const name = (thing: { readonly name: string }): string => said(thing, table, language);
  const many = (thing: { readonly name: string }): string =>
    /^[a-z ]+$/.test(name(thing)) ? plural(singular(name(thing))) : name(thing);
  const rows = name(table);
  const ranked = other ?? category;
  const questions = [
    ...(number && category
      ? [zh ? `按${name(category)}统计${name(number)}的总计` : `total ${name(number)} by ${name(category)}`]
      : []),
    ...(number && date ? [zh ? `每月的平均${name(number)}` : `average ${name(number)} per month`] : []),
    ...(number && ranked
      ? [zh ? `${name(number)}最高的五个${name(ranked)}` : `top five ${many(ranked)} by ${name(number)}`]
      : []),
    ...(category
      ? [zh ? `按${name(category)}统计${rows}的个数` : `number of ${rows} by ${name(category)}`]
      : []),
    ...(date ? [zh ? `每月有多少${rows}` : `number of ${rows} per month`] : []),
    ...(number
      ? [
          zh ? `${name(number)}的平均值` : `average ${name(number)}`,
          zh ? `${name(number)}的总计` : `total ${name(number)}`,
          zh ? `${name(number)}的最大值` : `maximum ${name(number)}`,
        ]
      : []),
    ...table.columns
      .filter((column) => column !== category && column !== date)
      .map((column) => (zh ? `有多少个${name(column)}` : `number of ${name(column)}`)),
    zh ? `有多少${rows}` : `number of ${rows}`,
    zh ? `${rows}有多少条` : `how many ${rows}`,
    zh ? `统计${rows}的个数` : `count of ${rows}`,
  ];
  return [...new Set(questions)].slice(0, 3);
}
