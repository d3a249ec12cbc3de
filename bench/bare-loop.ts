import type { OpenAI } from "openai";
import { READ_ROOM, readRoom, SYSTEM, type Size } from "./task.ts";

type Message = OpenAI.ChatCompletionMessageParam;
type Call = { id: string; name: string; args: string };

/** The least a ReAct loop can do over the `openai` client: stream, put the deltas together, run the tools at once, go round. `save`
 *  is called with each message that is new. */
export async function bareLoop(
  client: OpenAI,
  size: Size,
  save?: (message: object) => Promise<void>,
): Promise<string> {
  const messages: Message[] = [{ role: "system", content: SYSTEM }];
  const add = async (message: Message): Promise<void> => {
    messages.push(message);
    await save?.(message);
  };
  await add({ role: "user", content: "Go." });
  for (;;) {
    const { content, calls } = await ask(client, messages);
    if (calls.length === 0) {
      await add({ role: "assistant", content });
      return content;
    }
    const tool_calls = calls.map(({ id, name, args }) => ({
      id,
      type: "function" as const,
      function: { name, arguments: args },
    }));
    await add({ role: "assistant", content, tool_calls });
    const results = await Promise.all(calls.map(({ args }) => run(args, size)));
    for (const [index, content] of results.entries())
      await add({ role: "tool", tool_call_id: calls[index]!.id, content });
  }
}

async function run(args: string, size: Size): Promise<string> {
  const { room } = JSON.parse(args) as { readonly room: number };
  return readRoom(room, size);
}

async function ask(client: OpenAI, messages: Message[]) {
  const stream = await client.chat.completions.create({
    model: "loopback",
    messages,
    tools: [{ type: "function", function: READ_ROOM }],
    stream: true,
    stream_options: { include_usage: true },
  });
  const calls: Call[] = [];
  let content = "";
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta;
    content += delta?.content ?? "";
    for (const { index, id, function: part } of delta?.tool_calls ?? []) {
      const call = (calls[index] ??= { id: "", name: "", args: "" });
      call.id ||= id ?? "";
      call.name ||= part?.name ?? "";
      call.args += part?.arguments ?? "";
    }
  }
  return { content, calls };
}
