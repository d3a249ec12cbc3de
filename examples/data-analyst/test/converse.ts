import type { Tool } from "agentchart";
import { createToolkit, type JsonObject } from "agentchart";
import { planAnswer } from "../planner/planner.ts";
import type { WireMessage } from "../planner/wire.ts";

/** One tool call of a conversation and what came back. */
export type Exchange = { readonly tool: string; readonly input: JsonObject; readonly text: string };
export type Talk = {
  readonly answer: string;
  readonly exchanges: readonly Exchange[];
  readonly said: readonly string[];
  readonly messages: readonly WireMessage[];
};

const MOST_ROUNDS = 12;

/** Lets the planner and the tools work on a question without the agent: what the agent's loop comes down to when
 *  nothing is stored, hooked or interrupted. */
export async function converse(question: string, tools: readonly Tool[]): Promise<Talk> {
  const toolkit = createToolkit({ tools: [...tools] });
  const specs = tools.map(({ name, description, inputSchema }) => ({
    type: "function" as const,
    function: { name, description, parameters: inputSchema },
  }));
  const messages: WireMessage[] = [
    { role: "system", content: "You analyse data." },
    { role: "user", content: question },
  ];
  const exchanges: Exchange[] = [];
  const said: string[] = [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const answer = planAnswer({ messages, tools: specs });
    messages.push({
      role: "assistant",
      content: answer.content,
      ...(answer.tool_calls && { tool_calls: answer.tool_calls }),
    });
    said.push(answer.content);
    if (!answer.tool_calls) return { answer: answer.content, exchanges, said, messages };
    for (const { id, function: call } of answer.tool_calls) {
      const input = JSON.parse(call.arguments) as JsonObject;
      const result = await toolkit.invoke(call.name, input);
      const text = result.output.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      exchanges.push({ tool: call.name, input, text });
      messages.push({ role: "tool", tool_call_id: id, content: text });
    }
  }
  throw new Error(`No answer after ${MOST_ROUNDS} rounds; the last one said: ${said.at(-1)}`);
}
