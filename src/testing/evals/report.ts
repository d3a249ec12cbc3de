import { configError } from "../../core/base/error.ts";
import { isObject } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { mcNemar, passAllOf, passAnyOf, totalOf, wilson } from "./statistics.ts";
import type { EvalReport, EvalResult } from "./types.ts";

const STATES = ["passed", "failed", "error", "skipped"] as const;

/** Sums up the results of an evaluation. */
export function reportOf(
  name: string,
  repeat: number,
  results: readonly EvalResult[],
  edges: Iterable<string>,
): EvalReport {
  const counts = { passed: 0, failed: 0, error: 0, skipped: 0 };
  for (const { state } of results) counts[state]++;
  const judged = counts.passed + counts.failed;
  const ran = results.filter(({ state }) => state !== "skipped");
  const whole = [...Map.groupBy(results, (result) => result.case).values()].filter((runs) =>
    runs.every(({ state }) => state === "passed" || state === "failed"),
  );
  const passedOf = (runs: readonly EvalResult[]): number =>
    runs.filter(({ state }) => state === "passed").length;
  const byK = (chance: typeof passAnyOf): readonly number[] =>
    whole.length === 0
      ? []
      : Array.from(
          { length: repeat },
          (_, k) =>
            whole.reduce((sum, runs) => sum + chance(k + 1, runs.length, passedOf(runs)), 0) / whole.length,
        );
  return {
    name,
    repeat,
    results,
    counts,
    passed: judged > 0 ? wilson(counts.passed, judged) : undefined,
    passAny: byK(passAnyOf),
    passAll: byK(passAllOf),
    tokens: totalOf(ran.map(({ tokens }) => tokens)),
    cost: totalOf(ran.map(({ cost }) => cost)),
    edges: [...edges].toSorted(),
  };
}

/** A run of the same case and number in two evaluations that came to different ends. */
export type ChangedResult = {
  readonly case: string;
  readonly repeat: number;
  readonly before: EvalResult;
  readonly after: EvalResult;
};

/** The comparison of two evaluations, run by run. */
export type EvalComparison = {
  /** The number of runs that passed or failed in both. */
  readonly pairs: number;
  /** The runs that failed before and pass now. */
  readonly better: readonly ChangedResult[];
  /** The runs that passed before and fail now. */
  readonly worse: readonly ChangedResult[];
  /** The runs that cannot be compared: they are in one evaluation only, or ended as an error or skipped. */
  readonly unpaired: number;
  /** The two-sided p-value of McNemar's exact test: the chance of a difference this large if both are as good. */
  readonly p: number;
};

const keyOf = ({ case: name, repeat }: EvalResult): string => `${repeat} ${name}`;
const isJudged = ({ state }: EvalResult): boolean => state === "passed" || state === "failed";

/**
 * Compares two evaluations of the same cases, run by run.
 *
 * @example
 * ```ts
 * import { compareEvals, type EvalReport } from "agentchart/evals";
 *
 * function isWorse(before: EvalReport, after: EvalReport): boolean {
 *   const { better, worse, p } = compareEvals(before, after);
 *   return worse.length > better.length && p < 0.05;
 * }
 * ```
 */
export function compareEvals(before: EvalReport, after: EvalReport): EvalComparison {
  const earlier = new Map(before.results.map((result) => [keyOf(result), result]));
  const keys = new Set([...earlier.keys(), ...after.results.map(keyOf)]);
  const pairs = after.results.flatMap((now): ChangedResult[] => {
    const then = earlier.get(keyOf(now));
    if (!then || !isJudged(then) || !isJudged(now)) return [];
    return [{ case: now.case, repeat: now.repeat, before: then, after: now }];
  });
  const better = pairs.filter((pair) => pair.before.state === "failed" && pair.after.state === "passed");
  const worse = pairs.filter((pair) => pair.before.state === "passed" && pair.after.state === "failed");
  return {
    pairs: pairs.length,
    better,
    worse,
    unpaired: keys.size - pairs.length,
    p: mcNemar(better.length, worse.length),
  };
}

const resultSchema = s.lazily(() =>
  s.openOptions<EvalResult>({ case: s.nonEmpty(), repeat: s.integer(1), state: s.oneOf(...STATES) } as never),
);

/** The report of what `agentchart eval` prints, which has the comparison beside it; anything else as it is. */
const reportIn = (value: unknown): unknown =>
  isObject(value) && isObject(value["report"]) && value["results"] === undefined ? value["report"] : value;

/**
 * Returns the report that a JSON text holds, as `--out` of `agentchart eval` writes it or as the command prints it. Throws `config/invalid` for anything else; `from` names it.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { readReport } from "agentchart/evals";
 *
 * export const before = () => readReport(readFileSync("main.json", "utf8"), "main.json");
 * ```
 */
export function readReport(text: string, from: string): EvalReport {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/u, ""));
  } catch (cause) {
    throw configError(`${from} is not JSON: expected a report of an evaluation.`, {
      cause,
    });
  }
  value = reportIn(value);
  const schema = s.openOptions({ name: s.nonEmpty(), results: s.listOf(resultSchema()) } as never);
  check(schema as never, value, from);
  const report = value as EvalReport;
  const runs = new Set<string>();
  for (const result of report.results) {
    if (runs.has(keyOf(result)))
      throw configError(`${from} has two results of the case '${result.case}', run ${result.repeat}.`);
    runs.add(keyOf(result));
  }
  return report;
}

const escaped = (text: string): string =>
  text
    // what XML 1.0 does not allow
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "\u{FFFD}")
    .replaceAll(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]!);

/**
 * Returns a report in JUnit's XML, for build servers.
 *
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * import { junitOf, type EvalReport } from "agentchart/evals";
 *
 * const write = (report: EvalReport) => writeFileSync("report.xml", junitOf(report));
 * ```
 */
export function junitOf({ name, results, counts }: EvalReport): string {
  const cases = results.map((result) => {
    const title = `${result.case} #${result.repeat}`;
    const seconds = ((result.durationMs ?? 0) / 1_000).toFixed(3);
    const head = `    <testcase classname="${escaped(name)}" name="${escaped(title)}" time="${seconds}"`;
    const because = escaped(reasonOf(result));
    if (result.state === "passed") return `${head}/>`;
    if (result.state === "skipped") return `${head}><skipped/></testcase>`;
    const kind = result.state === "failed" ? "failure" : "error";
    return `${head}><${kind} message="${because}">${escaped(result.sessionId)}</${kind}></testcase>`;
  });
  const { failed, error, skipped } = counts;
  const totals = `tests="${results.length}" failures="${failed}" errors="${error}" skipped="${skipped}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${totals}>
  <testsuite name="${escaped(name)}" ${totals}>
${cases.join("\n")}
  </testsuite>
</testsuites>
`;
}

/** Returns why a run did not pass; empty for one that passed. */
export function reasonOf({ state, verdicts, error }: EvalResult): string {
  if (state === "skipped") return "The budget was used up.";
  if (state === "error") return error?.message ?? "";
  return verdicts
    .filter(({ pass }) => !pass)
    .map(({ judge, reason }) => `${judge}: ${reason}`)
    .join(" ");
}
