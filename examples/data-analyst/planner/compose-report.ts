import type { Analysis } from "./analysis.ts";
import type { JsonFields } from "./conversation.ts";
import { describeMeasured, describeTitle } from "./describe-scope.ts";
import {
  breakdownLines,
  capital,
  changeLines,
  noteLines,
  overallLines,
  statisticsLines,
} from "./findings.ts";
import { breakdownSplit, mainSplit, type Found } from "./found.ts";
import { wordsFor } from "./words.ts";
import type { Split } from "./write-sql.ts";

function ids(chart: JsonFields | undefined, result: JsonFields | undefined): JsonFields {
  return {
    ...(chart?.["chartId"] !== undefined && { chartId: chart["chartId"] }),
    ...(result?.["resultId"] !== undefined && { resultId: result["resultId"] }),
  };
}

/** The findings: every line holds numbers that a tool gave, none that was worked out here. */
export function findingLines(analysis: Analysis, split: Split | undefined, found: Found): string[] {
  const { overall, main, statistics, breakdown } = found;
  return [
    ...(overall ? overallLines(analysis, overall) : []),
    ...(split && main && statistics ? statisticsLines(analysis, split, main, statistics) : []),
    ...(split?.period && main ? changeLines(analysis, split, main) : []),
    ...(analysis.breakdown && breakdown ? breakdownLines(analysis, analysis.breakdown, breakdown) : []),
  ];
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

/** What create_report is asked to write: findings, one section per split, key figures, and notes. */
export function composeReport(analysis: Analysis, found: Found): JsonFields {
  const { headings } = wordsFor(analysis.language);
  const [split, broken] = [mainSplit(analysis), breakdownSplit(analysis)];
  const headingOf = (of: Split): string =>
    capital(describeMeasured(analysis, analysis.measures.slice(0, 1), of));
  const notes = [...found.failures, ...noteLines(analysis)];
  return {
    title: describeTitle(analysis, split),
    sections: [
      { heading: headings.findings, text: bullets(findingLines(analysis, split, found)) },
      ...(split && found.main ? [{ heading: headingOf(split), ...ids(found.mainChart, found.main) }] : []),
      ...(broken && found.breakdown
        ? [{ heading: headingOf(broken), ...ids(found.breakdownChart, found.breakdown) }]
        : []),
      ...(found.overall ? [{ heading: headings.figures, ...ids(undefined, found.overall) }] : []),
      ...(notes.length > 0 ? [{ heading: headings.notes, text: bullets(notes) }] : []),
    ],
  };
}
