import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createAgent, defineTool, userMsg, type ChatModel, type SessionStore } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { cpuMicros, median } from "./cpu.ts";

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const folder = mkdtempSync(join(tmpdir(), "agentchart-bench-"));
const STORES: { readonly [name: string]: () => SessionStore } = {
  memory: () => memoryStore(),
  files: () => fileStore({ dir: join(folder, "files") }),
  SQLite: () => sqliteStore({ path: join(folder, "sessions.sqlite") }),
};
const LENGTHS = [10, 100, 1_000, 5_000];
const ROUNDS = 50;

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
async function measure(
  make: () => SessionStore,
  length: number,
): Promise<{ commit: number; beside: number; restore: number }> {
  const { store, sizes } = counting(make());
  const sessionId = `s${++sessions}`;
  const messages = Array.from({ length }, (_, index) => userMsg(`message ${index} ${"x".repeat(400)}`));
  const config = {
    name: "bench",
    store,
    sessionId,
    tools: [work(200)],
    maxIters: ROUNDS + 5,
    memory: { maxMessages: 10 },
  };
  const agent = createAgent({ ...config, model: planned(ROUNDS), messages });
  await agent.open();
  const plain = createAgent({ ...config, store: undefined as never, model: planned(ROUNDS), messages });
  const without = await cpuMicros(() => plain.call("go"));
  sizes.length = 0;
  const withStore = await cpuMicros(() => agent.call("go"));
  await agent.close();
  const again = createAgent({ ...config, model: planned(0) });
  const startedAt = performance.now();
  await again.open();
  const restore = performance.now() - startedAt;
  await again.close();
  await store.close();
  return {
    commit: (withStore - without) / sizes.length,
    beside: median(sizes.map(({ batch, entries }) => batch - entries)),
    restore,
  };
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
  await measure(make, 10); // warm up
  for (const length of LENGTHS) {
    console.error(`${name}, ${length} messages …`);
    const runs = [await measure(make, length), await measure(make, length), await measure(make, length)];
    const of = (key: "commit" | "beside" | "restore"): number => median(runs.map((run) => run[key]));
    rows.push(
      `| ${name} | ${length} | ${of("commit").toFixed(0)} | ${of("beside").toFixed(0)} | ${of("restore").toFixed(1)} |`,
    );
  }
}
const [small, large] = [await total(200), await total(4_096)];
rmSync(folder, { recursive: true, force: true });

const text = `# Sessions, measured

Written by \`npm run bench:sessions -- --write\`, load ${loadavg()[0]!.toFixed(1)} while measuring, Node ${process.versions.node}.
A commit is one append. Its CPU time is what a turn of ${ROUNDS} tool rounds costs more with the store than without, by append. Bytes
beside the facts are the JSON of an append without its entries. Aims: 600 bytes, 100 µs on files without fsync, 50 ms.

| store | messages before | CPU µs per commit | bytes beside the facts | restore, ms |
|---|---|---|---|---|
${rows.join("\n")}

Bytes appended by a task of 300 rounds, over the NDJSON of its messages: ${small.toFixed(2)}× at results of 200 bytes (aim 4),
${large.toFixed(2)}× at 4 KB (aim 1.5).

Not measured: fsync, a networked database under load, several sessions at once.
`;
console.log(text);
if (values.write) writeFileSync(join(import.meta.dirname, "../docs/bench-sessions.md"), text);
