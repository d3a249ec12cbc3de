import { createAgent, defineTool, type AgentConfig } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { chatCompletionsServer } from "agentchart/testing";
import { ANSWER, READ_ROOM, readRoom, ROUNDS, SIZES, SYSTEM, turnOf } from "./task.ts";

/** For each request, the share of its text with which the request before began too; 0 for the first. */
export function prefixShares(requests: readonly string[]): readonly number[] {
  return requests.map((text, index) => commonLength(requests[index - 1] ?? "", text) / text.length);
}

/** Returns the prompt in the body of a request: its tools and its messages, in the order in which providers put them together. What
 *  else it says, such as `tool_choice`, is not part of it. */
export function promptIn(body: string): string {
  const { tools = [], messages } = JSON.parse(body) as { tools?: readonly unknown[]; messages: unknown };
  return JSON.stringify([tools, messages]);
}

function commonLength(a: string, b: string): number {
  const longest = Math.min(a.length, b.length);
  for (let at = 0; at < longest; at++) if (a[at] !== b[at]) return at;
  return longest;
}

/** What a provider's cache can serve of the prompts of one task: of the median request, of the worst after the first, and of all. */
export type PrefixHits = { readonly median: number; readonly least: number; readonly all: number };

/** Runs the task once and compares its requests. */
export async function prefixHits(
  size: keyof typeof SIZES,
  config: Partial<AgentConfig> = {},
): Promise<PrefixHits> {
  const requests: string[] = [];
  const { name, description, parameters: input } = READ_ROOM;
  const execute = ({ room }: { readonly [key: string]: unknown }) => readRoom(room as number, SIZES[size]);
  let rounds = 0;
  const server = await chatCompletionsServer(() => turnOf(rounds++, SIZES[size]), { record: false });
  const model = openaiModel({
    model: "loopback",
    baseURL: server.baseURL,
    fetch: (url, init) => {
      requests.push(init?.body as string);
      return fetch(url, init);
    },
  });
  const tools = [defineTool({ name, description, input, execute })];
  const agent = createAgent({
    name: "bench",
    sysPrompt: SYSTEM,
    model,
    tools,
    maxIters: ROUNDS + 1,
    ...config,
  });
  const { text } = await agent.call("Go.");
  await agent.close();
  await server.close();
  if (text !== ANSWER) throw new Error(`The agent did not do the task: ${text}`);
  const shares = prefixShares(requests);
  const later = shares.slice(1).toSorted((a, b) => a - b);
  const total = requests.reduce((sum, { length }) => sum + length, 0);
  const hit = requests.reduce((sum, { length }, index) => sum + length * shares[index]!, 0);
  return { median: later[later.length >> 1]!, least: later[0]!, all: hit / total };
}
