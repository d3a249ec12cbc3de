import { readFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { IS_SMOKE, median, quantile, ratios } from "./cpu.ts";
import type { Noise } from "./noise.ts";
import type { PrefixHits } from "./prefix-share.ts";
import type { Described, Measured } from "./workload.ts";

type Variant = Described["variants"][string];

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const spread = (values: readonly number[], digits: number): string =>
  `${quantile(values, 0.25).toFixed(digits)}–${quantile(values, 0.75).toFixed(digits)}`;

/** The ratios of a variant to what it is compared with, round by round. */
function ratiosOf({ samples, workload }: Measured, name: string, { over }: Variant): readonly number[] {
  return ratios(samples[name]!, samples[over ?? workload.reference]!);
}

function verdict(ratio: number, { aim, why = "" }: Variant): string {
  if (aim === undefined) return "";
  if (Number(ratio.toFixed(2)) <= aim) return "reached";
  return why === "" ? "not reached" : `not reached: ${why}`;
}

/** Of all workloads, the variants that have an aim. */
function aims(measured: readonly Measured[]): string {
  const rows = measured.flatMap((each) =>
    Object.entries(each.workload.variants).flatMap(([name, variant]) => {
      if (variant.aim === undefined) return [];
      const found = ratiosOf(each, name, variant);
      const what = `${each.workload.title}: ${name} ÷ ${variant.over ?? each.workload.reference}`;
      const middle = median(found);
      return [
        row([
          what,
          middle.toFixed(2),
          spread(found, 2),
          `≤ ${variant.aim.toFixed(2)}`,
          verdict(middle, variant),
        ]),
      ];
    }),
  );
  if (rows.length === 0) return "";
  return `## Aims

| what ÷ what it is compared with | median | quartiles | aim | |
|---|---|---|---|---|
${rows.join("\n")}
`;
}

function section(each: Measured): string {
  const { title, text, unit, digits, reference, variants } = each.workload;
  const rows = Object.entries(variants).map(([name, variant]) => {
    const own = each.samples[name]!;
    const figures = [name, median(own).toFixed(digits), spread(own, digits)];
    if (name === reference) return row([...figures, "1", "", ""]);
    const found = ratiosOf(each, name, variant);
    const over = variant.over === undefined ? "" : ` (÷ ${variant.over})`;
    const aim = variant.aim === undefined ? "" : `≤ ${variant.aim.toFixed(2)}`;
    return row([...figures, `${median(found).toFixed(2)}${over}`, spread(found, 2), aim]);
  });
  const noise = ratios(each.again, each.samples[reference]!);
  return `## ${title}

${text}

| | median ${unit} | quartiles | ÷ ${reference} | quartiles | aim |
|---|---|---|---|---|---|
${rows.join("\n")}

${reference[0]!.toUpperCase()}${reference.slice(1)}, the same again: ${median(noise).toFixed(2)} (${spread(noise, 2)}), of ${noise.length} rounds.
`;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** What a prompt cache can serve. */
function prefixSection(prefixes: { readonly [name: string]: PrefixHits }): string {
  const rows = Object.entries(prefixes).map(([name, { median: middle, least, all }]) =>
    row([name, percent(middle), percent(least), percent(all)]),
  );
  return `## What a prompt cache can serve

A provider's cache serves the beginning that a request has in common with the one before. The same task once, every request
compared with the one before it, in characters; a loopback server counts no cached tokens.

| | median request | worst request after the first | of all that was sent |
|---|---|---|---|
${rows.join("\n")}
`;
}

function versionOf(name: string): string {
  const path = join(import.meta.dirname, "../node_modules", name, "package.json");
  return `${name} ${(JSON.parse(readFileSync(path, "utf8")) as { version: string }).version}`;
}

function machine({ load, others }: Noise): string {
  const cores = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return [
    `- Machine: ${cores.length} × ${cores[0]?.model.trim() || process.arch}, ${gigabytes} GiB, ${type()} ${release()}`,
    `- Noise: other processes used ${percent(others)} of the machine while this was measured; its load was ${load[0].toFixed(1)} before and ${load[1].toFixed(1)} after.`,
    `- Node ${process.versions.node}, ${versionOf("xstate")}, ${versionOf("openai")}`,
    `- ${new Date().toISOString().slice(0, 10)}${IS_SMOKE ? "; a smoke test, whose figures mean nothing" : ""}`,
  ].join("\n");
}

/** The figures as Markdown. */
export function report(
  measured: readonly Measured[],
  prefixes: { readonly [name: string]: PrefixHits } | undefined,
  noise: Noise,
): string {
  const sections = [
    aims(measured),
    ...measured.map(section),
    ...(prefixes ? [prefixSection(prefixes)] : []),
  ].filter((text) => text !== "");
  return `# Benchmarks

Written by \`npm run bench -- --write\`. Run it on your own machine: the absolute figures are those of one box, and a busy machine makes
all of them longer, so compare the ratios. \`npm run bench -- short parallel\` measures these workloads alone.

${machine(noise)}

CPU time of the whole process, all threads, garbage collection included. Each table is of one process, in which its variants are
measured in turns, after each has warmed up by CPU time. A sample is the mean of as many runs as take 250 ms of CPU, in the tables of new processes of one process each:
in less time, all of a collection of garbage is counted or none. A ratio is taken round by round to what stands beside it; shown are medians and quartiles.
Below each table the bare variant is compared with itself: that far a ratio can be from the truth.

${sections.join("\n")}
## What is not measured

- Time on the wall and latency: a model takes seconds, the rest is lost in it.
- Several agents in one process, real tools, inspectors.
- TLS, proxies and remote servers.
`;
}
