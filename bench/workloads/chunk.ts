import { createAgent } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { OpenAI } from "openai";
import { cpuMicros, IS_SMOKE } from "../cpu.ts";
import { inPieces } from "../in-process.ts";
import type { Workload } from "../workload.ts";

/** Pieces of the one answer that is streamed. */
const CHUNKS = IS_SMOKE ? 20 : 4_000;
const LENGTH = CHUNKS * "word ".length - 1;

const fetch = inPieces({ content: Array(CHUNKS).fill("word").join(" ") });
const baseURL = "https://models.test/v1";
const client = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0, fetch });
const model = openaiModel({ model: "loopback", baseURL, fetch });

/** Samples CPU µs of a chunk, by what reads an answer and returns how long it was. */
const perChunk = (read: () => Promise<number>) => async (): Promise<number> => {
  let length = 0;
  const micros = await cpuMicros(async () => (length = await read()));
  if (length !== LENGTH) throw new Error(`${length} of ${LENGTH} characters were read.`);
  return micros / CHUNKS;
};

async function bare(): Promise<number> {
  const messages = [{ role: "user", content: "Go." }] as const;
  const stream = await client.chat.completions.create({
    model: "loopback",
    messages: [...messages],
    stream: true,
    stream_options: { include_usage: true },
  });
  let length = 0;
  for await (const { choices } of stream) length += choices[0]?.delta.content?.length ?? 0;
  return length;
}

async function called(): Promise<number> {
  const agent = createAgent({ name: "bench", model });
  const { text } = await agent.call("Go.");
  await agent.close();
  return text.length;
}

async function hooked(): Promise<number> {
  let length = 0;
  const hook = {
    name: "count",
    reasoningChunk: ({ delta }: { delta: string }) => void (length += delta.length),
  };
  const agent = createAgent({ name: "bench", model, hooks: [hook] });
  await agent.call("Go.");
  await agent.close();
  return length;
}

async function streamed(): Promise<number> {
  const agent = createAgent({ name: "bench", model });
  let length = 0;
  for await (const event of agent.stream("Go."))
    if (event.type === "block.delta") length += event.delta.length;
  await agent.close();
  return length;
}

/** One chunk of a streamed answer. */
export async function chunk(): Promise<Workload> {
  return {
    title: "One streamed chunk",
    text: `An answer of ${CHUNKS.toLocaleString("en")} chunks that arrive one by one from a \`fetch\` within the process. The bare loop reads them by the \`openai\`
package.`,
    unit: "µs",
    digits: 2,
    reference: "bare loop",
    variants: {
      "bare loop": { run: perChunk(bare) },
      "`agent.call`": { run: perChunk(called) },
      "`agent.call` with a chunk hook": { run: perChunk(hooked) },
      "`agent.stream`, all events read": {
        run: perChunk(streamed),
        aim: 0.8,
        why: "each chunk is an event, and a step of the reader's loop",
      },
    },
    sampling: { samples: 25, warmUpMs: 2_000, sampleMs: 250 },
  };
}
