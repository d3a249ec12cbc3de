import { setTimeout as sleep } from "node:timers/promises";
import type { ChatModel, JsonObject, Msg, StreamPart } from "agentchart";

/** One answer of the plan: its reasoning, text and tool calls. */
export type Answer = {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: JsonObject }[];
};

/** Splits a string into pieces of the size of tokens. */
function* pieces(text: string): Generator<string> {
  for (const [piece] of text.matchAll(/\s*\S{1,6}/g)) yield piece;
}

function* partsOf({ thinking = "", text = "", calls = [] }: Answer): Generator<StreamPart> {
  for (const delta of pieces(thinking)) yield { type: "thinking.delta", delta };
  for (const delta of pieces(text)) yield { type: "text.delta", delta };
  for (const [key, { name, input }] of calls.entries()) {
    yield { type: "tool.delta", key, name, args: "" };
    for (const args of pieces(JSON.stringify(input))) yield { type: "tool.delta", key, args };
  }
}

/** Returns how often the model has answered since the last user message. */
function roundOf(messages: readonly Msg[]): number {
  const lastUserMessage = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(lastUserMessage + 1).filter(({ role }) => role === "assistant").length;
}

/**
 * Creates a scripted model that gives the answers of a plan in order, at the speed of a language model. After
 * the last answer it says that the script has ended.
 */
export function plannedModel(
  name: string,
  plan: readonly Answer[],
  { tokensPerSecond = 40 }: { readonly tokensPerSecond?: number } = {},
): ChatModel {
  const atEnd: Answer = {
    text: "This is the end of the script. Restart the demo to see it again.",
  };
  return {
    name,
    async *stream({ messages }, { signal }) {
      const isFollowUp = messages.filter(({ role }) => role === "user").length > 1;
      const answer = isFollowUp ? atEnd : (plan[roundOf(messages)] ?? atEnd);
      await sleep(400, undefined, { signal });
      let outputTokens = 0;
      for (const part of partsOf(answer)) {
        await sleep(1_000 / tokensPerSecond, undefined, { signal });
        outputTokens++;
        yield part;
      }
      const inputTokens = Math.round(JSON.stringify(messages).length / 4);
      yield { type: "usage", usage: { inputTokens, outputTokens } };
      yield { type: "finish", reason: answer.calls ? "tool_calls" : "stop" };
    },
  };
}
