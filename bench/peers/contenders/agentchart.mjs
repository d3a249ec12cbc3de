import { createAgent, defineTool, textOf } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { BASE_URL, MODEL, QUESTION, READ_ROOM, readRoom, SYSTEM } from "../work.mjs";

/** A new agent for each run, whose events are all read. */
export function start({ fetch, rounds }) {
  const create = agents({ fetch, rounds });
  return async () => {
    const agent = create();
    let text = "";
    for await (const event of agent.stream(QUESTION))
      if (event.type === "turn.end" && event.reply) text = textOf(event.reply);
    await agent.close();
    return text;
  };
}

/** A function that makes one agent after the other with the same model and tool. */
export function agents({ fetch, rounds }) {
  const model = openaiModel({ model: MODEL, apiKey: "none", baseURL: BASE_URL, fetch });
  const { name, description, parameters: input } = READ_ROOM;
  const tool = defineTool({ name, description, input, execute: async (values) => readRoom(values) });
  return () =>
    createAgent({
      name: "reader",
      sysPrompt: SYSTEM,
      model,
      tools: [tool],
      maxIters: rounds + 1,
      parallelToolCalls: true,
    });
}
