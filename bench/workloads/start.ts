import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Workload } from "../workload.ts";

const FOLDER = join(import.meta.dirname, "../start");
const BUILT = join(import.meta.dirname, "../../dist/index.mjs");

/** CPU ms from the start of a new process to its answer. */
const started =
  (script: string, ...args: readonly string[]) =>
  async (): Promise<number> => {
    // without the compile cache that the tests of this project use
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, [join(FOLDER, script), ...args], { env });
    return Number(stdout) / 1_000;
  };

function assertBuilt(workload: string): void {
  if (!existsSync(BUILT))
    throw new Error(`The workload \`${workload}\` measures the built package: npm run build`);
}

/** The machine that a process makes when it imports the package. */
export async function machine(): Promise<Workload> {
  assertBuilt("machine");
  return {
    title: "Making the machine",
    text: `A new process imports the machines of the built package; the CPU time around the making of the agent's alone, whose code has never run
before. The chart is read once, and the resolver that comes of it serves all machines. The bare machine has two states of XState's.`,
    unit: "ms",
    digits: 1,
    reference: "a bare machine",
    variants: {
      "a bare machine": { run: started("machine.mjs", "bare") },
      "`agentMachine`": { run: started("machine.mjs") },
      "`agentMachine`, and reading its chart": { run: started("machine.mjs", "chart") },
    },
    sampling: { samples: 20, warmUpMs: 0 },
  };
}

/** The first runs of a process, whose code has not run before. */
export async function first(): Promise<Workload> {
  assertBuilt("first");
  const perRun = (script: string) => async () => (await started(script, "first")()) * 1_000;
  return {
    title: "The first 200 runs of a process",
    text: `A new process imports the built package and does 200 runs of one round, each of a new agent, over a \`fetch\` that answers within it.
The CPU time of a run, without that of the imports, and of Node's \`fetch\`, which the loop's package loads with its import: V8 compiles all of
the code in them.`,
    unit: "µs",
    digits: 0,
    reference: "bare loop",
    variants: {
      "bare loop": { run: perRun("bare.mjs") },
      "`agent.call`": {
        run: perRun("agent.mjs"),
        aim: 1.6,
        why: "an agent has more code that runs for the first times than the loop",
      },
    },
    sampling: { samples: 15, warmUpMs: 0 },
  };
}

/** The start of a process up to its first answer. */
export async function start(): Promise<Workload> {
  assertBuilt("start");
  return {
    title: "From the start of a process to its first answer",
    text: `A new process imports the built package and does a run of one round, over a \`fetch\` that answers within it. Where the server does
not report its usage, the agent counts it itself, and loads the tokenizer for that.`,
    unit: "ms",
    digits: 0,
    reference: "bare loop",
    variants: {
      "bare loop": { run: started("bare.mjs") },
      "`agent.call`": {
        run: started("agent.mjs"),
        aim: 1.15,
        why: "the loop needs the `openai` package alone; the agent has a chart, of which XState makes a machine, and more code that runs for the first time",
      },
      "`agent.call`, usage not reported": { run: started("agent.mjs", "unreported") },
    },
    sampling: { samples: 15, warmUpMs: 0 },
  };
}
