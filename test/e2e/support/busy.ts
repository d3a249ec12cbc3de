import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, defineTool, type Agent, type ChatModel } from "agentchart";

/** Creates an agent that takes about 20 steps a second and streams words, until it is interrupted. A longer pause of its tool
 *  makes it slower. */
export function busyAgent(inspect: string, pauseMs = 40): Agent {
  const pause = defineTool({
    name: "pause",
    description: "Waits a little.",
    input: { type: "object" },
    execute: async () => {
      await sleep(pauseMs);
      return "ok";
    },
  });
  const model: ChatModel = {
    name: "talker",
    async *stream() {
      for (let word = 0; word < 10; word++) {
        await sleep(3);
        yield { type: "text.delta", delta: `word${word} ` };
      }
      yield { type: "tool.delta", key: 0, name: "pause", args: "{}" };
      yield { type: "finish", reason: "tool_calls" };
    },
  };
  return createAgent({ name: "busy", model, tools: [pause], maxIters: 10_000, inspect });
}
