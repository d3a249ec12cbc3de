// Runs an agent for the tests until SIGUSR2, or for the number of rounds in the third argument.
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, defineTool, type ChatModel } from "agentchart";

const [address = "", sessionId = "", rounds = "1000000"] = process.argv.slice(2);
let calls = 0;
let isOver = false;
process.on("SIGUSR2", () => (isOver = true));
const model: ChatModel = {
  name: "slow",
  async *stream() {
    await sleep(30);
    if (isOver || calls === Number(rounds)) {
      yield { type: "text.delta", delta: "Done." };
      yield { type: "finish", reason: "stop" };
      return;
    }
    calls += 1;
    yield { type: "text.delta", delta: `Round ${calls}. ` };
    yield { type: "tool.delta", key: 0, id: `c${calls}`, name: "tick", args: "{}" };
    yield { type: "finish", reason: "tool_calls" };
  },
};
let ticks = 0;
const tick = defineTool({
  name: "tick",
  description: "Counts.",
  input: { type: "object" },
  execute: () => String((ticks += 1)),
});
const agent = createAgent({
  name: "clockwork",
  model,
  tools: [tick],
  maxIters: 2_000_000,
  sessionId,
  inspect: address,
});
const reply = await agent.call("Count.");
console.log(JSON.stringify({ text: reply.text, calls, ticks }));
await agent.close();
