import { setTimeout as sleep } from "node:timers/promises";
import type { ChatModel, JsonObject, Msg, StreamPart } from "agentchart";

/** One answer of the plan: what is thought, said and asked for. */
export type Answer = {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: JsonObject }[];
};

/** Pieces of a text, as tokens come. */
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

/** How often the model has answered since the user last spoke. */
function roundOf(messages: readonly Msg[]): number {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(asked + 1).filter(({ role }) => role === "assistant").length;
}

/** A model that follows a plan, round by round, at the pace of a real one; it is not a language model. Beyond its plan it
 *  says so. */
export function plannedModel(
  name: string,
  plan: readonly Answer[],
  { tokensPerSecond = 40 }: { readonly tokensPerSecond?: number } = {},
): ChatModel {
  const beyond: Answer = {
    text: "My plan ends here: I am a script. Start the demo again to see it once more.",
  };
  return {
    name,
    async *stream({ messages }, { signal }) {
      const isFollowUp = messages.filter(({ role }) => role === "user").length > 1;
      const answer = isFollowUp ? beyond : (plan[roundOf(messages)] ?? beyond);
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
