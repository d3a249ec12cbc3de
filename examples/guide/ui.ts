import { createAgent, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
// #region route
import { readChatRequest, toUIMessageChunks } from "agentchart/ui";

async function chat(agent: Agent, request: Request): Promise<Response> {
  const { text, decisions } = readChatRequest(await request.json(), agent.status().pending);
  for (const { callId, decision, argsHash } of decisions) await agent.decide(callId, decision, { argsHash });
  const chunks = toUIMessageChunks(agent.stream(text, { onLeave: "continue" }));
  const headers = { "Content-Type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" };
  const body = new ReadableStream({
    async pull(to) {
      const { value, done } = await chunks.next();
      to.enqueue(new TextEncoder().encode(`data: ${done ? "[DONE]" : JSON.stringify(value)}\n\n`));
      if (done) to.close();
    },
    cancel: async () => void (await chunks.return()),
  });
  return new Response(body, { headers });
}
// #endregion

const agent = createAgent({ name: "clerk", model: scriptedModel(["Hello."]) });
const messages = [{ role: "user", parts: [{ type: "text", text: "Hi" }] }];
const request = new Request("http://localhost/chat", { method: "POST", body: JSON.stringify({ messages }) });
const frames = (await (await chat(agent, request)).text()).split("\n\n");
console.log(frames.filter((frame) => !frame.includes("data-state")).join("\n"));
