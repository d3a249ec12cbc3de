import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { inspector } from "agentchart/inspect";
import { inTurns, median, ratios } from "./cpu.ts";
import { emptyRounds } from "./empty-chart.ts";
import { iterations } from "./iteration.ts";

const { values } = parseArgs({
  options: { write: { type: "boolean", default: false }, samples: { type: "string", default: "31" } },
});

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
  { samples: Number(values.samples), warmUpMs: 2_000 },
);
await Promise.all([connected.close(), alone.close()]);
await stop();
rmSync(home, { recursive: true, force: true });

const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(0)}`;
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
const text = `# The inspector's cost to an agent, measured

Written by \`npm run bench:inspect -- --write\`, load ${loadavg()[0]!.toFixed(1)} while measuring, Node ${process.versions.node}.
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

An agent whose model takes a second spends a ten-thousandth of it on this. Not measured: pages that look on, streamed text.
`;
console.log(text);
if (values.write) writeFileSync(join(import.meta.dirname, "../docs/bench-inspect.md"), text);
process.exit(0);
