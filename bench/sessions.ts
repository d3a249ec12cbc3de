import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, defineTool, userMsg, type ChatModel, type SessionStore } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { postgresStore } from "agentchart/store/postgres";
import { sqliteStore } from "agentchart/store/sqlite";
import { NO_POSTGRES, startPostgres } from "../test/support/postgres.ts";
import { cpuMicros, IS_SMOKE, median } from "./cpu.ts";
import { benchOptions, WRITE } from "./options.ts";

const { values } = benchOptions(
  `Measures stored sessions of rising length: turns, opening, checkpoints, bytes.

Usage: npm run bench:sessions -- [--write]

  --write  writes docs/bench-sessions.md
  --help   prints this`,
  WRITE,
);
const folder = mkdtempSync(join(tmpdir(), "agentchart-bench-"));
const postgres = await startPostgres();
if (!postgres) console.error(NO_POSTGRES);
const STORES: { readonly [name: string]: () => SessionStore } = {
  memory: () => memoryStore(),
  files: () => fileStore({ dir: join(folder, "files") }),
  SQLite: () => sqliteStore({ path: join(folder, "sessions.sqlite") }),
  ...(postgres && { Postgres: () => postgresStore({ connectionString: postgres.connectionString }) }),
};
const LENGTHS = IS_SMOKE ? [10] : [10, 100, 1_000, 5_000];
const ROUNDS = 50;
const SAMPLES = IS_SMOKE ? 1 : 15;

/** Asks for one call `rounds` times, then answers. */
function planned(rounds: number): ChatModel {
  let asked = 0;
  return {
    name: "planned",
    async *stream() {
      if (asked++ < rounds) yield { type: "tool.delta", key: 0, name: "work", args: "{}" };
      else yield { type: "text.delta", delta: "done" };
      yield { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } };
      yield { type: "finish", reason: "stop" };
    },
  };
}

const work = (bytes: number) =>
  defineTool({ name: "work", description: "", input: { type: "object" }, execute: () => "r".repeat(bytes) });

const CONFIG = {
  name: "bench",
  tools: [work(200)],
  maxIters: ROUNDS + 5,
  modelOptions: { contextWindow: { maxMessages: 10 } },
};

type Counted = {
  readonly store: SessionStore;
  readonly sizes: { batch: number; entries: number; messages: number }[];
};

/** A store that counts the bytes of each append as JSON. */
function counting(store: SessionStore): Counted {
  const sizes: Counted["sizes"] = [];
  const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  return {
    sizes,
    store: new Proxy(store, {
      get(target, key) {
        const member = Reflect.get(target, key, target) as unknown;
        if (typeof member !== "function") return member;
        if (key !== "append") return member.bind(target) as unknown;
        return (...[id, batch]: Parameters<SessionStore["append"]>) => {
          const facts = batch.entries.filter(({ type }) => type !== "position");
          const messages = facts.filter(({ type }) => type === "messages");
          sizes.push({ batch: size(batch), entries: size(facts), messages: size(messages) });
          return target.append(id, batch);
        };
      },
    }),
  };
}

let sessions = 0;

/** One turn of a fresh session: CPU µs, with the store or without, and its session's id. */
async function turn(
  length: number,
  store?: SessionStore,
): Promise<{ readonly micros: number; readonly sessionId: string }> {
  const sessionId = `s${++sessions}`;
  const agent = createAgent({
    ...CONFIG,
    sessionId,
    model: planned(ROUNDS),
    messages: Array.from({ length }, (_, index) => userMsg(`message ${index} ${"x".repeat(400)}`)),
    ...(store && { store }),
  });
  await agent.open();
  const micros = await cpuMicros(() => agent.call("go"));
  await agent.close();
  return { micros, sessionId };
}

async function restore(store: SessionStore, sessionId: string): Promise<number> {
  const agent = createAgent({ ...CONFIG, store, sessionId, model: planned(0) });
  const startedAt = performance.now();
  await agent.open();
  const millis = performance.now() - startedAt;
  await agent.close();
  return millis;
}

type Measured = { readonly commit: number; readonly beside: number; readonly restore: number };

async function measure(store: SessionStore, sizes: Counted["sizes"], length: number): Promise<Measured> {
  const commits: number[] = [];
  const restores: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const without = await turn(length);
    sizes.length = 0;
    const { micros, sessionId } = await turn(length, store);
    commits.push((micros - without.micros) / sizes.length);
    restores.push(await restore(store, sessionId));
  }
  const beside = median(sizes.map(({ batch, entries }) => batch - entries));
  return { commit: median(commits), beside, restore: median(restores) };
}

async function total(bytes: number): Promise<number> {
  const { store, sizes } = counting(memoryStore());
  const agent = createAgent({
    name: "bench",
    store,
    sessionId: "t",
    model: planned(300),
    tools: [work(bytes)],
    maxIters: 400,
  });
  await agent.call("go");
  const lines = (await agent.messages()).map((message) => Buffer.byteLength(JSON.stringify(message)) + 1);
  await agent.close();
  return sizes.reduce((sum, { batch }) => sum + batch, 0) / lines.reduce((sum, line) => sum + line, 0);
}

const rows: string[] = [];
for (const [name, make] of Object.entries(STORES)) {
  const { store, sizes } = counting(make());
  await measure(store, sizes, 10); // warm up
  for (const length of LENGTHS) {
    console.error(`${name}, ${length} messages …`);
    const { commit, beside, restore } = await measure(store, sizes, length);
    rows.push(
      `| ${name} | ${length} | ${commit.toFixed(0)} | ${beside.toFixed(0)} | ${restore.toFixed(1)} |`,
    );
  }
  await store.close();
}
const [small, large] = [await total(200), await total(4_096)];
await postgres?.stop();
rmSync(folder, { recursive: true, force: true });

const text = `# Sessions, measured

Written by \`npm run bench:sessions -- --write\`, load ${loadavg()[0]!.toFixed(1)} while measuring, Node ${process.versions.node}.
A commit is one append. Its CPU time is what a turn of ${ROUNDS} tool rounds costs more with the store than without, by append: the median of ${SAMPLES} turns. Bytes
beside the facts are the JSON of an append without its entries. Aims: 600 bytes, 100 µs on files without fsync, 50 ms.

| store | messages before | CPU µs per commit | bytes beside the facts | restore, ms |
|---|---|---|---|---|
${rows.join("\n")}

Bytes appended by a task of 300 rounds, over the NDJSON of its messages: ${small.toFixed(2)}× at results of 200 bytes (aim 4),
${large.toFixed(2)}× at 4 KB (aim 1.5).

Of Postgres counts what our process does; the server is local. Not measured: fsync, a database under load, several
sessions at once.
`;
console.log(text);
if (values.write) writeFileSync(join(import.meta.dirname, "../docs/bench-sessions.md"), text);
