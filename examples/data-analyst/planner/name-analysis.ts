import type { Analysis, Group, Measure } from "./analysis.ts";
import { plural, singular, translate, wordsOf } from "./concepts.ts";
import type { Language } from "./language.ts";
import type { MetricName, Period } from "./lexicon.ts";

/** An analysis before its results have names. */
export type Unnamed = Omit<Analysis, "measures" | "rows" | "groups" | "period" | "breakdown"> & {
  readonly measures: readonly Pick<Measure, "metric" | "ref">[];
  readonly groups: readonly Omit<Group, "alias">[];
  readonly period?: Omit<NonNullable<Analysis["period"]>, "alias">;
  readonly breakdown?: Omit<Group, "alias">;
};

const METRIC_WORDS: Record<Language, Record<MetricName, (noun: string) => string>> = {
  en: {
    sum: (noun) => (noun.startsWith("total") ? noun : `total ${noun}`),
    avg: (noun) => (/^(average|avg|mean) /.test(noun) ? noun : `average ${noun}`),
    min: (noun) => `lowest ${noun}`,
    max: (noun) => `highest ${noun}`,
    count: (noun) => `number of ${noun}`,
  },
  zh: {
    sum: (noun) => `${noun}总计`,
    avg: (noun) => `平均${noun}`,
    min: (noun) => `最低${noun}`,
    max: (noun) => `最高${noun}`,
    count: (noun) => `${noun}数`,
  },
};

export const PERIOD_WORDS: Record<Language, Record<Period, string>> = {
  en: { day: "day", week: "week", month: "month", quarter: "quarter", year: "year" },
  zh: { day: "日期", week: "周", month: "月份", quarter: "季度", year: "年份" },
};

/** What the columns are called that results have besides. */
export const EXTRA_NAMES = {
  en: { change: "change_percent", share: "share_percent" },
  zh: { change: "变化百分比", share: "占比百分比" },
} as const;

/** The words for a name of the database in the asker's language, if there are any. */
export function displayName(name: string, language: Language): string {
  return translate(wordsOf(name), language) ?? wordsOf(name);
}

/** What the groups are called: the rows of a joined table by its name, values by that of their column. */
export function groupNoun({ ref, key }: Omit<Group, "alias">): string {
  return key ? ref.at.table.name : ref.column.name;
}

/** The same as {@link displayName}, of several. */
export function displayNames(name: string, language: Language): string {
  const words = displayName(name, language);
  return language === "en" && singular(words) === words ? plural(words) : words;
}

function labelOf({ metric, ref }: Pick<Measure, "metric" | "ref">, { language, table }: Unnamed): string {
  if (!ref) return METRIC_WORDS[language].count(displayNames(table.name, language));
  const noun = displayName(ref.column.name, language);
  if (metric !== "count") return METRIC_WORDS[language][metric](noun);
  const different = ref.column.kind !== "real" && ref.column.kind !== "integer";
  if (!different) return language === "en" ? `number of ${noun} values` : `${noun}个数`;
  return language === "en"
    ? `number of different ${displayNames(ref.column.name, language)}`
    : `不同${noun}数`;
}

/** Gives every measure, group and period a name that is unique in its result. */
export function nameAnalysis(unnamed: Unnamed): Analysis {
  const { measures, groups, period, breakdown, ...rest } = unnamed;
  const taken = new Set([...Object.values(EXTRA_NAMES[unnamed.language]), "rank"]);
  const translated = (name: string): string => translate(wordsOf(name), unnamed.language) ?? name;
  const nameIt = (wish: string): string => {
    let name = wish;
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${wish}_${n}`;
    taken.add(name.toLowerCase());
    return name;
  };
  const nameGroup = (group: Omit<Group, "alias">): Group => ({
    ...group,
    alias: nameIt(translated(group.ref.column.name)),
  });
  const named = period && { ...period, alias: nameIt(PERIOD_WORDS[unnamed.language][period.period]) };
  const namedGroups = groups.map(nameGroup);
  const namedBreakdown = breakdown && nameGroup(breakdown);
  const distinct = measures.filter(
    ({ metric, ref }, index) =>
      measures.findIndex((other) => other.metric === metric && other.ref?.column === ref?.column) === index,
  );
  const nameMeasure = (measure: Pick<Measure, "metric" | "ref">): Measure => {
    const label = labelOf(measure, unnamed);
    return {
      ...measure,
      label,
      alias: nameIt(unnamed.language === "en" ? label.replaceAll(" ", "_") : label),
    };
  };
  const namedMeasures = distinct.map(nameMeasure);
  return {
    ...rest,
    measures: namedMeasures,
    rows:
      namedMeasures.find(({ metric, ref }) => metric === "count" && !ref) ?? nameMeasure({ metric: "count" }),
    groups: namedGroups,
    ...(named && { period: named }),
    ...(namedBreakdown && { breakdown: namedBreakdown }),
  };
}
