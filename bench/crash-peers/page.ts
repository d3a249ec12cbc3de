import { PEERS } from "./peers.ts";
import { ROWS, type Cell } from "./scenarios.ts";
import { isCellMended, THREADS, type Thread } from "./threads.ts";

/** What came of each cell, by system and row. */
export type Matrix = ReadonlyMap<string, ReadonlyMap<string, Cell>>;
/** True for the scripts of threads that found nothing. */
type Scripts = ReadonlyMap<string, boolean>;

const SIGNS = { good: "✓", safe: "○", bad: "✗", error: "!" };

/** Says of a cell whether its project promises nothing, or that what was cut off runs again. */
function noteOf(promise: string | undefined): string {
  if (promise === undefined) return " °";
  return promise.includes("to be idempotent") ? " \\*" : "";
}

const cellOf = (matrix: Matrix, system: string, row: string): string => {
  const { cannot, rows, promises } = PEERS[system]!;
  if (rows !== undefined && !rows.includes(row)) return "";
  if (cannot?.[row] !== undefined) return "– cannot";
  const { grade, word } = matrix.get(system)!.get(row)!;
  return `${SIGNS[grade]} ${word}${noteOf(promises[row])}`;
};

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");

function linkOf(source: string): string {
  const name = source.replace(/^https:\/\/|\.md$/gu, "").split("/");
  return `[${source.startsWith("https") ? `${name[0]}: ${name.at(-1)}` : name.at(-1)}](${source})`;
}

function threadRow(
  { id, what, system, by, reproduced, mended }: Thread,
  matrix: Matrix,
  scripts: Scripts,
): string[] {
  const [repository, number] = id.split("#");
  const isMended =
    "script" in by ? scripts.get(by.script)! : isCellMended(matrix.get(system)!.get(by.row)!, by.row);
  return [`[${id}](https://github.com/${repository}/issues/${number})`, what, isMended ? mended : reproduced];
}

/** Writes the page. */
export function pageOf(
  matrix: Matrix,
  scripts: Scripts,
  versions: { readonly [name: string]: string },
  when: string,
): string {
  const systems = [...matrix.keys()];
  const titles = systems.map((system) => PEERS[system]!.title);
  const rows = Object.entries(ROWS);
  const seen = rows.flatMap(([row]) =>
    systems.flatMap((system) => {
      const cell = matrix.get(system)!.get(row);
      if (cell === undefined || cell.grade === "good") return [];
      const { title, promises } = PEERS[system]!;
      return [[row, title, cell.seen.replaceAll("|", "/"), promises[row] ?? "nothing"]];
    }),
  );
  return `# The crash matrix

An agent may refund an order if a person approves it. What becomes of the refund if a process dies, two tabs approve at once, or a release
changes the tool? \`npm run crash:peers -- --write\` installs ${systems.length - 1} ways of other projects to build that agent, runs each
in real processes that end by SIGKILL, counts the effects in a SQLite file outside of them, and writes this page. It was written on ${when} with Node ${process.versions.node}.

${table(
  ["", ...titles],
  rows.map(([row]) => [`**${row}**`, ...systems.map((system) => cellOf(matrix, system, row))]),
)}

- ✓ as one would wish, and nobody had to help · ○ nothing was done twice or wrongly, but a person has to help or the run does not go on · ✗ done
  twice, or not what was approved.
- ° the project promises nothing about it, so this is not a fault of it · \\* the project says that what was cut off runs again, and that effects
  are to be idempotent: what happened twice is what it says, what was lost is not.
- “same call id”: a tool that sends this id along, to a service that takes idempotency keys, would have acted once.
- The model is a script, the same for all. The tools do not say that they are idempotent; ours run again without a question if they do.

${table(
  ["row", "what is done"],
  rows.map(([row, { what }]) => [row, what]),
)}

## How each one keeps its state

As its own documentation recommends for one machine. AI SDK says of \`ToolLoopAgent\` that a crash loses its progress and has \`WorkflowAgent\`
for that, which needs a bundler and a server and is not here. For OpenAI Agents there is an integration with Temporal, for Mastra one with
Inngest; they are not here either. LangGraph recommends Postgres in production.

${table(
  ["", "versions", "how", "documentation"],
  systems.map((system) => {
    const { title, packages, how, sources } = PEERS[system]!;
    return [
      title,
      packages.map((name) => `${name} ${versions[name]}`).join(", "),
      how,
      sources.map(linkOf).join(", "),
    ];
  }),
)}

## What was seen

Of every cell that is not ✓.

${table(["row", "project", "what happened", "what the project promises"], seen)}

## Public threads

Each is a cell of the matrix or a script of \`bench/crash-peers/threads/\`, which runs with its project if all rows do.

${table(
  ["thread", "what it says", "with these versions"],
  THREADS.map((thread) => threadRow(thread, matrix, scripts)),
)}

## Repeat a cell, or send a better adapter

\`\`\`sh
npm run crash:peers -- --systems mastra-durable,langgraph --rows parallel,restart
\`\`\`

It needs a compiler for \`better-sqlite3\`. \`--folder DIR\` installs there, and uses what is there the next time. An adapter is one file of
\`bench/crash-peers/systems/\`, 40 to 90 lines: \`start\`, \`pending\`, \`approve\` and \`recover\`. If you maintain one of these projects, or
know how it is meant to be used, change its adapter, its sentence in \`peers.ts\` or its version in \`packages.json\`, and send what the command
prints. We take a change if the documentation of the project recommends what it does, whatever it does to our column.
`;
}
