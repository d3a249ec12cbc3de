import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median } from "../cpu.ts";

const SYSTEMS = ["floor", "agentchart", "dbos", "restate", "langgraph"];

const HELP = `Measures durable turns of a fleet of workers beside others: the same question, tool call and answer in new sessions, and
every turn read back from storage.

Usage: npm run bench:fleet -- [options]

  --systems A,B   of ${SYSTEMS.join(", ")} (default: all); floor, a bare loop behind BullMQ, is always there
  --workers N     worker processes (default: 1)
  --turns N       turns that are measured in each round (default: 500), after 200 to warm up
  --rounds N      rounds, each with all systems (default: 3)
  --fsync         Postgres and Restate write through to the disk
  --help          prints this

The packages of bench/fleet/packages.json are installed into a temporary folder, which is removed at the end. It needs an installed
Postgres with pg_stat_statements, which PG_BIN names if it is not where Debian has it.`;

type Result = { readonly [what: string]: number };

const { values } = parseArgs({
  options: {
    systems: { type: "string", default: SYSTEMS.join(",") },
    workers: { type: "string", default: "1" },
    turns: { type: "string", default: "500" },
    rounds: { type: "string", default: "3" },
    fsync: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function positive(option: "workers" | "turns" | "rounds"): number {
  const number = Number(values[option]);
  if (Number.isInteger(number) && number > 0) return number;
  return fail(`--${option} is "${values[option]}"; expected a whole number above 0.`);
}

const [workers, turns, rounds] = [positive("workers"), positive("turns"), positive("rounds")];
const systems = [...new Set(["floor", ...values.systems.split(",")])];
const unknown = systems.find((name) => !SYSTEMS.includes(name));
if (unknown !== undefined) fail(`--systems has "${unknown}"; expected some of ${SYSTEMS.join(", ")}.`);

const ROOT = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "agentchart-fleet-"));
const npm = (...words: readonly string[]): string =>
  execFileSync("npm", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

function measure(system: string): Result {
  const orders = JSON.stringify({ system, workers, turns, warm: 200, fsync: values.fsync });
  const said = execFileSync(process.execPath, ["fleet.mjs", orders], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).split("\n");
  const result = JSON.parse(said.findLast((line) => line.startsWith("{"))!) as Result; // beside what a system logs
  const { good } = result;
  if (good !== turns)
    throw new Error(`${system}: of ${turns} turns only ${good} are stored as they should be.`);
  return result;
}

function table(taken: ReadonlyMap<string, readonly Result[]>): string {
  const floor = taken.get("floor")!;
  const columns = ["workerMs", "serverMs", "statements", "kinds", "planningMs", "walKb"];
  const rows = [...taken].map(([system, results]) => {
    const ratios = results.map(({ perSecond }, round) => perSecond! / floor[round]!["perSecond"]!);
    const cells = columns.map((column) => {
      const found = results.flatMap((result) => (column in result ? [result[column]!] : []));
      return found.length === 0 ? "" : median(found).toFixed(1);
    });
    const between = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    return `| ${[system, median(ratios).toFixed(2), between, ...cells].join(" | ")} |`;
  });
  return `| | turns a second ÷ floor | least–most | CPU of workers, ms a turn | CPU of the server | statements | different ones | planning, ms | WAL, KB |
|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}`;
}

try {
  console.error("packing and installing …");
  cpSync(import.meta.dirname, folder, { recursive: true, filter: (path) => !path.endsWith(".ts") });
  renameSync(join(folder, "packages.json"), join(folder, "package.json"));
  const packed = npm("pack", ROOT, "--silent", "--pack-destination", folder).trim().split("\n").at(-1)!;
  npm("install", "--ignore-scripts", "--no-audit", "--no-fund", `./${packed}`);
  const taken = new Map<string, Result[]>(systems.map((system) => [system, []]));
  for (let round = 0; round < rounds; round++) {
    const order = systems.map((_, index) => systems[(index + round) % systems.length]!);
    for (const system of order) {
      console.error(`round ${round + 1}: ${system} …`);
      taken.get(system)!.push(measure(system));
    }
  }
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly dependencies: { readonly [name: string]: string };
  };
  const load = loadavg().map((each) => each.toFixed(1));
  console.log(`${workers} worker${workers === 1 ? "" : "s"}, ${turns} turns a round, ${rounds} rounds, fsync ${values.fsync ? "on" : "off"}, ${cpus().length} cores, load ${load.join(", ")}.
${Object.entries(dependencies)
  .map(([name, version]) => `${name} ${version}`)
  .join(", ")}

${table(taken)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
