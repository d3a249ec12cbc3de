import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { inspector } from "agentchart/inspect";
import { inTurns, median, ratios } from "./cpu.ts";
import { emptyRounds } from "./empty-chart.ts";
import { iterations } from "./iteration.ts";
import { eventsOfMachine } from "./observed-machine.ts";
import { benchOptions, chosen, whole, WRITE } from "./options.ts";

const { values } = benchOptions(
  `Measures what an inspector costs the process that it watches: an agent, and a machine of your own.

Usage: npm run bench:inspect -- [options]

  --samples N    samples of each variant (default: 31)
  --only PART    agents or machines (default: both)
  --write        writes docs/bench-inspect.md, or the part that was measured
  --help         prints this`,
  {
    ...WRITE,
    samples: { type: "string", default: "31" },
    only: { type: "string", default: "agents,machines" },
  },
);
const SAMPLES = whole("samples", values.samples);
const PARTS = chosen("only", values.only, ["agents", "machines"]);
const FILE = join(import.meta.dirname, "../docs/bench-inspect.md");
const MACHINES = "## Machines of your own";
const settings = (): string =>
  `load ${loadavg()[0]!.toFixed(1)} while measuring, Node ${process.versions.node}`;

/** A hub in a process of its own, so that only the agent's side is counted. */
async function startHub(home: string): Promise<() => Promise<void>> {
  const main = join(import.meta.dirname, "../src/cli/main.ts");
  const child = spawn(
    process.execPath,
    ["--conditions=agentchart-source", main, "inspect", "--store", `file:${join(home, "sessions")}`],
    { env: { PATH: process.env["PATH"], HOME: home }, stdio: ["ignore", "pipe", "ignore"] },
  );
  await once(child.stdout, "data");
  return async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  };
}

const long = { rounds: 500, turns: 1, settles: 20 };
const short = { rounds: 50, turns: 4, settles: 20 };
const home = mkdtempSync(join(tmpdir(), "agentchart-bench-"));
const stop = await startHub(home);
const connected = inspector({ home });
const alone = inspector({ home: join(home, "nobody") });
const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(0)}`;

async function ofMachines(): Promise<string> {
  const measured = await inTurns(
    {
      without: eventsOfMachine(),
      observer: eventsOfMachine(() => {}),
      nobody: eventsOfMachine(alone.inspect),
      connected: eventsOfMachine(connected.inspect),
    },
    { samples: Math.min(9, SAMPLES), warmUpMs: 1_000 },
  );
  const row = (what: string, name: keyof typeof measured): string => {
    const samples = measured[name];
    const more = median(samples.map((value, index) => value - measured.without[index]!));
    const cells = [median(samples), Math.min(...samples)].map((value) => value.toFixed(0));
    // 1,000 events a second: so many µs an event are as many thousandths of a core
    return `| ${[what, ...cells, ...(name === "without" ? ["", ""] : [signed(more), `${(more / 10).toFixed(1)} %`])].join(" | ")} |`;
  };
  return `${MACHINES}

Written by \`npm run bench:inspect -- --only machines --write\`, ${settings()}.
A machine of XState with two regions and ten values in its context, two of which change with each event, gets 1,000 events a second, ten at
once. CPU time of its process, all threads, for one event; no page looks on. Each variant has worked for a second of CPU time before, so that
its code is compiled. The aim is at most +20 µs, and 5 % of a core.

| | median µs | least | more than without | of a core |
|---|---|---|---|---|
${[
  row("without `inspect`", "without"),
  row("an observer that does nothing", "observer"),
  row("`inspect`, no hub there", "nobody"),
  row("`inspect`, hub connected", "connected"),
].join("\n")}
`;
}

async function ofAgents(): Promise<string> {
  const measured = await inTurns(
    {
      empty: emptyRounds,
      without: iterations(10, {}, long),
      observer: iterations(10, { inspect: () => {} }, long),
      nobody: iterations(10, { inspect: alone }, long),
      connected: iterations(10, { inspect: connected }, long),
      without1000: iterations(1_000, {}, long),
      connected1000: iterations(1_000, { inspect: connected }, long),
      withoutShort: iterations(10, {}, short),
      connectedShort: iterations(10, { inspect: connected }, short),
    },
    { samples: SAMPLES, warmUpMs: 2_000 },
  );
  type Name = keyof typeof measured;
  const row = (what: string, name: Name, base?: Name): string => {
    const samples = measured[name];
    const more = base && samples.map((value, index) => value - measured[base][index]!);
    const beside = more && [
      signed(median(more)),
      median(ratios(more, measured.empty)).toFixed(2),
      median(ratios(samples, measured[base])).toFixed(2),
    ];
    const cells = [median(samples), Math.min(...samples)].map((value) => value.toFixed(0));
    return `| ${[what, ...cells, ...(beside ?? ["", "", ""])].join(" | ")} |`;
  };
  return `# The inspector's cost to an agent, measured

Written by \`npm run bench:inspect -- --write\`, ${settings()}.
CPU time of the agent's process, all threads, for one iteration: a model call and a tool call, both instant, default
time-outs. An agent makes 500 of them, is closed, and its process rests for 20 ms, so that all counts which the inspector
puts off: recording, diffs, JSON, the socket, garbage collection. What is done once for each agent counts as well: its
first step shows its whole history, and its end waits for the hub. In turns of 50 iterations that weighs more. The hub runs in a
process of its own and is not counted. Variants are measured in turns, and compared round by round. The speed of a machine changes
within seconds, so that what the inspector adds is also shown as a multiple of an empty chart: a machine of XState's with as many
steps as an iteration, which does nothing. The aim is at most +100 µs.

| | median µs | least | more than without | ÷ empty chart | ÷ without |
|---|---|---|---|---|---|
${[
  row("an empty chart", "empty"),
  row("without `inspect`, history 10", "without"),
  row("an observer that does nothing", "observer", "without"),
  row("`inspect`, no hub there", "nobody", "without"),
  row("`inspect`, hub connected", "connected", "without"),
  row("without, history 1,000", "without1000"),
  row("hub connected, history 1,000", "connected1000", "without1000"),
  row("without, turns of 50", "withoutShort"),
  row("hub connected, turns of 50", "connectedShort", "withoutShort"),
].join("\n")}

An observer gets XState's own events, so that XState works each step out as microsteps, with a snapshot for each. Without one the resolver of the
chart takes a step at once, and the inspector is told of that. An agent whose model takes a second spends a ten-thousandth of it on this.
Not measured: pages that look on, streamed text.
`;
}

const [agents = "", machines = ""] = readFileSync(FILE, "utf8").split(/(?=^## Machines of your own)/mu);
const made = [
  (PARTS.includes("agents") ? await ofAgents() : agents).trimEnd(),
  PARTS.includes("machines") ? await ofMachines() : machines,
];
await Promise.all([connected.close(), alone.close()]);
await stop();
rmSync(home, { recursive: true, force: true });
const text = `${made.filter(Boolean).join("\n\n").trimEnd()}\n`;
console.log(text);
if (values.write) writeFileSync(FILE, text);
process.exit(0);
