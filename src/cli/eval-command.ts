import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { AgentError, configError, messageOf } from "../core/base/error.ts";
import { isObject } from "../core/base/json.ts";
import { evaluate } from "../testing/evals/evaluate.ts";
import { compareEvals, junitOf, readReport, reasonOf, type EvalComparison } from "../testing/evals/report.ts";
import type { EvalReport, EvaluateOptions } from "../testing/evals/types.ts";
import type { CliIo } from "./cli-io.ts";
import type { Handler } from "./define-command.ts";
import type { evaluateSuite as definition } from "./definitions.ts";
import { importMain } from "./import-file.ts";
import { interruptible } from "./on-signal.ts";
import { openStore } from "./open-store.ts";
import { dollars, percent, printReport, table } from "./output.ts";
import { writeAtomically } from "./sessions/write-atomically.ts";
import { UsageError } from "./usage-error.ts";
import { withCleanup } from "./with-cleanup.ts";

/** The exported object of a suite. */
type Suite = EvaluateOptions & { readonly name: string };
type Flags = Parameters<Handler<typeof definition>>[0]["flags"];

/** A difference of two evaluations below this chance is not an accident. */
const SIGNIFICANT = 0.05;

/** `agentchart eval`. */
export const evalCommand: Handler<typeof definition> = async ({ args, flags }, io) => {
  const { min = 1 } = flags;
  if (min > 1) throw new UsageError("--min must be a share from 0 to 1, such as 0.9.");
  const before = flags.compare === undefined ? undefined : await reportIn(flags.compare);
  const suite = chosen(await loadSuite(args.suite), flags);
  if (before && !isOfSuite(before, suite))
    throw new UsageError(
      `--compare: no run of ${flags.compare}, which is a report of '${before.name}', is one of this suite.`,
    );
  if (flags.out !== undefined) await prepareFile(flags.out, "--out");
  if (flags.junit !== undefined) await prepareFile(flags.junit, "--junit");
  const { name, ...options } = suite;
  const store = flags.store === undefined ? undefined : await openStore(flags.store);
  const report = await withCleanup(
    () => run(name, { ...options, ...(store && { store }) }, io),
    async () => store?.close(),
  );
  if (flags.out !== undefined) await writeAtomically(flags.out, [`${JSON.stringify(report, null, 2)}\n`]);
  if (flags.junit !== undefined) await writeAtomically(flags.junit, [junitOf(report)]);
  const comparison = before && compareEvals(before, report);
  printReport(io, flags, { report, comparison }, () => textOf(report, comparison));
  return isGood(report, min, comparison) ? 0 : 1;
};

function isGood(
  { counts, passed }: EvalReport,
  min: number,
  comparison: EvalComparison | undefined,
): boolean {
  const { better = [], worse = [], p = 1 } = comparison ?? {};
  const isWorse = worse.length > better.length && p < SIGNIFICANT;
  return counts.error + counts.skipped === 0 && (passed?.rate ?? 0) >= min && !isWorse;
}

/** True if a report has a run that an evaluation of the suite can be compared with. */
const isOfSuite = ({ results }: EvalReport, { cases, repeat = 1 }: Suite): boolean =>
  results.some((result) => result.repeat <= repeat && cases.some(({ name }) => name === result.case));

/** The suite with the cases and the repeats of the command line. */
function chosen(suite: Suite, { case: names, repeat }: Flags): Suite {
  const unknown = names.find((name) => !suite.cases.some((of) => of.name === name));
  if (unknown !== undefined) throw new UsageError(`The suite has no case '${unknown}'.`);
  const cases = names.length > 0 ? suite.cases.filter(({ name }) => names.includes(name)) : suite.cases;
  return { ...suite, cases, ...(repeat !== undefined && { repeat }) };
}

async function loadSuite(file: string): Promise<Suite> {
  const suite = await importMain(file, "suite");
  const { name, cases } = (isObject(suite) ? suite : {}) as Partial<Suite>;
  if (typeof name === "string" && Array.isArray(cases)) return suite as Suite;
  throw configError(
    `${file} exports no suite: use "export default { name: "refunds", agent, cases, judge }" with judges of agentchart/evals.`,
  );
}

async function reportIn(file: string): Promise<EvalReport> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new UsageError(`The report ${file} cannot be read: check --compare.`, { cause });
  });
  return readReport(text, file);
}

/** Runs a suite; Ctrl-C interrupts it. */
async function run(name: string, options: EvaluateOptions, io: CliIo): Promise<EvalReport> {
  const onProgress: EvaluateOptions["onProgress"] = (progress) => {
    const { done, of, result } = progress;
    io.terminal.status(`${done} of ${of}: ${result.case} #${result.repeat} ${result.state}`);
    options.onProgress?.(progress);
  };
  try {
    return await interruptible(io, (signal) => evaluate(name, { ...options, signal, onProgress }));
  } catch (error) {
    if (!AgentError.is(error) || error.code !== "run/aborted") throw error;
    const next = options.store
      ? "The same command goes on with it."
      : "Nothing of it is stored: with --store the same command goes on.";
    throw new AgentError(error.code, `${error.message} ${next}`, { cause: error });
  }
}

/** Makes the folder of a file that is written in the end, so that nothing is run for a place that cannot be written. */
async function prepareFile(file: string, flag: string): Promise<void> {
  try {
    await mkdir(dirname(resolve(file)), { recursive: true });
    if (!(await stat(file).catch(() => undefined))?.isDirectory()) return;
  } catch (cause) {
    throw new UsageError(`${flag} ${file} cannot be written: ${messageOf(cause)}.`, { cause });
  }
  throw new UsageError(`${flag} ${file} is a folder.`);
}

function textOf(report: EvalReport, comparison: EvalComparison | undefined): string {
  const { results, counts, passed, passAny, passAll, repeat, tokens, cost } = report;
  const bad = results.filter(({ state }) => state !== "passed");
  const rows = bad.map((result) => [result.sessionId, result.state, reasonOf(result)]);
  const lines = [
    `${counts.passed} passed, ${counts.failed} failed, ${counts.error} errors, ${counts.skipped} skipped`,
    ...(passed
      ? [`${percent(passed.rate)} passed (95 %: ${percent(passed.low)} to ${percent(passed.high)})`]
      : []),
    ...(repeat > 1 && passAny.length > 0
      ? [
          `one of ${repeat} passes: ${percent(passAny.at(-1)!)}; all ${repeat} pass: ${percent(passAll.at(-1)!)}`,
        ]
      : []),
    `tokens: ${tokens ?? "unknown"}; cost: ${dollars(cost)}`,
  ];
  if (comparison) {
    const { better, worse, pairs, unpaired, p } = comparison;
    lines.push(
      `compared: ${better.length} better, ${worse.length} worse of ${pairs} (p = ${p.toFixed(3)}), ${unpaired} not compared`,
    );
    for (const { case: name, repeat: number } of worse) lines.push(`worse: ${name} #${number}`);
  }
  return table(["SESSION", "STATE", "WHY"], rows) + lines.join("\n");
}
