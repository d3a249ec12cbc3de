import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, defineTool, type Agent, type ChatModel } from "agentchart";
import { stepsOf } from "../../../src/agent/steps.ts";

/** The words of each answer. */
const WORDS = 3;

/** Creates an agent that streams words and calls a tool, again and again, until it is interrupted. Its model and its tool wait so long
 *  that its chart takes this number of steps a second: it is late when the machine is, and then catches up. */
export function busyAgent(inspect: string, stepsPerSecond = 20): Agent {
  let steps = 0;
  let begun = 0;
  const untilDue = async (): Promise<void> => {
    begun ||= performance.now();
    await sleep(Math.max(0, begun + (steps / stepsPerSecond) * 1_000 - performance.now()));
  };
  const pause = defineTool({
    name: "pause",
    description: "Waits a little.",
    input: { type: "object" },
    execute: async () => {
      await untilDue();
      return "ok";
    },
  });
  const model: ChatModel = {
    name: "talker",
    async *stream() {
      await untilDue();
      for (let word = 0; word < WORDS; word++) {
        await sleep(1);
        yield { type: "text.delta", delta: `word${word} ` };
      }
      yield { type: "tool.delta", key: 0, name: "pause", args: "{}" };
      yield { type: "finish", reason: "tool_calls" };
    },
  };
  const agent = createAgent({ name: "busy", model, tools: [pause], maxIters: 100_000, inspect });
  stepsOf(agent).subscribe(() => steps++);
  return agent;
}
