import { createToolkit, type JsonObject, type Tool } from "agentchart";
import type { ChatCompletionsMessage, ChatCompletionsToolCall } from "agentchart/testing";
import { standInAnswer } from "../stand-in/stand-in.ts";

/** One tool call of a conversation and what came back. */
export type Exchange = { readonly tool: string; readonly input: JsonObject; readonly text: string };
export type Talk = { readonly answer: string; readonly exchanges: readonly Exchange[] };

const MOST_ROUNDS = 12;

/** Lets the stand-in and the tools work on a question without the agent: what the agent's loop comes down to when nothing
 *  is stored, hooked or interrupted. */
export async function converse(question: string, tools: readonly Tool[]): Promise<Talk> {
  const toolkit = createToolkit({ tools: [...tools] });
  const specs = tools.map(({ name }) => ({ type: "function" as const, function: { name } }));
  const messages: ChatCompletionsMessage[] = [{ role: "user", content: question }];
  const exchanges: Exchange[] = [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { content, tool_calls = [] } = standInAnswer({ model: "m", messages, tools: specs });
    if (tool_calls.length === 0) return { answer: content ?? "", exchanges };
    const calls = tool_calls.map(({ function: asked }, index): ChatCompletionsToolCall => {
      return { id: `${round}.${index}`, type: "function", function: asked };
    });
    messages.push({ role: "assistant", content: content ?? null, tool_calls: calls });
    for (const { id, function: call } of calls) {
      const input = JSON.parse(call.arguments) as JsonObject;
      const { output } = await toolkit.invoke(call.name, input);
      const text = output.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      exchanges.push({ tool: call.name, input, text });
      messages.push({ role: "tool", tool_call_id: id, content: text });
    }
  }
  throw new Error(`No answer after ${MOST_ROUNDS} rounds.`);
}
