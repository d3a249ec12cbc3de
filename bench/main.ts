import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { observeNoise } from "./noise.ts";
import { benchOptions, fail, WRITE } from "./options.ts";
import { prefixHits, type PrefixHits } from "./prefix-share.ts";
import { report } from "./report.ts";
import { measureApart, type Measured } from "./workload.ts";
import { WORKLOADS } from "./workloads/all.ts";

/** Compares requests; nothing of it is timed. */
const PREFIX = "prefix";
const NAMES = [...Object.keys(WORKLOADS), PREFIX];

const HELP = `Measures all workloads, or those that are named: ${NAMES.join(", ")}.

Usage: npm run bench -- [options] [WORKLOAD …]

  --write  writes docs/bench.md; needs all workloads
  --help   prints this`;
const { values, positionals } = benchOptions(HELP, WRITE, { allowPositionals: true });
const unknown = positionals.filter((name) => !NAMES.includes(name));
if (unknown.length > 0) fail(`Unknown workload: ${unknown.join(", ")}.\n\n${HELP}`);
if (values.write && positionals.length > 0) fail(`--write needs all workloads.\n\n${HELP}`);
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
