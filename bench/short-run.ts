import { createAgent, defineTool, textOf, type AgentConfig } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { OpenAI } from "openai";
import { bareLoop } from "./bare-loop.ts";
import { cpuMicros, IS_SMOKE } from "./cpu.ts";
import { ANSWER, READ_ROOM, readRoom, SIZES, SYSTEM } from "./task.ts";

/** Runs of one sample. */
const RUNS = IS_SMOKE ? 2 : 60;
const SIZE = SIZES.small;
const baseURL = "https://models.test/v1";

type Delta = {
  readonly content?: string;
  readonly tool_calls?: readonly object[];
};

/** The body of a streamed answer. */
function bodyOf(deltas: readonly Delta[], finish_reason: string): string {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "loopback" };
  const chunks = [
    ...deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...head, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...head, choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } },
  ];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
}

const words = (text: string): readonly Delta[] => text.split(/(?<= )/).map((content) => ({ content }));
const fragment = (id: string | undefined, fields: object): Delta => ({
  tool_calls: [{ index: 0, ...(id && { id, type: "function" }), function: fields }],
});
const ASKS = bodyOf(
  [
    ...words("Reading room 1."),
    fragment("call_1", { name: READ_ROOM.name, arguments: "" }),
    ...['{"room":', '1,"unit":', '"celsius"}'].map((part) => fragment(undefined, { arguments: part })),
  ],
  "tool_calls",
);
const ANSWERS = bodyOf(words(ANSWER), "stop");

/** A server in the same process: asks for one tool, then answers. */
const server: typeof fetch = async (_, init) =>
  new Response(String(init?.body).includes('"role":"tool"') ? ANSWERS : ASKS, {
    headers: { "content-type": "text/event-stream" },
  });

const { name, description, parameters: input } = READ_ROOM;
const execute = ({ room }: { readonly [key: string]: unknown }) => readRoom(room as number, SIZE);
const tool = defineTool({ name, description, input, execute });

const perRun = (run: () => Promise<string>) => async (): Promise<number> => {
  const micros = await cpuMicros(async () => {
    for (let n = 0; n < RUNS; n++) {
      const text = await run();
      if (text !== ANSWER) throw new Error(`The task was not done: ${text}`);
    }
  });
  return micros / RUNS;
};

const client = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0, fetch: server });

/** Samples CPU µs of the same run by a bare loop. */
export const bareRuns = perRun(() => bareLoop(client, SIZE));

/** Samples CPU µs of a run of one tool round by a new agent, with what its model or its configuration has besides. */
export function shortRuns(
  read: "call" | "stream",
  options: Partial<Parameters<typeof openaiModel>[0]> = {},
  config: Partial<AgentConfig> = {},
): () => Promise<number> {
  const model = openaiModel({ model: "loopback", apiKey: "none", baseURL, fetch: server, ...options });
  return perRun(async () => {
    const agent = createAgent({ name: "bench", sysPrompt: SYSTEM, model, tools: [tool], ...config });
    let text = "";
    if (read === "call") ({ text } = await agent.call("Go."));
    else
      for await (const event of agent.stream("Go."))
        if (event.type === "turn.end" && event.reply) text = textOf(event.reply);
    await agent.close();
    return text;
  });
}
