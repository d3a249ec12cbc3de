import { OpenAI } from "openai";
import { BASE_URL, MODEL, QUESTION, READ_ROOM, readRoom, SYSTEM } from "../work.mjs";

/** The least a ReAct loop can do over the `openai` client. */
export function start({ fetch }) {
  const client = new OpenAI({ apiKey: "none", baseURL: BASE_URL, maxRetries: 0, fetch });
  return async () => {
    const messages = [
      { role: "system", content: SYSTEM },
      { role: "user", content: QUESTION },
    ];
    for (;;) {
      const { content, calls } = await ask(client, messages);
      if (calls.length === 0) return content;
      messages.push({
        role: "assistant",
        content,
        tool_calls: calls.map(({ id, name, input }) => ({
          id,
          type: "function",
          function: { name, arguments: input },
        })),
      });
      const results = await Promise.all(calls.map(async ({ input }) => readRoom(JSON.parse(input))));
      calls.forEach(({ id }, index) =>
        messages.push({ role: "tool", tool_call_id: id, content: results[index] }),
      );
    }
  };
}

async function ask(client, messages) {
  const stream = await client.chat.completions.create({
    model: MODEL,
    messages,
    tools: [{ type: "function", function: READ_ROOM }],
    stream: true,
    stream_options: { include_usage: true },
  });
  const calls = [];
  let content = "";
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta;
    content += delta?.content ?? "";
    for (const { index, id, function: part } of delta?.tool_calls ?? []) {
      const call = (calls[index] ??= { id: "", name: "", input: "" });
      call.id ||= id ?? "";
      call.name ||= part?.name ?? "";
      call.input += part?.arguments ?? "";
    }
  }
  return { content, calls };
}
