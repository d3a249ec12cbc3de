import {
  textOf,
  toolResultsOf,
  toolUsesOf,
  type ChatModel,
  type JsonObject,
  type Msg,
  type StreamPart,
} from "agentchart";
import { decide, type Step } from "./decide.ts";

/** The tool results since the customer's last message. */
function stepsOf(turn: readonly Msg[]): readonly Step[] {
  const results = new Map(turn.flatMap(toolResultsOf).map((result) => [result.id, result]));
  return turn.flatMap(toolUsesOf).flatMap(({ id, name, input }): Step[] => {
    const result = results.get(id);
    if (!result) return [];
    const text = result.output.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    return [{ tool: name, input, isDone: result.state === "success", text }];
  });
}

/** A model without a language model: rules over the conversation only, so that the same conversation always gets the same
 *  answer, in any process. */
export function clerkModel(): ChatModel {
  return {
    name: "clerk",
    async *stream({ messages }): AsyncGenerator<StreamPart> {
      const asked = messages.findLastIndex(({ role }) => role === "user");
      const customer = messages.filter(({ role }) => role === "user").map(textOf);
      const { say, call } = decide(customer, stepsOf(messages.slice(asked + 1)));
      for (const word of say.split(/(?<= )/)) yield { type: "text.delta", delta: word };
      if (call) yield* callParts(call, messages.length);
      yield { type: "finish", reason: call ? "tool_calls" : "stop" };
    },
  };
}

function* callParts(call: { readonly tool: string; readonly input: JsonObject }, at: number) {
  const id = `call_${at}`;
  yield { type: "tool.delta", key: id, id, name: call.tool, args: JSON.stringify(call.input) } as const;
}
