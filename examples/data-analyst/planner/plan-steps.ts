import type { Analysis } from "./analysis.ts";
import { composeReport } from "./compose-report.ts";
import type { Conversation, JsonFields } from "./conversation.ts";
import { breakdownSplit, isEmpty, mainSplit, rowCountOf, type Found } from "./found.ts";
import type { Stage } from "./keep-plan.ts";
import { chartCall, chartSplit } from "./plan-charts.ts";
import { runOf, type WantedCall } from "./tool-runs.ts";
import { wordsFor, type Words } from "./words.ts";
import { overallSql, splitSql } from "./write-sql.ts";

/** The next calls to make with a word on why, or, without calls, the end of the plan. */
export type Plan = {
  readonly found: Found;
  readonly say: string;
  readonly calls: readonly WantedCall[];
  /** What the calls are for; undefined without calls. */
  readonly stage?: Stage;
};

const ROWS_SHOWN = 60;
const METRICS = ["count", "mean", "median", "min", "max"];

/** Looks up what became of calls, and collects those that are still to be made and those that failed. */
class Progress {
  readonly failures: string[] = [];
  #open: WantedCall[] = [];
  readonly #conversation: Conversation;
  readonly #words: Words;

  constructor(conversation: Conversation, words: Words) {
    this.#conversation = conversation;
    this.#words = words;
  }

  /** The result of a call, if it is there. `known` is the part of the input that tells the call from others. */
  resultOf(call: WantedCall | undefined, what: keyof Words["what"], known = call): JsonFields | undefined {
    if (!call || !known) return undefined;
    const run = runOf(this.#conversation, known);
    if (run.state === "todo") this.#open.push(call);
    // Without any tool the turn is being wound up, which the answer says.
    if (run.state === "missing" && this.#conversation.tools.size > 0)
      this.failures.push(this.#words.noTool(call.tool));
    if (run.state === "failed") this.failures.push(this.#words.failed(this.#words.what[what], run.error));
    return run.state === "done" ? run.result : undefined;
  }

  /** The calls to make now; each stage of a plan waits for the one before. */
  takeOpen(): WantedCall[] {
    const open = this.#open;
    this.#open = [];
    return open;
  }
}

function query(sql: string | undefined): WantedCall | undefined {
  return sql === undefined ? undefined : { tool: "query_database", input: { sql, show: ROWS_SHOWN } };
}

/** Leaves out what is not there, so that spreading it says nothing. */
function present(found: { readonly [name in keyof Found]: Found[name] | undefined }): Partial<Found> {
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** Works out how far an analysis has come and what to do next. Nothing is remembered between calls: the conversation
 *  says what was done. */
export function planSteps(analysis: Analysis, conversation: Conversation): Plan {
  const words = wordsFor(analysis.language);
  const progress = new Progress(conversation, words);
  const { failures } = progress;
  const split = mainSplit(analysis);
  const broken = breakdownSplit(analysis);
  let found: Found = { failures };
  const next = (stage: Stage, say: string, more: Partial<Found>): Plan | undefined => {
    found = { ...found, ...more };
    const calls = progress.takeOpen();
    return calls.length > 0 ? { found, say, calls, stage } : undefined;
  };

  const overall = progress.resultOf(query(overallSql(analysis)), "query");
  const main = progress.resultOf(query(split && splitSql(analysis, split)), "query");
  const breakdown = progress.resultOf(query(broken && splitSql(analysis, broken)), "query");
  const queried = next("figures", words.query, present({ overall, main, breakdown, failures }));
  if (queried) return queried;
  if (!overall || isEmpty(overall)) return { found, say: "", calls: [] };

  const drawn = main && rowCountOf(main) > 0 ? chartSplit(analysis, main) : undefined;
  const forChart = progress.resultOf(query(drawn && splitSql(analysis, drawn)), "query");
  const queriedAgain = next("figures", words.queryAgain, {});
  if (queriedAgain) return queriedAgain;

  const column = analysis.measures[0]?.alias ?? "";
  const statistics = progress.resultOf(
    rowCountOf(main) > 1
      ? {
          tool: "calculate_statistics",
          input: { resultId: main?.["resultId"] ?? null, column, metrics: METRICS },
        }
      : undefined,
    "statistics",
  );
  const computed = next("figures", words.statistics, present({ statistics, failures }));
  if (computed) return computed;

  const [source, axes] = drawn ? [forChart, drawn] : [main, split];
  const mainChart = progress.resultOf(source && axes && chartCall(analysis, axes, source), "chart");
  const bars = { ...analysis, chart: "bar" } as const;
  const breakdownChart = progress.resultOf(
    breakdown && broken && chartCall(bars, broken, breakdown),
    "chart",
  );
  const charted = next("charts", words.chart, present({ mainChart, breakdownChart, failures }));
  if (charted) return charted;

  const input = composeReport(analysis, found);
  // A second attempt may list more failures than the first; it is the same report.
  const known = { tool: "create_report", input: { title: input["title"] ?? "" } };
  const report = progress.resultOf({ tool: "create_report", input }, "report", known);
  return next("report", words.report, present({ report, failures })) ?? { found, say: "", calls: [] };
}
