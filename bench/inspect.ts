import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { inspector } from "agentchart/inspect";
import { inTurns, median } from "./cpu.ts";
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

const settles = { settles: 20 };
const home = mkdtempSync(join(tmpdir(), "agentchart-bench-"));
const stop = await startHub(home);
const connected = inspector({ home });
const alone = inspector({ home: join(home, "nobody") });
const measured = await inTurns(
  {
    without: iterations(10, {}, settles),
    observer: iterations(10, { inspect: () => {} }, settles),
    nobody: iterations(10, { inspect: alone }, settles),
    connected: iterations(10, { inspect: connected }, settles),
    connected1000: iterations(1_000, { inspect: connected }, settles),
    without1000: iterations(1_000, {}, settles),
  },
  { samples: Number(values.samples), warmUp: 12 },
);
await Promise.all([connected.close(), alone.close()]);
await stop();
rmSync(home, { recursive: true, force: true });

const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(0)}`;
type Name = keyof typeof measured;
const row = (what: string, name: Name, base?: Name): string => {
  const samples = measured[name];
  const more = base && samples.map((value, index) => value - measured[base][index]!);
  const least = Math.min(...samples);
  const [usual, best] = more ? [median(more), least - Math.min(...measured[base])] : [];
  const cells = [median(samples), least].map((value) => value.toFixed(0));
  return `| ${[what, ...cells, ...[usual, best].map((value) => (value === undefined ? "" : signed(value)))].join(" | ")} |`;
};
const text = `# The inspector's cost to an agent, measured

Written by \`npm run bench:inspect -- --write\`, load ${loadavg()[0]!.toFixed(1)} while measuring, Node ${process.versions.node}.
CPU time of the agent's process, all threads, for one iteration: a model call and a tool call, both instant, default
time-outs. An agent makes 50 of them, is closed, and its process rests for 20 ms, so that all counts which the inspector
puts off: recording, diffs, JSON, the socket, garbage collection. Its history is shown once, in the first step, which is
most of the difference at 1,000 messages. The hub runs in a process of its own and is not counted. Variants are measured
in turns. The aim is at most +100 µs.

| | median µs | least | more than without | least − least |
|---|---|---|---|---|
${[
  row("without `inspect`, history 10", "without"),
  row("an observer that does nothing", "observer", "without"),
  row("`inspect`, no hub there", "nobody", "without"),
  row("`inspect`, hub connected", "connected", "without"),
  row("without, history 1,000", "without1000"),
  row("hub connected, history 1,000", "connected1000", "without1000"),
].join("\n")}

An agent whose model takes a second spends a ten-thousandth of it on this. Not measured: pages that look on, streamed text.
`;
console.log(text);
if (values.write) writeFileSync(join(import.meta.dirname, "../docs/bench-inspect.md"), text);
process.exit(0);
