import type { Analysis } from "./analysis.ts";
import type { JsonFields } from "./conversation.ts";
import { describeMeasured } from "./describe-scope.ts";
import { capital } from "./findings.ts";
import { rowCountOf } from "./found.ts";
import type { WantedCall } from "./tool-runs.ts";
import type { Split } from "./write-sql.ts";

const MOST_BARS = 30;
const MOST_SLICES = 10;

/** What a chart of one axis has to be queried for, if the main result is not it: time without groups, else the first
 *  group alone, and not too many of it. */
export function chartSplit({ groups, period, top, chart }: Analysis, main: JsonFields): Split | undefined {
  if (period) return groups.length > 0 ? { groups: [], period } : undefined;
  const count = chart === "pie" ? MOST_SLICES : MOST_BARS;
  if (groups.length === 1 && rowCountOf(main) <= count) return undefined;
  return { groups: groups.slice(0, 1), top: { count, descending: top?.descending ?? true } };
}

function typeFor({ chart = "bar" }: Analysis, points: number): string {
  if (chart === "pie" && points > MOST_SLICES) return "bar";
  return points > MOST_BARS ? "line" : chart;
}

/** The call that draws the first measure of a result. */
export function chartCall(analysis: Analysis, split: Split, source: JsonFields): WantedCall | undefined {
  const axis = split.period ?? split.groups[0];
  const [measure] = analysis.measures;
  if (!axis || !measure || rowCountOf(source) === 0) return undefined;
  const title = capital(describeMeasured(analysis, [measure], split));
  const type = typeFor(analysis, rowCountOf(source));
  return {
    tool: "generate_chart",
    input: { resultId: source["resultId"] ?? null, type, x: axis.alias, y: measure.alias, title },
  };
}
