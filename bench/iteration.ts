import { createAgent, defineTool, userMsg, type AgentConfig, type ChatModel, type Msg } from "agentchart";

const noop = defineTool({
  name: "noop",
  description: "does nothing",
  input: { type: "object" },
  execute: () => "ok",
});

/** A model that asks for one tool call `rounds` times and then answers. */
export function instantModel(rounds: number): ChatModel {
  let asked = 0;
  return {
    name: "instant",
    async *stream() {
      if (asked++ % (rounds + 1) === rounds) yield { type: "text.delta", delta: "done" };
      else yield { type: "tool.delta", key: 0, name: "noop", args: "{}" };
      yield { type: "finish", reason: "stop" };
    },
  };
}

function history(length: number): Msg[] {
  return Array.from({ length }, (_, i) => userMsg(`message ${i} ${"x".repeat(400)}`));
}

/** CPU µs of one iteration (one model call and one tool call) of a long run. */
export async function iterationMicros(
  messages: number,
  extra: Partial<AgentConfig> = {},
  rounds = 200,
): Promise<number> {
  const agent = createAgent({
    name: "bench",
    model: instantModel(rounds),
    tools: [noop],
    maxIters: rounds + 5,
    messages: history(messages),
    memory: { maxMessages: 10 },
    ...extra,
  });
  await agent.call("warm");
  await agent.call("warm");
  const before = process.cpuUsage();
  await agent.call("go");
  const { user, system } = process.cpuUsage(before);
  await agent.close();
  return (user + system) / rounds;
}

const none = { modelExecution: { timeoutMs: undefined as never }, toolExecution: {} };
const median = async (run: () => Promise<number>, times = 7): Promise<number> => {
  const all: number[] = [];
  for (let i = 0; i < times; i++) all.push(await run());
  return all.toSorted((a, b) => a - b)[Math.floor(times / 2)]!;
};
if (process.argv[1] === import.meta.filename) {
  for (const n of [10, 1000])
    console.log(n, "messages", (await median(() => iterationMicros(n))).toFixed(1), "µs/iteration");
  const hook = {
    name: "h",
    preReasoning: () => {},
    postReasoning: () => {},
    preActing: () => {},
    postActing: () => {},
  };
  console.log("4 hook points", (await median(() => iterationMicros(10, { hooks: [hook] }))).toFixed(1));
}
