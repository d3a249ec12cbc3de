import { fork } from "node:child_process";
import { join } from "node:path";
import { createAgent, defineTool } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { OpenAI } from "openai";
import { bareLoop } from "./bare-loop.ts";
import { cpuMicros, inTurns } from "./cpu.ts";
import { ANSWER, READ_ROOM, readRoom, ROUNDS, SIZES, SYSTEM } from "./task.ts";

/** CPU ms of the same task by a bare loop and by an agent, over one client and one server in a child process. */
export async function loopback(
  size: keyof typeof SIZES,
  options: { readonly samples: number; readonly warmUp: number },
): Promise<{ readonly bare: readonly number[]; readonly agent: readonly number[] }> {
  const child = fork(join(import.meta.dirname, "loopback-server.ts"), [size]);
  const baseURL = await new Promise<string>((resolve, reject) => {
    child.once("message", (url) => resolve(url as string));
    child.once("exit", (code) => reject(new Error(`The loopback server ended with ${code}.`)));
  });
  const client = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0 });
  const { name, description, parameters: input } = READ_ROOM;
  const execute = ({ room }: { readonly [key: string]: unknown }) => readRoom(room as number, SIZES[size]);
  const tool = defineTool({ name, description, input, execute });

  const agent = async (): Promise<void> => {
    const model = openaiModel({ model: "loopback", apiKey: "none", baseURL });
    const reader = createAgent({
      name: "bench",
      sysPrompt: SYSTEM,
      model,
      tools: [tool],
      maxIters: ROUNDS + 1,
    });
    const { text, turn } = await reader.call("Go.");
    if (text !== ANSWER || turn.toolCalls !== ROUNDS)
      throw new Error(`The agent did not do the task: ${text}`);
    await reader.close();
  };
  const bare = async (): Promise<void> => {
    const text = await bareLoop(client, SIZES[size]);
    if (text !== ANSWER) throw new Error(`The bare loop did not do the task: ${text}`);
  };
  const millis = (run: () => Promise<void>) => async () => (await cpuMicros(run)) / 1_000;
  try {
    return await inTurns({ bare: millis(bare), agent: millis(agent) }, options);
  } finally {
    child.disconnect();
  }
}
