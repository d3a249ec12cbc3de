import { execFileSync, fork, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { inTurns, median } from "../cpu.ts";
import { benchOptions, chosen, positive, whole, WRITE } from "../options.ts";
import { TASKS } from "./work.mjs";

/** What each contender installs, with the versions that its adapter is written for. */
const CONTENDERS: { readonly [name: string]: readonly string[] } = {
  bare: [],
  agentchart: [],
  "agentchart-call": [],
  "ai-sdk": ["ai@7", "@ai-sdk/openai@4"],
  "openai-agents": ["@openai/agents@0.20"],
  langgraph: ["langchain@1", "@langchain/core@1", "@langchain/langgraph@1", "@langchain/openai@1"],
};

const HELP = `Measures agentchart beside other agent runtimes: the same tasks over the same scripted server, every request compared.

Usage: npm run bench:peers -- [options]

  --contenders A,B   of ${Object.keys(CONTENDERS).join(", ")} (default: all); bare is always there
  --tasks A,B        of ${Object.keys(TASKS).join(", ")} (default: all)
  --samples N        samples of each contender and task (default: 15)
  --warm-up SECONDS  CPU time that each contender runs before it is measured (default: 3)
  --write            writes docs/bench-runtimes.md
  --help             prints this

The packages are installed into a temporary folder, which is removed at the end.`;

const WHAT: { readonly [task: string]: string } = {
  round: "One round: a question, one tool call, the answer",
  rounds: "100 rounds of one tool call each",
  parallel: "50 tool calls at once, then the answer",
};

const { values } = benchOptions(HELP, {
  contenders: { type: "string", default: Object.keys(CONTENDERS).join(",") },
  tasks: { type: "string", default: Object.keys(TASKS).join(",") },
  samples: { type: "string", default: "15" },
  "warm-up": { type: "string", default: "3" },
  ...WRITE,
});
const names = [...new Set(["bare", ...chosen("contenders", values.contenders, Object.keys(CONTENDERS))])];
const tasks = chosen("tasks", values.tasks, Object.keys(TASKS));
const samples = whole("samples", values.samples);
const seconds = positive("warm-up", values["warm-up"]);

const ROOT = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "agentchart-peers-"));

function npm(...words: readonly string[]): string {
  return execFileSync("npm", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function install(packages: readonly string[]): boolean {
  try {
    npm("install", "--no-audit", "--no-fund", ...packages);
    return true;
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    console.error(`Not installed: ${packages.join(", ")}\n${stderr ?? String(error)}`);
    return false;
  }
}

/** One contender in its process, which is asked for one sample after the other. */
class Contender {
  readonly #child: ChildProcess;

  constructor(name: string, task: string) {
    this.#child = fork(join(folder, "contender-process.mjs"), [name, task], {
      execArgv: ["--no-warnings"],
      env: { ...process.env, NODE_ENV: "production" },
    });
  }

  async ask(ask: "warmUp" | "sample" | "end", options: object = {}): Promise<number> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const ended = (code: number | null): void => {
        if (ask === "end" && code === 0) resolve(0);
        else reject(new Error(`A contender ended with ${code}.`));
      };
      child.once("exit", ended);
      child.once("message", ({ value, error }: { value: number; error?: string }) => {
        child.off("exit", ended);
        if (error === undefined) resolve(value);
        else reject(new Error(error));
      });
      child.send({ ask, ...options });
    });
  }

  kill(): void {
    this.#child.kill();
  }
}

async function measure(task: string, installed: readonly string[]) {
  const running = new Map<string, Contender>();
  try {
    for (const name of installed) {
      const contender = new Contender(name, task);
      try {
        await contender.ask("warmUp", { seconds });
        running.set(name, contender);
      } catch (error) {
        contender.kill();
        console.error(`${name} does not do the task "${task}":\n${(error as Error).message}`);
      }
    }
    const variants = Object.fromEntries(
      [...running].map(([name, contender]) => [name, () => contender.ask("sample")]),
    );
    const taken = await inTurns(variants, { samples, warmUpMs: 0 });
    for (const contender of running.values()) await contender.ask("end");
    return taken;
  } finally {
    for (const contender of running.values()) contender.kill();
  }
}

function versionOf(name: string): string {
  const path = join(folder, "node_modules", name, "package.json");
  return `${name} ${(JSON.parse(readFileSync(path, "utf8")) as { version: string }).version}`;
}

function table(task: string, taken: { readonly [name: string]: readonly number[] }): string {
  const bare = taken["bare"]!;
  const rows = Object.entries(taken).map(([name, values]) => {
    const ratios = values.map((value, index) => value / bare[index]!);
    const cells = [median(values), Math.min(...values), Math.max(...values)].map((n) => n.toFixed(0));
    const between = [Math.min(...ratios), Math.max(...ratios)].map((n) => n.toFixed(2)).join("–");
    return `| ${[name, ...cells, median(ratios).toFixed(2), between].join(" | ")} |`;
  });
  return [
    `## ${WHAT[task]}`,
    "",
    "| | median CPU µs a run | least | most | ÷ bare | least–most |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

try {
  console.error("packing agentchart …");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  cpSync(import.meta.dirname, folder, { recursive: true, filter: (path) => !path.endsWith(".ts") });
  const packed = npm("pack", ROOT, "--silent", "--pack-destination", folder).trim().split("\n").at(-1)!;
  console.error("installing …");
  if (!install([`./${packed}`, "openai@7", "zod@4"])) process.exit(1);
  const installed = names.filter((name) => CONTENDERS[name]!.length === 0 || install(CONTENDERS[name]!));

  const tables: string[] = [];
  for (const task of tasks) {
    console.error(`${WHAT[task]} …`);
    tables.push(table(task, await measure(task, installed)));
  }
  const packages = ["agentchart", "openai", ...installed.flatMap((name) => CONTENDERS[name]!)];
  const versions = packages.map((name) => versionOf(name.replace(/(?<=.)@[\d.]+$/, "")));
  const text = `# agentchart beside other runtimes

Written by \`npm run bench:peers -- --write\`, which installs all of them into a temporary folder and can be repeated anywhere.

- ${cpus().length} × ${cpus()[0]?.model.trim() || process.arch}, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(", ")}
- Node ${process.versions.node}, ${versions.join(", ")}
- ${new Date().toISOString().slice(0, 10)}

Each contender runs in a process of its own and does the same task over a \`fetch\` that plays the provider's server: it streams the
answers, and every event is read (\`agentchart-call\` waits for the answer alone). Before and after it is measured, each request of a run
is compared with the one that the task asks for: messages, calls, results, tools. CPU time of all threads, samples taken in turns after a
warm-up of ${seconds} s of CPU time; the ratios are of samples of the same turn. \`bare\` is the least loop over the \`openai\` client.

${tables.join("\n\n")}
`;
  console.log(text);
  if (values.write) writeFileSync(join(ROOT, "docs/bench-runtimes.md"), text);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
