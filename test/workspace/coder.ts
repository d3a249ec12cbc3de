import { createAgent, type JsonObject, type ToolResultBlock } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { resultsOf } from "../support/agents.ts";
import { agentScopeTools, codingTools, type Workspace } from "agentchart/workspace";

export type Call = readonly [name: string, input: JsonObject];

/** An agent with the tools of a workspace, in one session; each call is an answer of the model, one after the other. */
export function coder(workspace: Workspace) {
  const script: Call[] = [];
  const model = {
    ...scriptedModel([]),
    stream: ((request, signal) => {
      const next = script.shift();
      const turn = next ? { calls: [{ name: next[0], input: next[1] }] } : "end";
      return scriptedModel([turn]).stream(request, signal);
    }) satisfies ReturnType<typeof scriptedModel>["stream"],
  };
  const tools = [...codingTools({ workspace }), ...agentScopeTools({ workspace })];
  const agent = createAgent({ name: "coder", model, tools, maxIters: 50 });
  /** The results of these calls. */
  const run = async (...calls: readonly Call[]): Promise<readonly ToolResultBlock[]> => {
    const before = (await agent.messages()).length;
    script.push(...calls);
    await agent.call("go");
    return resultsOf((await agent.messages()).slice(before));
  };
  /** The texts of the results of these calls. */
  const texts = async (...calls: readonly Call[]): Promise<readonly string[]> =>
    (await run(...calls)).map(textOf);
  return { agent, run, texts };
}

export const textOf = ({ output }: ToolResultBlock): string =>
  output.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("");
