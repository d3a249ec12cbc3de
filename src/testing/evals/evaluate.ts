import { AgentError, configError, errorInfo, type ErrorInfo } from "../../core/base/error.ts";
import { isObject } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { isUsage } from "../../core/model/fold.ts";
import { memoryStore } from "../../store/memory.ts";
import { storeSchema } from "../../store/store-schema.ts";
import { tokensOf } from "./judges.ts";
import { RunReader } from "./read-run.ts";
import { reportOf } from "./report.ts";
import { runCase, type RunPlan } from "./run-case.ts";
import { boundsSchemas, runAll } from "./run-limit.ts";
import { totalOf } from "./statistics.ts";
import type { EvalCase, EvalReport, EvalResult, EvalRun, EvaluateOptions, Judge, Verdict } from "./types.ts";

const judgeSchema = s.lazily(() => s.having<Judge>("judge", "a judge: an object with `name` and `judge`"));

const evaluateSchema = s.lazily(() =>
  s.options<EvaluateOptions>({
    agent: s.func(),
    cases: s.listOf(caseSchema()),
    judge: s.either(judgeSchema(), s.listOf(judgeSchema()), "a judge, or an array of them"),
    repeat: s.optional(s.integer(1, 1_000)),
    store: s.optional(storeSchema()),
    output: s.anything(),
    decide: s.optional(s.func()),
    user: s.optional(s.func()),
    maxTurns: s.optional(s.integer(1, 1_000)),
    ...boundsSchemas(),
    onProgress: s.optional(s.func()),
  }),
);

/** The schema of an {@link EvalCase}. */
export const caseSchema = s.lazily(() =>
  s.options<EvalCase>({
    name: s.nonEmpty(),
    input: s.optional(s.either(s.string(), s.listOf(s.string()), "a text, or an array of texts")),
    expected: s.anything(),
    meta: s.optional(s.object()),
  }),
);

function checkOptions(name: string, options: EvaluateOptions): void {
  check(s.nonEmpty(), name, "evaluate: name");
  check(evaluateSchema(), options, "evaluate");
  const { cases, user, judge } = options;
  const invalid = (problem: string): never => {
    throw configError(`evaluate: ${problem}.`);
  };
  if (cases.length === 0) invalid("expected at least one case");
  const judges = [judge].flat();
  if (judges.length === 0) invalid("expected at least one judge");
  if (judges.some(({ name: of }) => typeof of !== "string" || of === "")) invalid("a judge has no `name`");
  const names = new Set<string>();
  for (const { name: of, input = [] } of cases) {
    if (names.has(of)) invalid(`two cases are named '${of}'`);
    if ([input].flat().length === 0 && !user)
      invalid(`the case '${of}' has no \`input\`, and no \`user\` says it`);
    names.add(of);
  }
}

/**
 * Runs an agent on each case, `repeat` times, each in a session of its own, and judges what is stored of it. Returns the report. With a
 * `store` an evaluation that was cut off goes on when it is called again: sessions are named `NAME/CASE/REPEAT`, a turn that is stored is
 * not run again, and each session opens in the inspector. Use another name for another configuration. A run that fails, that a judge
 * cannot judge, or that takes longer than `runLimitMs` is an error of its own; the others go on.
 *
 * Rejects `config/invalid` for wrong options, before anything runs, and `run/aborted`.
 *
 * @example
 * ```ts
 * import { evaluate, reply, used } from "agentchart/evals";
 * import { scriptedModel } from "agentchart/testing";
 *
 * const report = await evaluate("greetings", {
 *   agent: () => ({ name: "greeter", model: scriptedModel(["Hello, Ada!"]) }),
 *   cases: [{ name: "ada", input: "I am Ada.", expected: "Ada" }],
 *   judge: [reply.contains(), used("search").never()],
 * });
 * console.log(report.passed);
 * ```
 */
export async function evaluate(name: string, options: EvaluateOptions): Promise<EvalReport> {
  checkOptions(name, options);
  const { cases, repeat = 1, store = memoryStore(), onProgress } = options;
  const plans = cases.flatMap((of) =>
    Array.from({ length: repeat }, (_, at): RunPlan => {
      const number = at + 1;
      return { case: of, repeat: number, sessionId: `${name}/${of.name}/${number}`, store };
    }),
  );
  const reader = new RunReader(store);
  const edges = new Set<string>();
  const results = await runAll(`The evaluation '${name}'`, plans, options, {
    run: (plan, signal) => resultOf(plan, { ...options, signal }, reader, edges),
    without: (plan, error) => withoutVerdict(plan, error && infoOf(error)),
    spentOf: (result) => result,
    onDone: (result, progress) => onProgress?.({ ...progress, result }),
  });
  return reportOf(name, repeat, results, edges);
}

/** The result of a run that failed, or that was not made. */
const withoutVerdict = ({ case: of, repeat, sessionId }: RunPlan, error?: ErrorInfo): EvalResult => ({
  case: of.name,
  repeat,
  sessionId,
  state: error ? "error" : "skipped",
  verdicts: [],
  ...(error && { error }),
});

/** Makes and judges one run. Rejects `run/aborted`; any other failure is the result. */
async function resultOf(
  plan: RunPlan,
  options: EvaluateOptions,
  reader: RunReader,
  edges: Set<string>,
): Promise<EvalResult> {
  const { sessionId, repeat } = plan;
  let run: EvalRun;
  try {
    run = await runCase(plan, options, reader);
  } catch (thrown) {
    if (options.signal?.aborted)
      throw new AgentError("run/aborted", "The evaluation was aborted.", { cause: thrown });
    return withoutVerdict(plan, infoOf(thrown));
  }
  for (const step of run.steps) for (const edge of step.edges) edges.add(edge);
  const verdicts: (Verdict & { readonly judge: string })[] = [];
  let error: ErrorInfo | undefined;
  for (const [place, judge] of [options.judge].flat().entries()) {
    try {
      const scope = { store: plan.store, sessionId: `${sessionId}/judge-${place + 1}` };
      verdicts.push({ judge: judge.name, ...verdictOf(await judge.judge(run, scope), judge.name) });
    } catch (thrown) {
      const info = infoOf(thrown);
      error ??= { ...info, message: `The judge '${judge.name}' failed: ${info.message}` };
    }
  }
  const hasPassed = verdicts.every(({ pass }) => pass);
  const { text, durationMs } = run;
  return {
    case: plan.case.name,
    repeat,
    sessionId,
    state: error ? "error" : hasPassed ? "passed" : "failed",
    verdicts,
    ...((error ?? run.error) && { error: error ?? run.error }),
    text,
    durationMs,
    ...spentOf(run, verdicts),
  };
}

function verdictOf(given: Verdict | boolean, judge: string): Verdict {
  if (typeof given === "boolean") return { pass: given, reason: given ? "It holds." : "It does not hold." };
  const { pass, reason, usage } = (isObject(given) ? given : {}) as Partial<Verdict>;
  if (typeof pass !== "boolean" || typeof reason !== "string")
    throw configError(`The judge '${judge}' returned neither a boolean nor a verdict.`);
  if (usage !== undefined && !isUsage(usage))
    throw configError(`The judge '${judge}' returned a \`usage\` that has no counts.`);
  return { pass, reason, ...(usage && { usage }) };
}

function spentOf(run: EvalRun, verdicts: readonly Verdict[]): Pick<EvalResult, "tokens" | "cost"> {
  const usages = [run.usage, ...verdicts.flatMap(({ usage }) => usage ?? [])];
  const tokens = totalOf(usages.map(tokensOf));
  const cost = totalOf(usages.map((usage) => usage.cost));
  return { ...(tokens !== undefined && { tokens }), ...(cost !== undefined && { cost }) };
}

const infoOf = (thrown: unknown): ErrorInfo => errorInfo(thrown, "run/invalid-event");
