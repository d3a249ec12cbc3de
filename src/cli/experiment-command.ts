import { AgentError } from "../core/base/error.ts";
import { hideSecrets } from "../core/base/secrets.ts";
import type { SessionStore } from "../store/port.ts";
import { LabelReader } from "../inspect/labels/labels.ts";
import { experiment } from "../testing/evals/experiment.ts";
import type {
  ExperimentOptions,
  ExperimentReport,
  RunningReport,
  RunningRow,
} from "../testing/evals/experiment-types.ts";
import { tryRelease } from "../testing/evals/try-release.ts";
import { makeConfig } from "../worker/make-config.ts";
import type { WorkerAgents } from "../worker/types.ts";
import type { CliIo } from "./cli-io.ts";
import type { Handler } from "./define-command.ts";
import type { experimentOn as definition } from "./definitions.ts";
import { interruptible } from "./on-signal.ts";
import { openStore, withExistingStore } from "./open-store.ts";
import { dollars, percent, printReport, table } from "./output.ts";
import { shellFlag } from "./shell-quote.ts";
import { readChanges } from "./sessions/read-changes.ts";
import { UsageError } from "./usage-error.ts";
import { withCleanup } from "./with-cleanup.ts";
import { loadAgents } from "./workers/load-agents.ts";

type Flags = Parameters<Handler<typeof definition>>[0]["flags"];

/** The states of sessions in flight that a deploy may not have. */
const BAD: ReadonlySet<RunningRow["state"]> = new Set(["lost", "cannot-open", "asks-again"]);

/** `agentchart experiment`. */
export const experimentCommand: Handler<typeof definition> = async ({ args, flags }, io) => {
  const { max = 0, running, edit } = flags;
  if (max > 1) throw new UsageError("--max must be a share from 0 to 1, such as 0.05.");
  refuseUnheard(flags);
  const agent = agentOf(await loadAgents(args.file));
  return withExistingStore(flags.store, async (store) => {
    if (running) {
      const report = await interruptible(io, (signal) => flight(store, { agent, signal }, flags, io));
      printReport(io, flags, report, runningText);
      return report.rows.some(({ state }) => BAD.has(state)) ? 1 : 0;
    }
    const changes = edit === undefined ? undefined : await readChanges(edit);
    const into = flags.into === undefined ? undefined : await openStore(flags.into);
    const report = await withCleanup(
      () => interruptible(io, (signal) => run(store, { agent, changes, into, signal }, flags, io)),
      async () => into?.close(),
    );
    printReport(io, flags, report, () => textOf(report, flags));
    const { error, moved, skipped } = report.counts;
    return error + moved + skipped === 0 && report.different && report.different.rate <= max ? 0 : 1;
  });
};

/** The flags that only a run of sessions hears. */
const OF_RUNS = [
  "session",
  "label",
  "at",
  "edit",
  "times",
  "answers",
  "live",
  "budget",
  "max",
  "into",
] as const;

/** Throws for flags that others would silently overrule. */
function refuseUnheard(flags: Flags): void {
  const isGiven = (name: keyof Flags): boolean =>
    flags[name] !== undefined && [flags[name]].flat().length > 0;
  const unheard = OF_RUNS.find(isGiven);
  if (flags.running && unheard !== undefined)
    throw new UsageError(`--${unheard} has no meaning with --running, which runs nothing.`);
  const other = (["prefix", "label"] as const).find(isGiven);
  if (flags.session.length > 0 && other !== undefined)
    throw new UsageError(`--session names the sessions: leave --${other} out.`);
}

/** The agent of a session: the only one of the file, or the one that its labels name, as for a worker. */
function agentOf(agents: WorkerAgents): NonNullable<ExperimentOptions["agent"]> {
  const names = Object.keys(agents);
  return async (session) => {
    const { agent } = session.meta;
    const name = names.length === 1 ? names[0]! : typeof agent === "string" ? agent : "";
    const make = Object.hasOwn(agents, name) ? agents[name] : undefined;
    if (!make) {
      const of = name === "" ? "has no label `agent`" : `is of the agent '${name}'`;
      throw new AgentError(
        "config/no-agent",
        `The session '${session.sessionId}' ${of}, and the file has ${names.join(", ")}.`,
      );
    }
    return makeConfig(make, session);
  };
}

function placeOf(at: string | undefined): ExperimentOptions["at"] {
  if (at === undefined || at === "start") return "start";
  if (/^[1-9]\d*$/.test(at)) return Number(at);
  try {
    return JSON.parse(at) as ExperimentOptions["at"];
  } catch (cause) {
    throw new UsageError(
      `--at must be start, the number of a step, or a condition such as '{"asked":"refund"}'.`,
      { cause },
    );
  }
}

/** The sessions that the flags name: by their ids, by a label of people, or by how their ids begin. */
async function sessionsOf(
  store: SessionStore,
  flags: Flags,
): Promise<NonNullable<ExperimentOptions["sessions"]>> {
  const { session, label, prefix } = flags;
  if (session.length > 0) return session;
  if (label === undefined) return { prefix };
  const found: string[] = [];
  for (const [id, each] of await new LabelReader(store).newest()) {
    if (each.label !== label || !id.startsWith(prefix ?? "")) continue;
    const isDeleted = (await store.load(id).catch(() => null)) === undefined; // a label stays
    if (!isDeleted) found.push(id);
  }
  return found;
}

async function run(
  store: SessionStore,
  given: Pick<ExperimentOptions, "agent" | "changes" | "into" | "signal">,
  flags: Flags,
  io: CliIo,
): Promise<ExperimentReport> {
  const { limit, at, times, answers, live, budget } = flags;
  return experiment(store, {
    ...given,
    sessions: await sessionsOf(store, flags),
    at: placeOf(at),
    limit,
    times,
    model: answers,
    ...(live.length > 0 && { live, onDivergence: "live" as const }),
    ...(budget !== undefined && { budget: { cost: budget } }),
    onProgress: ({ done, of, row }) =>
      io.terminal.status(`${done} of ${of}: ${row.sessionId} #${row.repeat} ${row.state}`),
  });
}

function flight(
  store: SessionStore,
  given: Pick<ExperimentOptions, "agent" | "signal">,
  { prefix, limit }: Flags,
  io: CliIo,
): Promise<RunningReport> {
  return tryRelease(store, {
    ...given,
    sessions: { prefix },
    limit,
    onProgress: ({ done, row }) => io.terminal.status(`${done}: ${row.sessionId} ${row.state}`),
  });
}

function runningText({ rows, counts }: RunningReport): string {
  const told = rows.flatMap(({ sessionId, state, calls, error }) =>
    state === "same" ? [] : [[sessionId, state, error?.message ?? calls.join(", ")]],
  );
  const said = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
  return `${table(["SESSION", "STATE", "WHAT"], told)}${rows.length} in flight: ${said.join(", ")}`;
}

function whatOf({ divergence, stopped, error, changed }: ExperimentReport["rows"][number]): string {
  if (error) return error.message;
  if (!divergence) return changed.join(", ");
  const { recorded, replayed } = divergence;
  return `${recorded} → ${replayed}${stopped === undefined ? "" : ` (${stopped})`}`;
}

function textOf(report: ExperimentReport, { into }: Flags): string {
  const { rows, counts, changed, different, clusters, bySession, tokens, cost, agent } = report;
  const bad = rows.filter(({ state }) => state !== "same" && state !== "unmet");
  const cells = bad.map((row) => [row.sessionId, row.state, row.divergence?.kind ?? "", whatOf(row)]);
  const lines = [
    ...clusters.map(
      ({ edges, kind, tool, sessions, share }) =>
        `${sessions.length} sessions (${percent(share.rate)}) part at ${edges}: ${kind}${tool === undefined ? "" : ` of ${tool}`}`,
    ),
    ...bySession.map(
      ({ sessionId, different: { rate, low, high } }) =>
        `${sessionId}: ${percent(rate)} differ (95 %: ${percent(low)} to ${percent(high)})`,
    ),
    ...agent.map(
      ({ what, name, sessions }) =>
        `another ${what}${name === undefined ? "" : ` ${name}`}: ${sessions} sessions`,
    ),
    `${counts.same} same, ${counts.different} different, ${counts.error} errors, ${counts.unmet} without the place, ${counts.moved} changed meanwhile, ${counts.skipped} skipped`,
    ...(rows.every(({ state }) => state === "unmet") ? ["no session was run, so nothing is shown"] : []),
    ...(different
      ? [`${percent(different.rate)} differ (95 %: ${percent(different.low)} to ${percent(different.high)})`]
      : []),
    `other: ${Object.entries(changed)
      .map(([part, count]) => `${part} ${count}`)
      .join(", ")}`,
    `tokens: ${tokens.before ?? "unknown"}, then ${tokens.after ?? "unknown"}; cost: ${dollars(cost.before)}, then ${dollars(cost.after)}`,
    ...(into === undefined ? [] : [`look: agentchart inspect ${shellFlag("--store", hideSecrets(into))}`]),
  ];
  return table(["SESSION", "STATE", "KIND", "WHAT"], cells) + lines.join("\n");
}
