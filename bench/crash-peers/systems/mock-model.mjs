// The scripted model as a model of the AI SDK, which Mastra takes too.
import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { callId, modelSays } from "../world.mjs";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

function partsOf(scope, prompt) {
  const last = prompt.findLastIndex(
    ({ role, content }) => role === "user" && content.some(({ text }) => /order/u.test(text ?? "")),
  );
  const results = prompt
    .slice(last)
    .filter(({ role }) => role === "tool")
    .flatMap(({ content }) => content)
    .filter(({ type }) => type === "tool-result")
    .map(({ toolName, output }) => ({
      name: toolName.replace(/^agent-/u, ""),
      text: JSON.stringify(output),
    }));
  const made = prompt.flatMap(({ role, content }) => (role === "tool" ? content : [])).length;
  return { made, ...modelSays(prompt[last].content.map(({ text }) => text ?? "").join(""), results) };
}

export function mockModel(scope, toolName = (name) => name, argsOf = (_, args) => args) {
  const contentOf = ({ prompt }) => {
    const { text, calls, made } = partsOf(scope, prompt);
    return calls.length === 0
      ? [{ type: "text", text }]
      : calls.map(({ name, args }, index) => ({
          type: "tool-call",
          toolCallId: callId(scope, made + index),
          toolName: toolName(name),
          input: JSON.stringify(argsOf(name, args)),
        }));
  };
  const reasonOf = ([{ type }]) => ({ unified: type === "text" ? "stop" : "tool-calls", raw: undefined });
  return new MockLanguageModelV4({
    doGenerate: async (options) => {
      const content = contentOf(options);
      return { content, finishReason: reasonOf(content), usage, warnings: [] };
    },
    doStream: async (options) => {
      const content = contentOf(options);
      const chunks = content.flatMap((part) =>
        part.type === "tool-call"
          ? [part]
          : [
              { type: "text-start", id: "text" },
              { type: "text-delta", id: "text", delta: part.text },
              { type: "text-end", id: "text" },
            ],
      );
      return {
        stream: simulateReadableStream({
          chunks: [
            { type: "stream-start", warnings: [] },
            ...chunks,
            { type: "finish", finishReason: reasonOf(content), usage },
          ],
        }),
      };
    },
  });
}
