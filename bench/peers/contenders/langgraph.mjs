import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { BASE_URL, MODEL, QUESTION, READ_ROOM, readRoom, SYSTEM } from "../work.mjs";

export function start({ fetch, rounds }) {
  const model = new ChatOpenAI({
    model: MODEL,
    apiKey: "none",
    maxRetries: 0,
    streaming: true,
    configuration: { baseURL: BASE_URL, fetch },
  });
  const { name, description, parameters: schema } = READ_ROOM;
  const tools = [tool(async (input) => readRoom(input), { name, description, schema })];
  const agent = createAgent({ model, tools, systemPrompt: SYSTEM });
  return async () => {
    const input = { messages: [{ role: "user", content: QUESTION }] };
    const options = { streamMode: ["messages", "values"], recursionLimit: 3 * rounds + 10 };
    let last;
    for await (const [mode, value] of await agent.stream(input, options))
      if (mode === "values") last = value.messages.at(-1);
    return last.text;
  };
}
