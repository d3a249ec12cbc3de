import { crashTest } from "../testing/crash/crash-test.ts";
import type { CrashFinding, CrashReport, CrashTestOptions } from "../testing/crash/types.ts";
import type { CliIo } from "./cli-io.ts";
import type { Handler } from "./define-command.ts";
import type { crashtest as definition } from "./definitions.ts";
import { interruptible } from "./on-signal.ts";
import { redactPassword } from "./open-store.ts";
import { printsJson, table } from "./output.ts";
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
  const { agent, scenario, input, release, at, store, timeLimit, lifeLimit, concurrency } = flags;
  if (store !== undefined && !/^(file|sqlite|postgres(ql)?):./.test(store))
    throw new UsageError(
      `Unknown store "${redactPassword(store)}": use --store file:DIR, sqlite:PATH or postgres://….`,
    );
  const given: CrashTestOptions = Object.fromEntries(
    Object.entries({
      agent,
      scenario,
      release,
      store,
      concurrency,
      timeLimitMs: timeLimit,
      lifeLimitMs: lifeLimit,
      ...(input.length > 0 && { input }),
      ...(at.length > 0 && { at }),
    }).filter(([, value]) => value !== undefined),
  );
  const report = await run(args.file, given, io);
  if (printsJson(io, flags)) io.stdout.write(`${JSON.stringify(report)}\n`);
  else print(io, report, args.file, flags);
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

function print(io: CliIo, report: CrashReport, file: string, flags: Flags): void {
  const { findings, advice, points, unwatched, store, seconds, state, error } = report;
  const lines: string[] = [];
  if (findings.length > 0) {
    io.stdout.write(
      table(
        ["FINDING", "SESSION", "WHERE", "WHAT"],
        findings.map(({ kind, sessionId, where, others, message }) => [
          kind,
          sessionId,
          others > 0 ? `${where}, and ${others} more` : where,
          message,
        ]),
      ),
    );
    lines.push(...findings.map((finding) => `repeat: ${again(file, finding, flags)}`));
    lines.push(`look: agentchart inspect ${shellFlag("--store", store)}`);
  }
  lines.push(...advice.map(({ message }) => `advice: ${message}`));
  lines.push(...unwatched.map((what) => `not watched: ${what}`));
  if (error) lines.push(`${state}: ${error.message}`);
  const { total, run: made, unreached, impossible } = points;
  lines.push(
    `${state}: ${made} of ${total} points, ${unreached} not reached, ${impossible} not possible, ${seconds.toFixed(1)} s`,
  );
  io.stdout.write(`${lines.join("\n")}\n`);
}
