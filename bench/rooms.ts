import { createAgent, defineTool, textOf, type AgentConfig } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { OpenAI } from "openai";
import { bareLoop } from "./bare-loop.ts";
import { cpuMicros } from "./cpu.ts";
import { ANSWER, READ_ROOM, readRoom, SIZES, SYSTEM, type Size } from "./task.ts";

/** The server that bare loops and agents ask: an address, a `fetch` that answers in this process, or both. */
export type Server = {
  readonly baseURL?: string;
  readonly fetch?: typeof fetch;
  /** Called before each run. */
  readonly restart?: () => void;
};

/** Reads rooms once: by a bare loop or by a new agent. Resolves with what is said at the end. */
export type Run = () => Promise<string>;

const { name, description, parameters: input } = READ_ROOM;

/** Returns the tool that reads a room. */
export function roomTool(size: Size): ReturnType<typeof defineTool> {
  const execute = ({ room }: { readonly [key: string]: unknown }) => readRoom(room as number, size);
  return defineTool({ name, description, input, execute });
}

const LOCAL = "https://models.test/v1";

/** A bare loop over a client of the `openai` package. */
export function byBareLoop(
  { baseURL = LOCAL, fetch, restart }: Server,
  size: Size,
  save?: (message: object) => Promise<void>,
): Run {
  const client = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0, ...(fetch && { fetch }) });
  return async () => {
    restart?.();
    return bareLoop(client, size, save);
  };
}

export type AgentRun = {
  readonly read?: "call" | "stream";
  readonly transport?: "fetch" | "openai";
  readonly rounds: number;
  /** Called for each run. */
  readonly config?: () => Partial<AgentConfig>;
};

/** A new agent, which is closed at the end. */
export function byAgent(
  { baseURL = LOCAL, fetch, restart }: Server,
  size: Size,
  { read = "call", transport = "fetch", rounds, config }: AgentRun,
): Run {
  const model = openaiModel({
    model: "loopback",
    apiKey: "none",
    baseURL,
    transport,
    ...(fetch && { fetch }),
  });
  const shared = { name: "bench", sysPrompt: SYSTEM, model, tools: [roomTool(size)], maxIters: rounds + 1 };
  return async () => {
    restart?.();
    const agent = createAgent({ ...shared, ...config?.() });
    let text = "";
    if (read === "call") ({ text } = await agent.call("Go."));
    else
      for await (const event of agent.stream("Go."))
        if (event.type === "turn.end" && event.reply) text = textOf(event.reply);
    await agent.close();
    return text;
  };
}

/** Samples CPU µs of a run, by `times` of them one after the other. Throws if one did not do the task. */
export function perRun(run: Run, times = 1): () => Promise<number> {
  return async () => {
    const micros = await cpuMicros(async () => {
      for (let count = 0; count < times; count++) {
        const text = await run();
        if (text !== ANSWER) throw new Error(`The task was not done: ${text}`);
      }
    });
    return micros / times;
  };
}

/** As {@link perRun}, in ms. */
export function millisPerRun(run: Run): () => Promise<number> {
  const micros = perRun(run);
  return async () => (await micros()) / 1_000;
}

export { SIZES };
