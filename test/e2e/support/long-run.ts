import { createAgent, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";

/** Creates an agent whose turn has this number of rounds, each a model call and a tool call; with `turns` it has so many of such turns. */
export function longRunner(rounds: number, inspect: string, turns = 1): Agent {
  const look = defineTool({
    name: "look",
    description: "Looks.",
    input: { type: "object" },
    permission: () => "allow", // judged call by call, so that the run has the state of the review
    execute: ({ at }: { at?: unknown }) => `There is nothing at ${String(at)}.`,
  });
  const turn = (first: number) => [
    ...Array.from({ length: rounds }, (_, index) => ({
      text: `I look at ${first + index}.`,
      calls: [{ name: "look", input: { at: first + index } }],
      usage: { inputTokens: 1_000 + first + index, outputTokens: 20 },
    })),
    "There is nothing anywhere.",
  ];
  const model = scriptedModel(Array.from({ length: turns }, (_, at) => turn(at * rounds)).flat());
  return createAgent({ name: "long-run", model, tools: [look], maxIters: rounds + 1, inspect });
}
