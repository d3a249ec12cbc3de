import type { Tiktoken } from "@dqbd/tiktoken";
import type { ChatCompletionsAnswer, ChatCompletionsRequest, ChatCompletionsUsage } from "agentchart/testing";

/** Runs without a word break cost the tokenizer quadratic time; cut at this length they cost what words do. */
const LONGEST_RUN = 512;
const TOKENS_PER_MESSAGE = 4;

/** Counts as OpenAI's recent models do (o200k_base); the framing of messages and tools is an estimate. */
export type TokenCounter = {
  usage(request: ChatCompletionsRequest, answer: ChatCompletionsAnswer): ChatCompletionsUsage;
  free(): void;
};

function count(encoding: Tiktoken, text: string): number {
  const pieces = text.match(new RegExp(`\\S{${LONGEST_RUN}}|[^]{1,${LONGEST_RUN * 16}}`, "g")) ?? [];
  return pieces.reduce((sum, piece) => sum + encoding.encode(piece, [], []).length, 0);
}

function contentText(content: ChatCompletionsRequest["messages"][number]["content"]): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n");
}

/** Loads the tokenizer. What was counted before is remembered, so a long conversation costs what is new in it. */
export async function createTokenCounter(): Promise<TokenCounter> {
  const { get_encoding } = await import("@dqbd/tiktoken");
  const encoding = get_encoding("o200k_base");
  const known = new Map<string, number>();
  const tokens = (text: string): number => {
    let counted = known.get(text);
    if (counted === undefined) known.set(text, (counted = count(encoding, text)));
    return counted;
  };
  const callTokens = (calls: ChatCompletionsAnswer["tool_calls"]): number =>
    (calls ?? []).reduce((sum, { function: call }) => sum + tokens(call.name) + tokens(call.arguments), 0);
  return {
    usage: ({ messages, tools = [] }, answer) => ({
      prompt_tokens:
        tools.reduce((sum, tool) => sum + tokens(JSON.stringify(tool.function)), 0) +
        messages.reduce(
          (sum, message) =>
            sum + TOKENS_PER_MESSAGE + tokens(contentText(message.content)) + callTokens(message.tool_calls),
          0,
        ),
      completion_tokens: tokens(answer.content ?? "") + callTokens(answer.tool_calls),
    }),
    free: () => encoding.free(),
  };
}
