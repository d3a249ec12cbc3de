import { createAgent, type ChatModel } from "agentchart";
import { cpuMicros } from "./cpu.ts";

/** Pieces of the one answer that is streamed. */
export const CHUNKS = 20_000;

const talkative: ChatModel = {
  name: "talkative",
  async *stream() {
    for (let i = 0; i < CHUNKS; i++) yield { type: "text.delta", delta: "word " };
    yield { type: "usage", usage: { inputTokens: 100, outputTokens: CHUNKS } };
    yield { type: "finish", reason: "stop" };
  },
};

const perChunk = (run: () => Promise<unknown>) => async () => (await cpuMicros(run)) / CHUNKS;

/** The model alone, read by a bare loop. */
export const bareChunks = perChunk(async () => {
  const request = { messages: [], tools: [], options: {}, execution: {} };
  let text = "";
  for await (const part of talkative.stream(request, { signal: new AbortController().signal })) {
    if (part.type === "text.delta") text += part.delta;
  }
  return text;
});

/** An agent without listeners. */
export const calledChunks = perChunk(async () => {
  const agent = createAgent({ name: "bench", model: talkative });
  await agent.call("go");
  await agent.close();
});

/** An agent with one chunk hook. */
export const hookedChunks = perChunk(async () => {
  let seen = 0;
  const hook = { name: "count", reasoningChunk: () => void seen++ };
  const agent = createAgent({ name: "bench", model: talkative, hooks: [hook] });
  await agent.call("go");
  await agent.close();
});

/** An agent whose events are read. */
export const streamedChunks = perChunk(async () => {
  const agent = createAgent({ name: "bench", model: talkative });
  let length = 0;
  for await (const event of agent.stream("go"))
    if (event.type === "block.delta") length += event.delta.length;
  await agent.close();
});
