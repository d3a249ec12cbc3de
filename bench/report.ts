import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { CHUNKS } from "./chunks.ts";
import { atBestSpeed, median } from "./cpu.ts";
import type { PrefixHits } from "./prefix-share.ts";
import { ROUNDS, SIZES } from "./task.ts";

type Samples = readonly number[];
type Loopback = { readonly bare: Samples; readonly agent: Samples };
export type Measured = {
  readonly iteration: {
    readonly [
      N in "empty" | "bare10" | "bare1000" | "default10" | "default1000" | "hooks10" | "limits10"
    ]: Samples;
  };
  readonly chunks: { readonly [N in "bare" | "called" | "hooked" | "streamed"]: Samples };
  readonly short: {
    readonly [N in "bare" | "called" | "streamed" | "packaged" | "packagedStream"]: Samples;
  };
  readonly small: Loopback;
  readonly usual: Loopback;
  readonly prefixes: { readonly [name: string]: PrefixHits };
};

const HOOK_POINTS = 4;

/** With what it is beside an empty chart, round by round. */
function rowBeside(empty: Samples) {
  return (what: string, samples: Samples, aim = ""): string => {
    const best = atBestSpeed(samples, empty);
    const cells = [median(samples), Math.min(...samples), Math.max(...samples)].map((n) => n.toFixed(0));
    const ratio = (best / Math.min(...empty)).toFixed(2);
    return `| ${[what, ...cells, ratio, best.toFixed(0), aim].join(" | ")} |`;
  };
}

function row(what: string, samples: Samples, digits: number, aim = ""): string {
  const shown = [median(samples), Math.min(...samples), Math.max(...samples)].map((n) => n.toFixed(digits));
  return `| ${[what, ...shown, aim].join(" | ")} |`;
}

/** `a` over `b`, sample by sample: what else the machine did at the time falls out. */
function each(a: Samples, b: Samples, combine: (a: number, b: number) => number): Samples {
  return a.map((value, index) => combine(value, b[index]!));
}

/** With the median of its ratios to `bare`, round by round. */
function shortRow(what: string, samples: Samples, bare: Samples, aim = ""): string {
  const ratio = median(each(samples, bare, (a, b) => a / b)).toFixed(2);
  const cells = [median(samples), Math.min(...samples), Math.max(...samples)].map((n) => n.toFixed(0));
  return `| ${[what, ...cells, ratio, aim].join(" | ")} |`;
}

function task(size: string, { bare, agent }: Loopback): string {
  const ratio = each(agent, bare, (a, b) => a / b);
  return [
    row(`${size}: bare loop`, bare, 0),
    row(`${size}: agent`, agent, 0),
    row(`${size}: agent ÷ bare loop`, ratio, 2, "≤ 1.15"),
  ].join("\n");
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

function prefixRow([name, { median: middle, least, all }]: readonly [string, PrefixHits]): string {
  return `| ${[name, percent(middle), percent(least), percent(all)].join(" | ")} |`;
}

function versionOf(name: string): string {
  const path = join(import.meta.dirname, "../node_modules", name, "package.json");
  return `${name} ${(JSON.parse(readFileSync(path, "utf8")) as { version: string }).version}`;
}

function machine(): string {
  const cores = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const load = loadavg().map((value) => value.toFixed(2));
  return [
    `- Machine: ${cores.length} × ${cores[0]?.model.trim() || process.arch}, ${gigabytes} GiB, ${type()} ${release()}`,
    `- Load while measuring (1, 5, 15 min): ${load.join(", ")}`,
    `- Node ${process.versions.node}, ${versionOf("xstate")}, ${versionOf("openai")}`,
    `- ${new Date().toISOString().slice(0, 10)}`,
  ].join("\n");
}

/** The figures as Markdown. */
export function report({ iteration, chunks, short, small, usual, prefixes }: Measured): string {
  const { empty, bare10, bare1000, default10, default1000, hooks10, limits10 } = iteration;
  const limits = each(limits10, bare10, (a, b) => a - b);
  const beside = rowBeside(empty);
  const perHook = each(hooks10, bare10, (a, b) => (a - b) / HOOK_POINTS);
  const head = (unit: string) => `| | median ${unit} | least | most | aim |\n|---|---|---|---|---|`;
  return `# Benchmarks

Written by \`npm run bench -- --write\`. Run it on your own machine: the absolute figures are those of one box.

${machine()}

CPU time of the whole process, all threads, garbage collection included. The variants of a table are measured in
turns within one run; each figure is the median of its samples, with the least and the most beside it.

## One iteration

One model call and one tool call, both instant, so this is the cost of the chart and of what is around it. The empty
chart is a machine of XState's with as many steps, assignments, services and levels, which does nothing. This machine's
speed changes within seconds, so each sample is also shown as a ratio to the empty chart in the same round, and what that
comes to at the speed of the empty chart's least sample.

| | median µs | least | most | ÷ empty chart | µs at best speed | aim |
|---|---|---|---|---|---|---|
${beside("an empty chart", empty)}
${beside("history 10, no deadlines", bare10, "≤ 100")}
${beside("history 1,000, no deadlines", bare1000, "flat")}
${beside("history 10, default time-outs", default10, "≤ 150")}
${beside("history 1,000, default time-outs", default1000, "flat")}
${beside("each hook point in use, more", perHook, "≤ 20")}
${beside("permission rules, five limits and prices, more", limits)}

## One streamed chunk

An answer of ${CHUNKS.toLocaleString("en")} chunks by an instant model.

${head("µs")}
${row("bare `for await` over the same model", chunks.bare, 2)}
${row("`agent.call`", chunks.called, 2, "≤ 2")}
${row("`agent.call` with a chunk hook", chunks.hooked, 2)}
${row("`agent.stream`, every event read", chunks.streamed, 2, "≤ 2")}

## A run of one round

A new agent asks its model twice and runs one tool, over a \`fetch\` that answers within the process. The bare loop does the same
over the \`openai\` package.

| | median µs | least | most | ÷ bare loop | aim |
|---|---|---|---|---|---|
${shortRow("bare loop", short.bare, short.bare)}
${shortRow("`agent.call`", short.called, short.bare, "≤ 1.2")}
${shortRow("`agent.stream`, every event read", short.streamed, short.bare, "≤ 1.4")}
${shortRow('`agent.call`, `transport: "openai"`', short.packaged, short.bare)}
${shortRow('`agent.stream`, `transport: "openai"`', short.packagedStream, short.bare)}

## A task of ${ROUNDS} rounds over loopback HTTP

The server runs in a process of its own and is not counted. The bare loop uses the same \`openai\` package and does
nothing but stream, put the deltas together, run the tool and go round. Every request carries the whole history.

${head("CPU ms")}
${task("small", small)}
${task("usual", usual)}

In a round of the small task the model says ${SIZES.small.words} words and the tool answers ${SIZES.small.characters} characters, in the usual one ${SIZES.usual.words} and ${SIZES.usual.characters.toLocaleString("en")}.

## What a prompt cache can serve

A provider's cache serves the beginning that a request has in common with the one before. The same task once, every request
compared with the one before it, in characters; a loopback server counts no cached tokens.

| | median request | worst request after the first | of all that was sent |
|---|---|---|---|
${Object.entries(prefixes).map(prefixRow).join("\n")}

## What is not measured

- Time on the wall and latency: a model takes seconds, the rest is lost in it.
- Memory, and the size of snapshots.
- Several agents in one process, several calls at once, real tools, inspectors.
- TLS, proxies and remote servers.
- Cold starts: every variant has run before it is measured.
`;
}
