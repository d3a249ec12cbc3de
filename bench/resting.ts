import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, defineTool, type Agent, type ChatModel } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { cpuMicros, IS_SMOKE } from "./cpu.ts";
import { benchOptions, WRITE } from "./options.ts";

const { values } = benchOptions(
  `Measures what sessions that rest cost: heap, CPU and rows of each.

Usage: npm run bench:resting -- [--write]

  --write  writes docs/bench-resting.md
  --help   prints this`,
  WRITE,
);
if (!globalThis.gc) throw new Error("bench/resting.ts measures the heap: run it with node --expose-gc");
const SESSIONS = IS_SMOKE ? 20 : 10_000;
const folder = mkdtempSync(join(tmpdir(), "agentchart-bench-"));
const store = sqliteStore({ path: join(folder, "sessions.sqlite") });

const model: ChatModel = {
  name: "brief",
  async *stream() {
    yield { type: "text.delta", delta: "Done" };
    yield { type: "finish", reason: "stop" };
  },
};
const tools = [defineTool({ name: "work", description: "", input: { type: "object" }, execute: () => "" })];
const storeless = { name: "bench", model, tools };
const shared = { ...storeless, store };

/** KB of live heap. */
async function heapKb(): Promise<number> {
  for (let times = 0; times < 3; times++) {
    globalThis.gc!();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed / 1024;
}

/** Does something with all sessions: KB of heap and CPU µs by session. */
async function each(work: (index: number) => Promise<unknown>): Promise<{ kb: number; micros: number }> {
  const before = await heapKb();
  const micros = await cpuMicros(async () => {
    for (let index = 0; index < SESSIONS; index++) await work(index);
  });
  return { kb: ((await heapKb()) - before) / SESSIONS, micros: micros / SESSIONS };
}

for (let times = 0; times < 50; times++) await createAgent(storeless).call("Hi");
const unstored: Agent[] = [];
const alone = await each(async (index) => {
  unstored[index] = createAgent(storeless) as Agent;
  await unstored[index].call("Hi");
});
for (const agent of unstored.splice(0)) await agent.close();

const agents: Agent[] = [];
const warm = createAgent({ ...shared, sessionId: "warm" });
for (let times = 0; times < 50; times++) {
  await warm.call("Hi");
  await warm.passivate();
}
const opened = await each(async (index) => {
  agents[index] = createAgent({ ...shared, sessionId: `s${index}` });
  await agents[index].call("Hi");
});
const passive = await each((index) => agents[index]!.passivate());
const revived = await each((index) => agents[index]!.call("Again"));
for (const agent of agents) await agent.close();
await warm.close();
await store.close();
rmSync(folder, { recursive: true, force: true });

/** Says whether an aim is reached. */
const reached = (kb: number, aim: number, what: string): string =>
  `The aim for ${what} is ${kb <= aim ? "" : "not "}reached`;

const text = `# Resting sessions, measured

Written by \`npm run bench:resting -- --write\`, load ${loadavg()[0]!.toFixed(1)} while measuring, Node ${process.versions.node}: ${SESSIONS} sessions of one turn
in one process, on SQLite. Aims: 6 KB for an idle agent, 1 KB for a passive one.

| | CPU µs by session | KB of heap by agent |
|---|---|---|
| without a store: created, one turn | ${alone.micros.toFixed(0)} | ${alone.kb.toFixed(1)} |
| created, one turn | ${opened.micros.toFixed(0)} | ${opened.kb.toFixed(1)} |
| passivated | ${passive.micros.toFixed(0)} | ${(opened.kb + passive.kb).toFixed(1)} |
| opened again, one more turn | ${revived.micros.toFixed(0)} | ${(opened.kb + passive.kb + revived.kb).toFixed(1)} |

${reached(alone.kb, 6, "an idle agent without a store")}. ${reached(opened.kb, 6, "one with a store")}. ${reached(opened.kb + passive.kb, 1, "a passive one")}. An idle agent holds its context, its transcript
and its tools, and with a store its journal and its lease; it has no actor until it is used. A process with many sessions sets
\`idleMs\`, or calls \`passivate()\`.
`;
console.log(text);
if (values.write) writeFileSync(join(import.meta.dirname, "../docs/bench-resting.md"), text);
