import { createOpenAI } from "@ai-sdk/openai";
import { jsonSchema, stepCountIs, streamText, tool } from "ai";
import { BASE_URL, MODEL, QUESTION, READ_ROOM, readRoom, SYSTEM } from "../work.mjs";

export function start({ fetch, rounds }) {
  const model = createOpenAI({ apiKey: "none", baseURL: BASE_URL, fetch }).chat(MODEL);
  const { name, description, parameters } = READ_ROOM;
  const tools = {
    [name]: tool({
      description,
      inputSchema: jsonSchema(parameters),
      execute: async (input) => readRoom(input),
    }),
  };
  return async () => {
    const result = streamText({
      model,
      instructions: SYSTEM,
      prompt: QUESTION,
      tools,
      stopWhen: stepCountIs(rounds + 1),
      maxRetries: 0,
    });
    for await (const part of result.fullStream) if (part.type === "error") throw part.error;
    return result.text;
  };
}
