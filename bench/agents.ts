import {
  createAgent,
  defineTool,
  type Agent,
  type ChatModel,
  type SessionStore,
  type StreamPart,
} from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { agentTool } from "agentchart/team";
import { cpuMicros, inTurns, IS_SMOKE, median } from "./cpu.ts";
import { benchOptions } from "./options.ts";

benchOptions(
  `Measures the CPU of calls of an agent by an agent, one after the other and at once.

Usage: npm run bench:agents

  --help  prints this`,
  {},
);

/** Calls of an agent, one after the other, in one turn of its parent. */
const CALLS = 10;
/** Calls of an agent that run at once. */
const AT_ONCE = 50;
/** How long a model call takes where the calls run at once, ms. */
const MODEL_MS = 20;

/** A model that asks `rounds` times for the tool, `width` calls each time, and then answers. */
function modelOf(tool: string, rounds: number, width = 1, delayMs = 0): ChatModel {
  return {
    name: "model",
    async *stream({ messages }): AsyncGenerator<StreamPart> {
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      const done = messages.filter(({ role }) => role === "tool").length;
      if (done < rounds * width) {
        const args = '{"message":"go"}';
        for (let key = 0; key < width; key++) yield { type: "tool.delta", key, name: tool, args };
        yield { type: "finish", reason: "tool_calls" };
      } else {
        yield { type: "text.delta", delta: "Done." };
        yield { type: "finish", reason: "stop" };
      }
    },
  };
}

const work = defineTool({
  name: "work",
  description: "Works.",
  input: { type: "object" },
  idempotent: true,
  execute: () => "ok",
});
const worker = (delayMs = 0) =>
  agentTool({ agent: { name: "worker", model: modelOf("work", 1, 1, delayMs), tools: [work] } });
const stored = (store: SessionStore | undefined) => store && { store };

/** A call of an agent is a round of the parent and a turn with a tool call: three model calls. */
const nested = (store?: SessionStore): Agent =>
  createAgent({
    name: "desk",
    model: modelOf("call_worker", CALLS),
    tools: [worker()],
    maxIters: CALLS + 1,
    ...stored(store),
  });

/** The same number of model calls, all of the parent, with a tool call after each. */
const alone = (store?: SessionStore): Agent =>
  createAgent({
    name: "desk",
    model: modelOf("work", 3 * CALLS),
    tools: [work],
    maxIters: 3 * CALLS + 1,
    ...stored(store),
  });

const parallel = (width: number): Agent =>
  createAgent({
    name: "desk",
    model: modelOf("call_worker", 1, width),
    tools: [worker(MODEL_MS)],
    parallelToolCalls: true,
  });

const cpuOf = (create: () => Agent) => async (): Promise<number> => {
  const agent = create();
  const micros = await cpuMicros(() => agent.call("go"));
  await agent.close();
  return micros;
};
const timeOf = (create: () => Agent) => async (): Promise<number> => {
  const agent = create();
  const from = performance.now();
  await agent.call("go");
  const ms = performance.now() - from;
  await agent.close();
  return ms;
};

const cpu = await inTurns(
  {
    alone: cpuOf(() => alone()),
    nested: cpuOf(() => nested()),
    aloneStored: cpuOf(() => alone(memoryStore())),
    nestedStored: cpuOf(() => nested(memoryStore())),
    one: cpuOf(() => parallel(1)),
    many: cpuOf(() => parallel(AT_ONCE)),
  },
  { samples: 21, warmUpMs: 1_000 },
);
const time = await inTurns(
  { one: timeOf(() => parallel(1)), many: timeOf(() => parallel(AT_ONCE)) },
  { samples: 11, warmUpMs: 50 },
);

const ratio = (samples: readonly number[], to: readonly number[]): string =>
  (Math.min(...samples) / Math.min(...to)).toFixed(2);
const perCall = (samples: readonly number[]): string => (Math.min(...samples) / CALLS).toFixed(0);

console.log(
  `CPU of a call of an agent with two model calls and a tool call, beside three rounds of the parent:`,
);
console.log(`  without a store ${ratio(cpu.nested, cpu.alone)} times (${perCall(cpu.nested)} µs)`);
console.log(
  `  with a store ${ratio(cpu.nestedStored, cpu.aloneStored)} times (${perCall(cpu.nestedStored)} µs)`,
);
console.log(`${AT_ONCE} calls at once, with model calls of ${MODEL_MS} ms, beside one:`);
console.log(
  `  time ${(median(time.many) / median(time.one)).toFixed(2)} times, CPU ${ratio(cpu.many, cpu.one)} times`,
);

/** Calls at once must not wait for each other. */
if (!IS_SMOKE && median(time.many) > 10 * median(time.one)) process.exitCode = 1;
