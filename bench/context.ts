import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, type Agent, type AgentConfig, type SessionStore } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { postgresStore } from "agentchart/store/postgres";
import { sqliteStore } from "agentchart/store/sqlite";
import {
  askForSteps,
  CODES,
  look,
  sayInTurn,
  SYSTEM,
  TOKENIZERS,
  type Window,
} from "../test/support/long-talk.ts";
import { NO_POSTGRES, startPostgres } from "../test/support/postgres.ts";
import { median } from "./cpu.ts";
import { benchOptions, WRITE } from "./options.ts";
import { prefixShares, promptIn } from "./prefix-share.ts";

const { values } = benchOptions(
  `Measures long turns and long conversations in a context window: what a model still knows, tokens, requests, CPU.

Usage: npm run bench:context -- [options]

  --quick  60 rounds and turns instead of 300 and 500
  --write  writes docs/bench-context.md
  --help   prints this`,
  { ...WRITE, quick: { type: "boolean", default: false } },
);
const [ROUNDS, TURNS] = values.quick ? [60, 60] : [300, 500];
const folder = mkdtempSync(join(tmpdir(), "agentchart-bench-context-"));
const postgres = await startPostgres();
if (!postgres) console.error(NO_POSTGRES);
const STORES: { readonly [name: string]: () => SessionStore } = {
  memory: () => memoryStore(),
  files: () => fileStore({ dir: join(folder, "files") }),
  SQLite: () => sqliteStore({ path: join(folder, "sessions.sqlite") }),
  ...(postgres && { Postgres: () => postgresStore({ connectionString: postgres.connectionString }) }),
};

/** One long turn, or a long conversation; each returns what the model says at the end. */
const TASKS = {
  [`${ROUNDS} rounds`]: async (agent: Agent) => (await agent.call(askForSteps(ROUNDS))).text,
  [`${TURNS} turns`]: async (agent: Agent) => {
    let text = "";
    for (let turn = 1; turn <= TURNS; turn++) ({ text } = await agent.call(sayInTurn(turn, TURNS)));
    return text;
  },
};

async function serverFor(window: Window) {
  const child = fork(join(import.meta.dirname, "context-server.ts"), [JSON.stringify(window)]);
  const baseURL = await new Promise<string>((resolve, reject) => {
    child.once("message", (url) => resolve(url as string));
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}.`)));
  });
  return { baseURL, close: () => child.disconnect() };
}

type Measured = {
  readonly answer: string;
  readonly requests: number;
  readonly cleared: number;
  readonly summedUp: number;
  readonly refused: number;
  /** Tokens of all prompts, as the server counts them. */
  readonly tokens: number;
  /** What of all prompts the prompt before began with too. */
  readonly prefix: number;
  /** CPU ms of a step in the first and in the last quarter, the prompt sent and the answer stored. */
  readonly cpu: readonly [first: number, last: number];
};

async function measure(
  task: (agent: Agent) => Promise<string>,
  window: Window,
  store: SessionStore,
  compaction: AgentConfig["compaction"],
): Promise<Measured> {
  const server = await serverFor(window);
  const bodies: string[] = [];
  const times: number[] = [];
  let refused = 0;
  const model = openaiModel({
    model: "loopback",
    apiKey: "none",
    baseURL: server.baseURL,
    fetch: async (url, init) => {
      const { user, system } = process.cpuUsage();
      times.push((user + system) / 1_000);
      bodies.push(init?.body as string);
      const response = await fetch(url, init);
      if (response.status === 400) refused++;
      return response;
    },
  });
  const agent = createAgent({
    name: "keeper",
    sysPrompt: SYSTEM,
    model,
    tools: [look],
    maxIters: ROUNDS + 10,
    store,
    ...(compaction !== undefined && { compaction }),
  });
  const did = { clear: 0, summarise: 0, nothing: 0 };
  agent.subscribe((event) => void (event.type === "compaction.end" && did[event.did]++));
  const answer = await task(agent);
  await agent.close();
  server.close();
  const prompts = bodies.map(promptIn);
  const total = prompts.reduce((sum, { length }) => sum + length, 0);
  const hit = prefixShares(prompts).reduce((sum, share, index) => sum + share * prompts[index]!.length, 0);
  const steps = times.slice(1).map((time, index) => time - times[index]!);
  const quarter = steps.length >> 2;
  return {
    answer,
    requests: bodies.length,
    cleared: did.clear,
    summedUp: did.summarise,
    refused,
    tokens: Math.round(total / window.charactersPerToken),
    prefix: hit / total,
    cpu: [median(steps.slice(0, quarter)), median(steps.slice(-quarter))],
  };
}

const rows: string[] = [];
const print = (row: string): void => {
  rows.push(row);
  console.log(row);
};
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

print(
  "| task | window | characters per token | store | requests | cleared | summed up | refused | prompt tokens | prefix | CPU ms per step, first and last quarter | without, with an endless window |",
);
print("| --- | --: | --: | --- | --: | --: | --: | --: | --: | --: | --: | --: |");
for (const [name, task] of Object.entries(TASKS)) {
  const endless = { tokens: Number.MAX_SAFE_INTEGER, charactersPerToken: TOKENIZERS.finer };
  const without = await measure(task, endless, memoryStore(), false);
  for (const tokens of [8_000, 32_000]) {
    for (const charactersPerToken of Object.values(TOKENIZERS)) {
      for (const [kind, open] of Object.entries(STORES)) {
        const store = open();
        const done = await measure(task, { tokens, charactersPerToken }, store, { contextTokens: tokens });
        await store.close();
        const missing = CODES.filter((code) => !done.answer.includes(code));
        const expected = done.summedUp > 0 ? [] : [CODES[2]];
        if (missing.join() !== expected.join())
          throw new Error(
            `${name}, ${tokens}, ${charactersPerToken}, ${kind}: the answer lacks ${missing.join()}: ${done.answer}`,
          );
        const cpu = ([first, last]: Measured["cpu"]): string => `${first.toFixed(1)}, ${last.toFixed(1)}`;
        print(
          `| ${[name, tokens, charactersPerToken, kind, done.requests, done.cleared, done.summedUp, done.refused, done.tokens, percent(done.prefix), cpu(done.cpu), cpu(without.cpu)].join(" | ")} |`,
        );
      }
    }
  }
}

const MACHINE = `${process.version} on ${cpus().length} × ${cpus()[0]!.model}, load ${loadavg()[0]!.toFixed(1)} of other programs`;
if (values.write) {
  const page = `# Long conversations

A turn of ${ROUNDS} tool rounds with results of 2 KB, and a conversation of ${TURNS} turns, against a loopback server that refuses
prompts above its window. It counts tokens otherwise than the library estimates them (3.5 characters each): 17 % more or fewer. Every
run ended, and its answer has the codes that stood in the question, in an early tool result (read again with \`read_result\` if it was
cleared) and in the summary, all taken from the last request alone.

_cleared_ and _summed up_: how often. _prefix_: the share of all prompts (tools, then messages, in characters) that the prompt before
began with too, which is what a provider's cache can serve. _CPU_: ms of this process between two requests (median of the first and of the last quarter of the run),
and the same without compaction and with an endless window, on memory. Measured on a machine that other programs used too: compare
within a row.

${rows.join("\n")}

The aim at 32,000 tokens is a prefix of 95 % and at most 12 compactions, and all runs there reach both. More is hardly possible: what
is new in each round is 3 to 4 % of the prompt. After a clearing half of the room is free and only the newest results are left whole,
so that the next one is 20 to 40 rounds away and changes little that stays. The prompts for summaries ride on the prefix.
CPU of a step does not grow with the history. No prompt was refused, because the server reports what it counts;
\`test/laws/overflow.test.ts\` has servers that report nothing and refuse, in the ways of many vendors.

${MACHINE}. Run it with \`npm run bench:context\`. Kills are not in it: \`test/laws/kill/compaction.test.ts\` kills the process before
and after each append of a compaction, and compares all requests byte by byte with those of a run that lived.
`;
  writeFileSync(new URL("../docs/bench-context.md", import.meta.url), page);
}
console.log(MACHINE);
await postgres?.stop();
rmSync(folder, { recursive: true, force: true });
