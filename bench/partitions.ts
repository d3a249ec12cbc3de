import { readFileSync } from "node:fs";
import { partitionHash } from "agentchart/store/partitioned";
import { benchOptions, positive } from "./options.ts";

const HELP = `Says how many databases and workers a load needs, and which of their resources is exhausted first: arithmetic on measured costs,
and a simulation of the busiest hour over the real hashes of session ids.

Usage: npm run bench:partitions -- [options]

  --turns N      turns a day (default 1e8)
  --peak N       the busiest hour has so many times the mean (default 3)
  --turn-s N     how long a turn takes, models and tools included (default 12)
  --costs FILE   JSON of what one turn costs (default bench/partition-costs.json)
  --help         prints this`;

/** What one turn costs, as a small run measured it. */
type Costs = {
  readonly measured: string;
  readonly workerCpuMs: number;
  readonly databaseCpuMs: number;
  readonly statements: number;
  readonly commits: number;
  readonly walKb: number;
  readonly rowsKb: number;
  readonly queueJobs: number;
};

/** What one machine has; assumed, not measured. */
const MACHINE = {
  databaseCores: 16,
  databaseConnections: 500,
  walMbPerS: 200,
  commitsPerS: 20_000,
  workerCores: 4,
  slotsPerProcess: 60,
  connectionsPerProcess: 12,
  queueJobsPerS: 10_000,
};

/** The share of a resource that may be busy in the busiest hour. */
const BUSY = 0.7;

const { values } = benchOptions(HELP, {
  turns: { type: "string", default: "1e8" },
  peak: { type: "string", default: "3" },
  "turn-s": { type: "string", default: "12" },
  costs: { type: "string", default: new URL("partition-costs.json", import.meta.url).pathname },
});
const [turns, peak, turnS] = (["turns", "peak", "turn-s"] as const).map((option) =>
  positive(option, values[option]),
) as [number, number, number];

/** More databases do not help with it: each process connects to all of them. */
const POOLED = "connections, without a pooler";

/** The use of each resource, as a share of what `databases` machines of databases have. */
function usesOf(
  rate: number,
  costs: Costs,
  turnS: number,
  databases: number,
): readonly (readonly [string, number])[] {
  const processes = (rate * turnS) / MACHINE.slotsPerProcess / BUSY;
  const shareOf = (used: number, each: number): number => used / each / databases;
  return [
    ["CPU of the database", shareOf((rate * costs.databaseCpuMs) / 1_000, MACHINE.databaseCores)],
    ["commits", shareOf(rate * costs.commits, MACHINE.commitsPerS)],
    ["WAL", shareOf((rate * costs.walKb) / 1_024, MACHINE.walMbPerS)],
    ["jobs of the queue", shareOf(rate * costs.queueJobs, MACHINE.queueJobsPerS)],
    [
      "connections, without a pooler",
      shareOf(processes * MACHINE.connectionsPerProcess, MACHINE.databaseConnections),
    ],
  ];
}

/** The same numbers in every run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Simulates sessions that come independently of each other, each with its hash, for so many seconds. Returns the use of the CPU of the busiest
 *  database in its busiest minute, and how much more sessions it has than the mean. */
function simulate(rate: number, costs: Costs, databases: number) {
  const seconds = Math.max(60, Math.min(3_600, Math.floor(2_000_000 / rate / 60) * 60));
  const random = randomOf(45);
  const all = new Float64Array(databases);
  let [minute, busiest] = [new Float64Array(databases), 0];
  for (let at = -Math.log(1 - random()) / rate, n = 0, end = 60; at < seconds; n++) {
    while (at >= end) {
      busiest = Math.max(busiest, ...minute);
      minute = new Float64Array(databases);
      end += 60;
    }
    const index = Math.floor((partitionHash(`tenant-${n % 997}/session-${n}`) / 2 ** 32) * databases);
    minute[index]! += costs.databaseCpuMs / 1_000;
    all[index]! += 1;
    at -= Math.log(1 - random()) / rate;
  }
  busiest = Math.max(busiest, ...minute);
  const mean = all.reduce((sum, each) => sum + each, 0) / databases;
  return { seconds, busiest: busiest / 60 / MACHINE.databaseCores, skew: Math.max(...all) / mean - 1 };
}

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

function report(turns: number, costs: Costs, peak: number, turnS: number): string {
  const rate = (turns / 86_400) * peak;
  const first = usesOf(rate, costs, turnS, 1).toSorted(([, a], [, b]) => b - a);
  const [name, most] = first.find(([each]) => each !== POOLED)!;
  const databases = Math.max(1, Math.ceil(most / BUSY));
  const processes = Math.ceil((rate * turnS) / MACHINE.slotsPerProcess / BUSY);
  const cores = Math.ceil((rate * costs.workerCpuMs) / 1_000 / BUSY);
  const { seconds, busiest, skew } = simulate(rate, costs, databases);
  return [
    `${turns.toExponential()} turns a day, ${Math.round(rate)} a second in the busiest hour:`,
    `  first bottleneck of one database, behind a pooler: ${name}, at ${((turns * BUSY) / most).toExponential(1)} turns a day`,
    ...first.map(([each, use]) => `    ${each}: ${percent(use)} of one`),
    `  databases: ${databases} (${MACHINE.databaseCores} cores each, ${percent(BUSY)} busy at most)`,
    `  workers: ${processes} processes of ${MACHINE.slotsPerProcess} slots, ${cores} cores`,
    `  new rows: ${Math.round((turns * costs.rowsKb) / 1_024 ** 2)} GB a day, WAL: ${Math.round((turns * costs.walKb) / 1_024 ** 2)} GB a day`,
    `  simulated, ${seconds} s: the busiest database has ${percent(skew)} more sessions than the mean, and ${percent(busiest)} of its CPU busy in its busiest minute`,
  ].join("\n");
}

const costs = JSON.parse(readFileSync(values.costs, "utf8")) as Costs;
process.stdout.write(`Costs: ${costs.measured}\n\n`);
for (const load of [turns / 100, turns / 10, turns])
  process.stdout.write(`${report(load, costs, peak, turnS)}\n\n`);
