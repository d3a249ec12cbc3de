import type { Analysis } from "./analysis.ts";
import { findingLines } from "./compose-report.ts";
import { describeScope, describeTitle } from "./describe-scope.ts";
import { noteLines, overallLines, splitLines } from "./findings.ts";
import { breakdownSplit, isEmpty, mainSplit, type Found } from "./found.ts";
import { cellText } from "./tool-runs.ts";
import { wordsFor } from "./words.ts";

/** The answer, made of what was found; what failed is said by name. */
export function phraseAnswer(analysis: Analysis, found: Found, finished: boolean): string {
  const words = wordsFor(analysis.language);
  const [split, broken] = [mainSplit(analysis), breakdownSplit(analysis)];
  const { overall, main, breakdown, report, failures } = found;
  const lead = finished ? [] : [words.unfinished];
  const notes = noteLines(analysis);
  if (overall && isEmpty(overall))
    return [...lead, words.nothing(describeScope(analysis)), ...notes].join("\n");
  const figures = overall ? overallLines(analysis, overall) : [];
  const path = cellText(report?.["path"]);
  const blocks = [
    [...lead, describeTitle(analysis, split)],
    figures,
    split && main ? splitLines(analysis, split, main) : [],
    broken && breakdown ? splitLines(analysis, broken, breakdown) : [],
    findingLines(analysis, split, found).slice(figures.length),
    [...failures, ...notes],
    path === null ? [] : [words.reportAt(path)],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}
