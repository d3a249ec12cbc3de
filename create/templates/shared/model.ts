import { textOf, toolResultsOf, type ChatModel, type ModelRequest } from "agentchart";
import { openaiModel } from "agentchart/openai";

/** An answer of a stand-in: a text, or a call of a tool. */
export type Said = string | { readonly tool: string; readonly input: object };

/** Returns the model of OPENAI_API_KEY; OPENAI_BASE_URL and MODEL choose another server and model. Without a key a stand-in answers, which
 *  understands nothing: it plays `standIn`. */
export function chooseModel(standIn: (request: ModelRequest) => Said): ChatModel {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, MODEL: model = "gpt-4.1-mini" } = process.env;
  if (apiKey || baseURL)
    return openaiModel({ model, apiKey, baseURL: baseURL ?? "https://api.openai.com/v1" });
  console.error("No OPENAI_API_KEY: a stand-in answers, which understands nothing.");
  return {
    name: "stand-in",
    async *stream(request) {
      const said = standIn(request);
      if (typeof said === "string") yield { type: "text.delta", delta: said };
      else yield { type: "tool.delta", key: 0, name: said.tool, args: JSON.stringify(said.input) };
      yield { type: "finish", reason: typeof said === "string" ? "stop" : "tool_calls" };
    },
  };
}

/** The results of tools that a model has just been sent; undefined if the user has spoken since. */
export function resultIn({ messages }: ModelRequest): string | undefined {
  const results = messages.slice(-1).flatMap(toolResultsOf);
  if (results.length === 0) return undefined;
  return results
    .flatMap(({ output }) => output.map((block) => (block.type === "text" ? block.text : "")))
    .join("\n");
}

/** The newest words of the user. */
export function wordsIn({ messages }: ModelRequest): string {
  const said = messages.findLast(({ role }) => role === "user");
  return said ? textOf(said) : "";
}
