import { mkdtempSync, rmSync, statSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteKnowledge, type KnowledgeStore } from "agentchart/knowledge";
import { hashingEmbedder } from "agentchart/testing";
import { corpusOf, type Corpus } from "./knowledge-corpus.ts";
import { benchOptions } from "./options.ts";

benchOptions(
  `Measures a knowledge store in SQLite of rising size: filling, searching, disk and memory.

Usage: npm run bench:knowledge

  --help  prints this`,
  {},
);

const isSmoke = process.env["BENCH_SMOKE"] !== undefined;
const SIZES = isSmoke ? [200] : [1_000, 20_000, 200_000];
const QUERIES = isSmoke ? 5 : 100;
const BATCH = 64;
const embedder = hashingEmbedder(384);
const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), "agentchart-bench-knowledge-"));

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
/** Memory of this process, once what is not used is given back. */
function residentMemory(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}
const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!;

/** Passages a second of storing them with their terms and vectors; the vectors are made before. */
async function fill(store: KnowledgeStore, { passages }: Corpus): Promise<number> {
  let ms = 0;
  for (let from = 0; from < passages.length; from += BATCH) {
    const batch = passages.slice(from, from + BATCH);
    const vectors = await embedder.embed(
      batch.map(({ text }) => text),
      { signal, kind: "document" },
    );
    const all = batch.map(({ text }, index) => ({ text, vector: vectors[index]! }));
    const start = performance.now();
    await store.put(`batch ${from}`, all, { embedder });
    ms += performance.now() - start;
  }
  return passages.length / (ms / 1_000);
}

/** The times of searches, ms, sorted. The first search, which loads what is kept in memory, does not count. */
async function search(
  store: KnowledgeStore,
  { questions }: Corpus,
  withVector: boolean,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (const { question } of [questions[0]!, ...questions]) {
    const [vector] = await embedder.embed([question], { signal, kind: "query" });
    const embedding = { by: embedder, vector: vector! };
    const start = performance.now();
    await store.search({ text: question, limit: 5, ...(withVector && { embedding }) });
    times.push(performance.now() - start);
  }
  return times.slice(1).toSorted((a, b) => a - b);
}

const rows: string[] = [];
const print = (row: string): void => {
  rows.push(row);
  console.error(row);
};
const HEAD = [
  "passages",
  "vectors compared",
  "passages/s",
  "words p50, p95 ms",
  "words and vectors p50, p95 ms",
  "file MB",
  "memory of searches MB",
];
print(`| ${HEAD.join(" | ")} |`);
print("| --: | --- | --: | --: | --: | --: | --: |");
for (const size of SIZES) {
  const path = join(folder, `${size}.db`);
  const corpus = corpusOf(size, QUERIES);
  const filling = sqliteKnowledge({ path });
  const perSecond = await fill(filling, corpus);
  await filling.close();
  const ways = { "in memory": Number.MAX_SAFE_INTEGER, "by sqlite-vec": 0 };
  for (const [way, maxInMemory] of Object.entries(ways)) {
    const before = residentMemory();
    const store = sqliteKnowledge({ path, maxInMemory });
    const words = await search(store, corpus, false);
    const both = await search(store, corpus, true);
    const used = residentMemory() - before;
    await store.close();
    const shown = (times: readonly number[]): string =>
      `${quantile(times, 0.5).toFixed(1)}, ${quantile(times, 0.95).toFixed(1)}`;
    const cells = [size, way, perSecond.toFixed(0), shown(words), shown(both)];
    print(`| ${[...cells, megabytes(statSync(path).size), megabytes(Math.max(0, used))].join(" | ")} |`);
  }
}
const MACHINE = `${process.version} on ${cpus().length} × ${cpus()[0]!.model}, load ${loadavg()[0]!.toFixed(1)} of other programs`;
console.log(`# Knowledge: ingest and search

A store in SQLite with passages of the corpus of \`bench/knowledge-corpus.ts\`, half English and half Chinese, and vectors of 384 numbers;
${QUERIES} questions, five passages each. _passages/s_: how many are stored with their terms and vectors, ${BATCH} at a time; what an
embedder takes comes on top. _vectors compared_: in memory, which is the default up to 50,000 passages, or by \`sqlite-vec\`, which is
the default above. Without that package each search above the bound reads all vectors from the file. _memory_: what the process grew
by during the searches.

${rows.join("\n")}

${MACHINE}: compare within the table. Run it with \`npm run bench:knowledge\`. How good the answers are is in
[knowledge](knowledge.md#how-a-search-works).`);
rmSync(folder, { recursive: true, force: true });
