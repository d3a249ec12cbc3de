import { createAgent, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";

/** Creates an agent whose turn has this number of rounds, each a model call and a tool call. */
export function longRunner(rounds: number, inspect: string): Agent {
  const look = defineTool({
    name: "look",
    description: "Looks.",
    input: { type: "object" },
    permission: () => "allow", // judged call by call, so that the run has the state of the review
    execute: ({ at }: { at?: unknown }) => `There is nothing at ${String(at)}.`,
  });
  const turns = Array.from({ length: rounds }, (_, at) => ({
    text: `I look at ${at}.`,
    calls: [{ name: "look", input: { at } }],
    usage: { inputTokens: 1_000 + at, outputTokens: 20 },
  }));
  const model = scriptedModel([...turns, "There is nothing anywhere."]);
  return createAgent({ name: "long-run", model, tools: [look], maxIters: rounds + 1, inspect });
}
