import { setTimeout } from "node:timers/promises";
import { createAgent, defineTool, userMsg, type AgentConfig, type ChatModel, type Msg } from "agentchart";
import { freeze } from "../src/core/base/json.ts";
import { cpuMicros } from "./cpu.ts";

export type Turns = {
  /** Tool rounds of one turn; default 50. */
  readonly rounds?: number;
  /** Turns of one sample, each by a new agent, so that the history stays as long as it is said to be. Few, so that what
   *  disturbs the box spoils some samples and not all; default 4. */
  readonly turns?: number;
  /** Each agent first rests so many ms, and its closing and a rest after it count too: all that was put off until then, also
   *  by other threads; default 0, only its turn counts. */
  readonly settles?: number;
  /** Each agent first answers one message without a tool, and then another agent takes a turn as long, both of which do not count: its
   *  first request looks at its whole history, and after that nothing of an iteration is left in the caches. */
  readonly isAcquainted?: boolean;
};

const noop = defineTool({
  name: "noop",
  description: "Does nothing.",
  input: { type: "object" },
  execute: () => "ok",
});

/** Tokens of a message of a history, and of what a round adds to the prompt, as a provider counts them: about 400 letters, and a call
 *  with its result. */
const [MESSAGE_TOKENS, ROUND_TOKENS] = [64, 30];

/** Asks for one tool call in each round of a turn, then answers; with `answers` it has answered so many times before. It reports
 *  what a prompt of its length has, without reading it: a count that cannot be would be replaced by one of the agent's own. */
function instantModel(rounds: number, history: number, answers = 0): ChatModel {
  let asked = -answers;
  return {
    name: "instant",
    async *stream() {
      const isAnswer = asked < 0 || asked === rounds;
      asked++;
      if (isAnswer) yield { type: "text.delta", delta: "done" };
      else yield { type: "tool.delta", key: 0, name: "noop", args: "{}" };
      const inputTokens = 100 + history * MESSAGE_TOKENS + (asked + answers) * ROUND_TOKENS;
      yield { type: "usage", usage: { inputTokens, outputTokens: 10 } };
      yield { type: "finish", reason: "stop" };
    },
  };
}

/** Messages that another agent had, and that agents may share: a copy for each would be collected while the iterations are measured. */
function historyOf(length: number): readonly Msg[] {
  return freeze(Array.from({ length }, (_, i) => userMsg(`message ${i} ${"x".repeat(400)}`)));
}

/** Samples CPU µs of one iteration: a model call and a tool call. */
export function iterations(
  history: number,
  config: Partial<AgentConfig>,
  { rounds = 50, turns = 4, settles = 0, isAcquainted = false }: Turns = {},
): () => Promise<number> {
  const messages = historyOf(history);
  const shared = { name: "bench", tools: [noop], maxIters: rounds + 1, ...config };
  const otherTurn = async (): Promise<void> => {
    const other = createAgent({ ...shared, model: instantModel(rounds, 0) });
    await other.call("go");
    await other.close();
  };
  return async () => {
    let micros = 0;
    for (let turn = 0; turn < turns; turn++) {
      const agent = createAgent({
        ...shared,
        model: instantModel(rounds, history, isAcquainted ? 1 : 0),
        messages,
      });
      if (isAcquainted) await agent.call("hello").then(otherTurn);
      if (settles > 0) await setTimeout(settles);
      micros += await cpuMicros(async () => {
        await agent.call("go");
        if (settles > 0) await agent.close().then(() => setTimeout(settles));
      });
      await agent.close();
    }
    return micros / (turns * rounds);
  };
}
