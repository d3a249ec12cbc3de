import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { observeNoise } from "./noise.ts";
import { prefixHits, type PrefixHits } from "./prefix-share.ts";
import { report } from "./report.ts";
import { measureApart, type Measured } from "./workload.ts";
import { WORKLOADS } from "./workloads/all.ts";

/** Compares requests; nothing of it is timed. */
const PREFIX = "prefix";
const NAMES = [...Object.keys(WORKLOADS), PREFIX];

const { values, positionals } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !NAMES.includes(name));
const help = `npm run bench -- [--write] [WORKLOAD …]

Measures all workloads, or those that are named: ${NAMES.join(", ")}.
--write puts the report of all of them into docs/bench.md.`;
if (values.help) {
  console.log(help);
  process.exit(0);
}
if (unknown.length > 0 || (values.write && positionals.length > 0)) {
  const problem =
    unknown.length > 0 ? `Unknown workload: ${unknown.join(", ")}.` : "--write needs all workloads.";
  console.error(`${problem}\n\n${help}`);
  process.exit(2);
}
const chosen = positionals.length > 0 ? NAMES.filter((name) => positionals.includes(name)) : NAMES;

const noise = observeNoise();
const measured: Measured[] = [];
let cpu = 0;
let prefixes: { readonly [name: string]: PrefixHits } | undefined;
for (const name of chosen) {
  console.error(`${name} …`);
  if (name === PREFIX)
    prefixes = {
      "small, the whole history": await prefixHits("small"),
      "usual, the whole history": await prefixHits("usual"),
      "usual, `modelOptions: { contextWindow: { maxTokens: 32_000 } }`": await prefixHits("usual", {
        modelOptions: { contextWindow: { maxTokens: 32_000 } },
      }),
    };
  else {
    const said = await measureApart(name);
    measured.push(said.measured);
    cpu += said.cpu;
  }
}
const text = report(measured, prefixes, noise(cpu));
console.log(text);
if (values.write) writeFileSync(join(import.meta.dirname, "../docs/bench.md"), text);
