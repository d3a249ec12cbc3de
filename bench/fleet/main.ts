import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "../cpu.ts";
import { benchOptions, chosen, whole, WRITE } from "../options.ts";

const SYSTEMS = ["floor", "agentchart", "dbos", "restate", "langgraph"];

/** The turns with which each worker warms up, and those after which V8 has compiled what a turn runs. */
const [WARM, LONG_WARM] = [300, 3000];
/** The first turns of a worker that has just started. */
const FIRST = 400;
/** A burst, and the workers that have to do it after a few turns each. */
const BURST = { workers: 2, turns: 250, warm: 10 } as const;

const HELP = `Measures durable turns of a fleet of workers beside others: the same question, tool call and answer in new sessions, and
every turn read back from storage.

Usage: npm run bench:fleet -- [options]

  --systems A,B   of ${SYSTEMS.join(", ")} (default: all); agentchart and floor, a bare loop behind BullMQ, are always there
  --workers N     worker processes (default: 1)
  --turns N       turns for each worker that are measured in each round (default: 1000)
  --warm N        turns for each worker before them (default: ${WARM})
  --rounds N      rounds, each with all systems (default: 3)
  --fsync         Postgres and Restate write through to the disk
  --write         measures one worker without and with fsync, four workers, one worker after ${LONG_WARM} turns, the first
                  ${FIRST} turns of one, and a burst of ${BURST.workers * BURST.turns} on ${BURST.workers} workers; writes docs/bench-workers.md and
                  bench/partition-costs.json
  --help          prints this

The packages of bench/fleet/packages.json are installed into a temporary folder, which is removed at the end. It needs an installed
Postgres with pg_stat_statements, which PG_BIN names if it is not where Debian has it.`;

type Result = { readonly [what: string]: number };

const { values } = benchOptions(HELP, {
  systems: { type: "string", default: SYSTEMS.join(",") },
  workers: { type: "string", default: "1" },
  turns: { type: "string", default: "1000" },
  warm: { type: "string", default: String(WARM) },
  rounds: { type: "string", default: "3" },
  fsync: { type: "boolean", default: false },
  ...WRITE,
});
const [workers, turns, rounds] = (["workers", "turns", "rounds"] as const).map((option) =>
  whole(option, values[option]),
) as [number, number, number];
const warm = whole("warm", values.warm, 0);
const systems = [...new Set(["floor", "agentchart", ...chosen("systems", values.systems, SYSTEMS)])];

const ROOT = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "agentchart-fleet-"));
const npm = (...words: readonly string[]): string =>
  execFileSync("npm", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/** What differs between two comparisons; turns are those of each worker. */
type Setting = {
  readonly workers: number;
  readonly fsync: boolean;
  readonly warm: number;
  readonly turns: number;
};

function measure(system: string, setting: Setting): Result {
  const measured = setting.turns * setting.workers;
  const orders = JSON.stringify({
    system,
    ...setting,
    turns: measured,
    warm: setting.warm * setting.workers,
  });
  const said = execFileSync(process.execPath, ["fleet.mjs", orders], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).split("\n");
  const result = JSON.parse(said.findLast((line) => line.startsWith("{"))!) as Result; // beside what a system logs
  const { good } = result;
  if (good !== measured)
    throw new Error(`${system}: of ${measured} turns only ${good} are stored as they should be.`);
  return result;
}

type Taken = ReadonlyMap<string, readonly Result[]>;
type Comparison = { readonly setting: Setting; readonly taken: Taken; readonly load: number };

function table(taken: Taken): string {
  const floor = taken.get("floor")!;
  const columns = ["workerMs", "serverMs", "statements", "kinds", "planningMs", "walKb"];
  const rows = [...taken].map(([system, results]) => {
    const ratios = results.map(({ perSecond }, round) => perSecond! / floor[round]!["perSecond"]!);
    const cells = columns.map((column) => {
      const found = results.flatMap((result) => (column in result ? [result[column]!] : []));
      return found.length === 0 ? "" : median(found).toFixed(1);
    });
    const perSecond = median(results.map((result) => result["perSecond"]!)).toFixed(0);
    const between = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    return `| ${[system, perSecond, median(ratios).toFixed(2), between, ...cells].join(" | ")} |`;
  });
  return `| | turns a second | ÷ floor | least–most | CPU of workers, ms a turn | CPU of the server | statements | different ones | planning, ms | WAL, KB |
|---|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}`;
}

/** Measures all systems in turns. */
function compared(setting: Setting): Comparison {
  const taken = new Map<string, Result[]>(systems.map((system) => [system, []]));
  for (let round = 0; round < rounds; round++) {
    const order = systems.map((_, index) => systems[(index + round) % systems.length]!);
    for (const system of order) {
      console.error(`round ${round + 1}: ${system} …`);
      taken.get(system)!.push(measure(system, setting));
    }
  }
  const comparison = { setting, taken, load: loadavg()[0]! };
  console.error(textOf(comparison)); // what was measured is shown, also if the next comparison fails
  return comparison;
}

function textOf({ setting, taken, load }: Comparison): string {
  const { workers, fsync, warm, turns: each } = setting;
  const after = warm === WARM ? "" : warm === 0 ? `, its first ${each} turns` : `, after ${warm} turns`;
  const burst = workers === BURST.workers ? `, a burst of ${each * workers}` : "";
  const told = `${workers} worker${workers === 1 ? "" : "s"}, fsync ${fsync ? "on" : "off"}${after}${burst}; load ${load.toFixed(1)} at the end:`;
  return `${told}\n\n${table(taken)}\n`;
}

/** What is measured of Agentchart, of one worker at first and after many turns, and what it is to be. */
function aimsOf([first, , many, later, cold, burst]: readonly Comparison[]): string {
  const resultsOf = ({ taken }: Comparison, system = "agentchart"): readonly Result[] =>
    taken.get(system) ?? [];
  const of = (column: string) => (one: Comparison) => median(resultsOf(one).map((result) => result[column]!));
  const beside = (other: readonly Result[], results: readonly Result[]): number =>
    median(results.map(({ perSecond }, round) => perSecond! / (other[round]?.["perSecond"] ?? NaN)));
  const against = (system: string) => (one: Comparison) => beside(resultsOf(one, system), resultsOf(one));
  const rows: readonly (readonly [what: string, measured: (one: Comparison) => number, aim: string])[] = [
    ["turns a second ÷ floor", against("floor"), "≥ 0.5"],
    ["÷ DBOS", against("dbos"), "≥ 1.5"],
    ["÷ Restate", against("restate"), "≥ 0.6"],
    [
      "4 workers ÷ 1 worker",
      (one) => (one === first ? beside(resultsOf(one), resultsOf(many!)) : NaN),
      "≥ 0.9",
    ],
    ["CPU of the worker, ms a turn", of("workerMs"), "≤ 4"],
    ["CPU of Postgres, ms a turn", of("serverMs"), "≤ 7"],
    ["statements a turn", of("statements"), "≤ 9"],
    ["WAL a turn, KB", of("walKb"), "≤ 9"],
    [
      `a burst of ${BURST.workers * BURST.turns}, ${BURST.workers} workers, until the last, s`,
      (one) => (one === first ? (BURST.workers * BURST.turns) / of("perSecond")(burst!) : NaN),
      "≤ 4",
    ],
  ];
  const cell = (measured: number): string =>
    Number.isNaN(measured) ? "" : measured.toFixed(measured < 1.95 ? 2 : 1);
  return `What one worker is to reach, fsync off:

| what | the first ${FIRST} turns | after ${first!.setting.warm} | after ${later!.setting.warm} | aim |
|---|---|---|---|---|
${rows.map(([what, of, aim]) => `| ${[what, ...[cold!, first!, later!].map((one) => cell(of(one))), aim].join(" | ")} |`).join("\n")}
`;
}

/** What one turn costs, for the arithmetic of `npm run bench:partitions`. */
function costsOf({ taken }: Comparison): string {
  const of = (column: string): number =>
    Number(median(taken.get("agentchart")!.map((result) => result[column]!)).toFixed(1));
  const costs = {
    measured: `npm run bench:fleet: one warm worker, its queue and its store in one Postgres on the same two cores, ${turns} new sessions of one turn each: a question, one tool call, an answer.`,
    workerCpuMs: of("workerMs"),
    databaseCpuMs: of("serverMs"),
    statements: of("statements"),
    commits: of("commits"),
    walKb: of("walKb"),
    rowsKb: of("rowsKb"),
    queueJobs: 1,
  };
  return `${JSON.stringify(costs, null, 2)}\n`;
}

const PAGE = join(ROOT, "docs/bench-workers.md");
const SECTION = /## Beside others[^]*?(?=\n## |$)/;
const NOT_COMPARABLE = `Not comparable: the floor repeats the whole turn after a crash and has no lease. A workflow of DBOS is one turn, without a session,
and another process takes it over only with its Conductor. Restate keeps its state outside of Postgres and pushes, so that "10 at
once" does not hold there. The take-over of LangGraph is ten lines of this benchmark. Agentchart alone stores positions in the chart,
checksums and inputs that are accepted once.
`;

try {
  console.error("packing and installing …");
  cpSync(import.meta.dirname, folder, { recursive: true, filter: (path) => !path.endsWith(".ts") });
  renameSync(join(folder, "packages.json"), join(folder, "package.json"));
  const packed = npm("pack", ROOT, "--silent", "--pack-destination", folder).trim().split("\n").at(-1)!;
  npm("install", "--ignore-scripts", "--no-audit", "--no-fund", `./${packed}`);
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly dependencies: { readonly [name: string]: string };
  };
  const versions = Object.entries(dependencies)
    .filter(([name]) => name !== "agentchart")
    .map(([name, version]) => `${name} ${version}`);
  const settings = values.write
    ? [
        { workers: 1, fsync: false, warm, turns },
        { workers: 1, fsync: true, warm, turns },
        { workers: 4, fsync: false, warm, turns },
        { workers: 1, fsync: false, warm: LONG_WARM, turns },
        { workers: 1, fsync: false, warm: 0, turns: FIRST },
        { fsync: false, ...BURST },
      ]
    : [{ workers, fsync: values.fsync, warm, turns }];
  const comparisons = settings.map(compared);
  const section = `## Beside others

Written by \`npm run bench:fleet -- --write\`: the same durable turn, a question, one tool and an answer, in new sessions; ${turns} turns of each worker a round
after ${warm} to warm up, medians of ${rounds} interleaved rounds, ${cpus().length} cores that workers, server and dispatcher share, Node ${process.versions.node}. Every turn is read back
from storage. The floor is a bare loop behind BullMQ. ${versions.join(", ")}.

${comparisons.map(textOf).join("\n")}
${values.write ? `${aimsOf(comparisons)}\n` : ""}${NOT_COMPARABLE}`;
  console.log(section);
  if (values.write) {
    const page = readFileSync(PAGE, "utf8");
    const rest = page.replace(SECTION, "").trimEnd();
    writeFileSync(PAGE, `${rest}\n\n${section}`);
    writeFileSync(join(ROOT, "bench/partition-costs.json"), costsOf(comparisons[0]!));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
