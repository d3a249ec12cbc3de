import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { benchOptions, chosen, fail, WRITE } from "../options.ts";
import { pageOf, type Matrix } from "./page.ts";
import { PEERS } from "./peers.ts";
import { ROWS, runCell, type Cell } from "./scenarios.ts";
import { runScript, THREADS } from "./threads.ts";

/** How often a cell is run again that came to nothing, such as by a process that something else killed. */
const ERRORS = 2;

const HELP = `Kills agents of several projects in real processes, each persisted as its documentation recommends, and counts what they did.

Usage: npm run crash:peers -- [options]

  --systems A,B   of ${Object.keys(PEERS).join(", ")} (default: all)
  --rows A,B      of ${Object.keys(ROWS).join(", ")} (default: all, and scripts of public threads)
  --folder DIR    installs the packages there, unless they are there (default: a temporary folder)
  --write         writes docs/crash-matrix.md; needs all systems and rows
  --help          prints this

The packages of bench/crash-peers/packages.json have a lock of their own. better-sqlite3 is compiled, which takes minutes.`;

const { values } = benchOptions(HELP, {
  systems: { type: "string", default: Object.keys(PEERS).join(",") },
  rows: { type: "string", default: Object.keys(ROWS).join(",") },
  folder: { type: "string" },
  ...WRITE,
});
const systems = chosen("systems", values.systems, Object.keys(PEERS));
const rows = chosen("rows", values.rows, Object.keys(ROWS));
if (values.write && (systems.length < Object.keys(PEERS).length || rows.length < Object.keys(ROWS).length))
  fail("--write needs all systems and rows; leave --systems and --rows out.");

const ROOT = join(import.meta.dirname, "../..");
const folder = values.folder
  ? resolve(values.folder)
  : mkdtempSync(join(tmpdir(), "agentchart-crash-peers-"));
mkdirSync(folder, { recursive: true });

function npm(...words: readonly string[]): string {
  // Headers beside the Node that runs this spare a download of them.
  const home = join(process.execPath, "../..");
  const headers = existsSync(join(home, "include/node/node_version.h")) && { npm_config_nodedir: home };
  const env = { ...process.env, ...headers };
  return execFileSync("npm", words, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
}

function install(): void {
  cpSync(import.meta.dirname, folder, { recursive: true, filter: (path) => !path.endsWith(".ts") });
  if (existsSync(join(folder, "node_modules"))) return;
  console.error("packing, installing and compiling …");
  renameSync(join(folder, "packages.json"), join(folder, "package.json"));
  renameSync(join(folder, "packages-lock.json"), join(folder, "package-lock.json"));
  const packed = npm("pack", ROOT, "--silent", "--pack-destination", folder).trim().split("\n").at(-1)!;
  npm("ci", "--ignore-scripts", "--no-audit", "--no-fund");
  npm("install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", `./${packed}`);
  npm("rebuild", "better-sqlite3");
}

function versionOf(name: string): string {
  const text = readFileSync(join(folder, "node_modules", name, "package.json"), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

try {
  install();
  const runs = mkdtempSync(join(folder, "runs-"));
  const matrix = new Map<string, Map<string, Cell>>();
  for (const system of systems) {
    matrix.set(system, new Map());
    for (const row of rows) {
      const { cannot, rows: only } = PEERS[system]!;
      if (cannot?.[row] !== undefined || (only !== undefined && !only.includes(row))) continue;
      let cell = await runCell(folder, runs, system, row);
      for (let again = 0; cell.grade === "error" && again < ERRORS; again++)
        cell = await runCell(folder, runs, system, row);
      matrix.get(system)!.set(row, cell);
      console.log(`${system} · ${row}: ${cell.word}\n  ${cell.grade}: ${cell.seen}`);
    }
  }
  const scripts = new Map<string, boolean>();
  for (const { id, system, by, reproduced, mended } of THREADS) {
    if (!("script" in by) || !systems.includes(system) || rows.length < Object.keys(ROWS).length) continue;
    const isMended = await runScript(folder, runs, by.script);
    scripts.set(by.script, isMended);
    console.log(`${id}: ${isMended ? mended : reproduced}`);
  }
  if (values.write) {
    const names = [...new Set(Object.values(PEERS).flatMap(({ packages }) => packages))];
    const versions = Object.fromEntries(names.map((name) => [name, versionOf(name)]));
    const page = join(ROOT, "docs/crash-matrix.md");
    writeFileSync(
      page,
      pageOf(matrix satisfies Matrix, scripts, versions, new Date().toISOString().slice(0, 10)),
    );
    execFileSync(join(ROOT, "node_modules/.bin/oxfmt"), [page], { cwd: ROOT });
  }
  rmSync(runs, { recursive: true });
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
