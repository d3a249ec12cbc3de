import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { AgentError, configError, type ErrorInfo } from "../../core/base/error.ts";
import { hideSecrets } from "../../core/base/secrets.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { allAtOnce } from "./all-at-once.ts";
import { openStoreOf } from "../../store/open-store-of.ts";
import type { SessionStore } from "../../store/port.ts";
import { baselineOf, faultsOf, isDifference, widened, type Fault } from "./judge.ts";
import { notesOf } from "./ledger.ts";
import { nameOf, pointsOf, type PlannedPoint } from "./points.ts";
import { adviceOf, Findings } from "./findings.ts";
import { runPoint, runWhole, type Bench, type Run } from "./run-point.ts";
import type { CrashPoint, CrashReport, CrashTestOptions } from "./types.ts";

const optionsSchema = s.lazily(() =>
  s.options<CrashTestOptions>({
    agent: s.optional(s.nonEmpty()),
    scenario: s.optional(s.nonEmpty()),
    input: s.optional(s.listOf(s.nonEmpty())),
    store: s.optional(s.secret("the address of a store", /^(file|sqlite|postgres(ql)?):./)),
    release: s.optional(s.nonEmpty()),
    at: s.optional(s.listOf(s.nonEmpty())),
    timeLimitMs: s.optional(s.positive()),
    lifeLimitMs: s.optional(s.positive()),
    concurrency: s.optional(s.integer(1, 64)),
    signal: s.optional(s.having("addEventListener", "an AbortSignal")),
    onProgress: s.optional(s.func()),
  }),
);

/** The number of runs without a kill that are made beside the first two, to see what differs by itself. */
const MAX_COMPARISONS = 3;

function fileOf(file: string, what: string): string {
  const path = resolve(file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw configError(`crashTest: ${what} ${path} does not exist.`);
  return path;
}

/** The store with its absolute path: processes may have other folders. */
function specOf(store: string | undefined, folder: string): string {
  if (store === undefined) return `sqlite:${join(folder, "sessions.db")}`;
  const [, kind, path = ""] = /^(file|sqlite):(.+)$/s.exec(store) ?? [];
  return kind === undefined ? store : `${kind}:${resolve(path)}`;
}

/**
 * Kills the process of an agent at every point of a scenario, with SIGKILL, and goes on in another one. The file exports agents as that of
 * a worker does, and the scenario as `scenario`; each process loads it. Points are before and after each append to the store and each call
 * of a tool, sub-agents included, and while a call waits for a decision; also the take-over by a second worker, other releases, and a second
 * call of each tool with the same idempotency key. A ledger outside of the processes counts what tools do. The answers of models are
 * recorded in the first run and given again in the others. Tools really run, many times: use a test environment.
 *
 * The report says what was lost, done twice or changed. Rejects `config/invalid` for wrong options and files, and `run/aborted`. A
 * scenario that does not end, or fails, without a kill is a report.
 *
 * @example
 * ```ts
 * import { crashTest } from "agentchart/testing";
 *
 * const { state, findings } = await crashTest("agents.ts", { input: ["Refund order 17."] });
 * if (state !== "sound") throw new Error(findings.map(({ message }) => message).join("\n"));
 * ```
 */
export async function crashTest(file: string, options: CrashTestOptions = {}): Promise<CrashReport> {
  check(s.nonEmpty(), file, "crashTest: file");
  check(optionsSchema(), options, "crashTest");
  const { agent, scenario, input, release, lifeLimitMs = 30_000, signal } = options;
  const path = fileOf(file, "the file of the agents");
  const releaseFile = release === undefined ? undefined : fileOf(release, "the file of the release");
  const folder = await mkdtemp(join(tmpdir(), "agentchart-crashtest-"));
  const spec = specOf(options.store, folder);
  const benchOf = (store: SessionStore): Bench => ({
    base: {
      file: path,
      scenarioFile: path,
      store: spec,
      tape: join(folder, "tape.jsonl"),
      ...(agent !== undefined && { agent }),
      ...(scenario !== undefined && { scenario }),
      ...(input && { input }),
    },
    folder,
    prefix: `crashtest-${Date.now().toString(36)}`,
    store,
    lifeLimitMs,
    ...(releaseFile !== undefined && { releaseFile }),
    ...(signal && { signal }),
  });
  let isKept = false;
  try {
    const store = (await openStoreOf(spec)) as SessionStore;
    try {
      const report = await testAll(benchOf(store), options);
      isKept = options.store === undefined; // the report refers to the sessions in it
      return report;
    } finally {
      await store.close();
    }
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AgentError("run/aborted", "The crash test was aborted.");
}

async function testAll(bench: Bench, options: CrashTestOptions): Promise<CrashReport> {
  const since = Date.now();
  const { signal, timeLimitMs = 600_000, concurrency = availableParallelism(), onProgress } = options;
  const until = since + timeLimitMs;
  const first = await runWhole(bench, 0, true);
  stopIfAborted(signal);
  const report = (more: Partial<CrashReport> & Pick<CrashReport, "state">): CrashReport => ({
    agent: notesOf(first.notes, "done")[0]?.agent ?? options.agent ?? "",
    findings: [],
    advice: [],
    points: { total: 0, run: 0, unreached: 0, impossible: 0 },
    unwatched: notesOf(first.notes, "unwatched").flatMap(({ names }) => names),
    store: hideSecrets(bench.base.store),
    seconds: (Date.now() - since) / 1_000,
    ...more,
  });
  const broken = brokenBy(first, bench);
  if (broken) return report(broken);
  const second = await runWhole(bench, 1, false);
  stopIfAborted(signal);
  let baseline = baselineOf(first, second);
  const planned = chosen(pointsOf(first, bench.releaseFile !== undefined), options.at);
  const findings = new Findings();
  const runs = { run: 0, unreached: 0, impossible: 0 };
  const repeats = new Map<string, Run>();
  let comparisons = 0;
  /** Returns the faults of a run. What is only a difference is compared with another run without a kill, which is made now. */
  const faultsIn = async (run: Run, point: CrashPoint): Promise<readonly Fault[]> => {
    const faults = faultsOf(baseline, run, point);
    if (!faults.some(isDifference) || comparisons >= MAX_COMPARISONS) return faults;
    const third = await runWhole(bench, planned.length + 2 + comparisons++, false);
    stopIfAborted(signal);
    if (third.state === "done") baseline = widened(baseline, third);
    return faultsOf(baseline, run, point);
  };
  await allAtOnce("The crash test", planned, { concurrency, signal }, async ({ point, afterMs }, index) => {
    if (Date.now() >= until) return;
    const run = await runPoint(bench, index + 2, point, afterMs);
    stopIfAborted(signal);
    runs[run.state === "unreached" || run.state === "impossible" ? run.state : "run"]++;
    findings.add(index, point, run.sessionId, await faultsIn(run, point));
    if (point.how === "repeat") repeats.set(point.instant, run);
    onProgress?.({
      done: runs.run + runs.unreached + runs.impossible,
      of: planned.length,
      findings: findings.count,
    });
  });
  const found = findings.all();
  const isWhole = runs.run + runs.unreached + runs.impossible === planned.length;
  return report({
    state: found.length > 0 ? "faulty" : isWhole ? "sound" : "incomplete",
    findings: found,
    advice: adviceOf(baseline, repeats),
    points: { total: planned.length, ...runs },
  });
}

/** Returns why a scenario cannot be tested: it does not come to its end without a kill. Throws `config/invalid` for wrong files. */
function brokenBy(
  run: Run,
  { lifeLimitMs }: Bench,
): { readonly state: "endless" | "broken"; readonly error: ErrorInfo } | undefined {
  if (run.state === "done") return undefined;
  if (run.state === "endless")
    return {
      state: "endless",
      error: {
        code: "run/timeout",
        message: `The scenario does not end within ${lifeLimitMs} ms, without a kill.`,
      },
    };
  const error = notesOf(run.notes, "error").at(-1)?.error ?? {
    code: "run/invalid-event" as const,
    message: `The process ended without a result: ${run.errors.trim().slice(-1_000)}`,
  };
  if (error.code === "config/invalid") throw new AgentError(error.code, error.message);
  return { state: "broken", error };
}

function chosen(
  planned: readonly PlannedPoint[],
  at: readonly string[] | undefined,
): readonly PlannedPoint[] {
  if (!at) return planned;
  const names = new Set(planned.map(({ point }) => nameOf(point)));
  const unknown = at.find((name) => !names.has(name));
  if (unknown !== undefined)
    throw configError(
      `crashTest: the scenario has no point '${unknown}'; it has ${[...names].slice(0, 5).join(", ")} and others.`,
    );
  return planned.filter(({ point }) => at.includes(nameOf(point)));
}
