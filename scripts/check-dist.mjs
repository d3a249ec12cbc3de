/** Checks the build: its command draws the agent's chart byte for byte as the sources do, its worker lays charts out as they do, and
 *  THIRD-PARTY-NOTICES names every package that the build holds parts of. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { agentMachine, chartJson } from "agentchart/machines";
import { chartSvg } from "../src/core/diagram/chart-svg.ts";
import { layoutChart } from "../src/core/diagram/layout-chart.ts";

const root = join(import.meta.dirname, "..");
const read = (path) => readFileSync(join(root, path), "utf8");
const { bin, dependencies, peerDependencies } = JSON.parse(read("package.json"));
const command = join(root, bin.agentchart);
assert(existsSync(command), `There is no ${bin.agentchart}: run "npm run build" first.`);

const chart = chartJson(agentMachine);
const layouts = await layoutChart(chart);

const { status, stdout, stderr } = spawnSync(process.execPath, [command, "chart", "--format", "svg"]);
assert.equal(status, 0, `"agentchart chart" of the build fails: ${String(stderr)}`);
const drawn = chartSvg(chart, layouts.landscape, "light");
assert(stdout.equals(Buffer.from(drawn)), "The build draws another chart than the sources: build again.");

const worker = new Worker(join(root, "dist/diagram/layout-worker.mjs"), { workerData: chart });
const [placed] = await once(worker, "message");
await worker.terminate();
assert.deepEqual(placed, layouts, "The worker of the build lays the chart out in another way.");
const checker = new Worker(join(root, "dist/tool/check-thread.mjs"), { env: {} });
assert.deepEqual(await once(checker, "message"), ["ready"], "The thread that checks schemas does not start.");
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
checker.postMessage({ schema: '{"properties":{"a":{"type":"string"}}}', value: '{"a":1}' });
const [{ problems }] = await once(checker, "message");
await checker.terminate();
assert.match(problems, /^a: /, "The thread of the build does not check schemas.");
console.log(`The build draws the chart as the sources do, ${stdout.length} bytes, and lays it out alike.`);

// Found independently of the bundlers' records: what the sources import and a user of the package does not install.
const installed = new Set(["agentchart", ...Object.keys({ ...dependencies, ...peerDependencies })]);
installed.delete("react"); // a peer of what is for the pages of users; our own page is bundled with it
const imported = globSync(["{src,machines,visualizer/src}/**/*.{ts,tsx,css}"], { cwd: root })
  .flatMap((file) => [
    ...read(file).matchAll(/^(?!import type| \*)(?:.*[ }]from |import )"([@\w][\w@/.-]*)"/gm),
  ])
  .map(([, specifier]) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0])
  .filter((name) => !installed.has(name) && !isBuiltin(name));
const recorded = ["package", "tokenizer", "page"].flatMap((name) =>
  JSON.parse(read(`build/bundled/${name}.json`)),
);
const bundled = new Set([...imported, ...recorded.map((folder) => folder.replace(/^.*node_modules\//, ""))]);
const noticed = new Set(
  [...read("THIRD-PARTY-NOTICES").matchAll(/^-{80}\n(\S+) /gm)].map(([, name]) => name),
);
assert(imported.includes("hono") && imported.includes("react"), "The search for imports finds none.");
assert.deepEqual([...bundled.difference(noticed)], [], "THIRD-PARTY-NOTICES lacks packages: build again.");
console.log(`THIRD-PARTY-NOTICES names all ${bundled.size} packages that the build holds parts of.`);
