import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from "@openai/agents";
import { OpenAI } from "openai";
import { BASE_URL, MODEL, QUESTION, READ_ROOM, readRoom, SYSTEM } from "../work.mjs";

export function start({ fetch, rounds }) {
  setTracingDisabled(true);
  const client = new OpenAI({ apiKey: "none", baseURL: BASE_URL, maxRetries: 0, fetch });
  const { name, description, parameters } = READ_ROOM;
  const agent = new Agent({
    name: "reader",
    instructions: SYSTEM,
    model: new OpenAIChatCompletionsModel(client, MODEL),
    tools: [tool({ name, description, parameters, execute: async (input) => readRoom(input) })],
  });
  return async () => {
    const result = await run(agent, QUESTION, { stream: true, maxTurns: rounds + 1 });
    for await (const _event of result);
    await result.completed;
    return result.finalOutput;
  };
}
