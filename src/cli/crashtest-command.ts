import { hideSecrets } from "../core/base/secrets.ts";
import { crashTest } from "../testing/crash/crash-test.ts";
import type { CrashFinding, CrashReport, CrashTestOptions } from "../testing/crash/types.ts";
import type { CliIo } from "./cli-io.ts";
import type { Handler } from "./define-command.ts";
import type { crashtest as definition } from "./definitions.ts";
import { interruptible } from "./on-signal.ts";
import { parseStore } from "./open-store.ts";
import { printReport, table } from "./output.ts";
import { shellFlag, shellQuote } from "./shell-quote.ts";
import { UsageError } from "./usage-error.ts";

type Flags = Parameters<Handler<typeof definition>>[0]["flags"];

/** The exit codes of the reports. */
const CODES: { readonly [state in CrashReport["state"]]: number } = {
  sound: 0,
  faulty: 1,
  incomplete: 3,
  endless: 3,
  broken: 3,
};

/** `agentchart crashtest`. */
export const crashtestCommand: Handler<typeof definition> = async ({ args, flags }, io) => {
  const { agent, scenario, input, release, at, timeLimit, lifeLimit, concurrency } = flags;
  const named = flags.store === undefined ? undefined : parseStore(flags.store);
  if (named && (named.kind === undefined || named.kind === "partitions"))
    throw new UsageError(
      `Unknown store "${hideSecrets(named.spec)}": use --store file:DIR, sqlite:PATH or postgres://….`,
    );
  const given: CrashTestOptions = {
    ...{ agent, scenario, release, store: named?.spec, concurrency },
    timeLimitMs: timeLimit,
    lifeLimitMs: lifeLimit,
    input: input.length > 0 ? input : undefined,
    at: at.length > 0 ? at : undefined,
  };
  const report = await run(args.file, given, io);
  printReport(io, flags, report, () => textOf(report, args.file, flags));
  return CODES[report.state];
};

/** Runs the test; Ctrl-C ends it. */
function run(file: string, options: CrashTestOptions, io: CliIo): Promise<CrashReport> {
  const onProgress: CrashTestOptions["onProgress"] = ({ done, of, findings }) =>
    io.terminal.status(`${done} of ${of} points, ${findings} findings`);
  return interruptible(io, (signal) => crashTest(file, { ...options, signal, onProgress }));
}

/** The command that repeats a finding. */
function again(file: string, { at }: CrashFinding, { agent, scenario, input, release }: Flags): string {
  const chosen = { "--agent": agent, "--scenario": scenario, "--release": release, "--at": at };
  const words = Object.entries(chosen).flatMap(([flag, value]) =>
    value === undefined ? [] : [shellFlag(flag, value)],
  );
  return [
    "agentchart crashtest",
    shellQuote(file),
    ...input.map((text) => shellFlag("--input", text)),
    ...words,
  ].join(" ");
}

const HEAD = ["FINDING", "SESSION", "WHERE", "WHAT"];

function rowOf({ kind, sessionId, where, others, message }: CrashFinding): string[] {
  return [kind, sessionId, others > 0 ? `${where}, and ${others} more` : where, message];
}

function textOf(report: CrashReport, file: string, flags: Flags): string {
  const { findings, advice, points, unwatched, store, seconds, state, error } = report;
  const { total, run: made, unreached, impossible } = points;
  const lines = [
    ...findings.map((finding) => `repeat: ${again(file, finding, flags)}`),
    ...(findings.length > 0 ? [`look: agentchart inspect ${shellFlag("--store", store)}`] : []),
    ...advice.map(({ message }) => `advice: ${message}`),
    ...unwatched.map((what) => `not watched: ${what}`),
    ...(error ? [`${state}: ${error.message}`] : []),
    `${state}: ${made} of ${total} points, ${unreached} not reached, ${impossible} not possible, ${seconds.toFixed(1)} s`,
  ];
  return table(HEAD, findings.map(rowOf)) + lines.join("\n");
}
