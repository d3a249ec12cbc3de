import { createAgent, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
// #region route
import { readChatRequest, toUIMessageChunks } from "agentchart/ui";

async function chat(agent: Agent, request: Request): Promise<Response> {
  const { text, decisions } = readChatRequest(await request.json(), agent.status().pending);
  for (const { callId, decision, argsHash } of decisions) await agent.decide(callId, decision, { argsHash });
  const chunks = toUIMessageChunks(agent.stream(text, { onLeave: "continue" }));
  const frames = async function* () {
    for await (const chunk of chunks) yield `data: ${JSON.stringify(chunk)}\n\n`;
    yield "data: [DONE]\n\n";
  };
  const headers = { "Content-Type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" };
  return new Response(ReadableStream.from(frames()).pipeThrough(new TextEncoderStream()), { headers });
}
// #endregion

const agent = createAgent({ name: "clerk", model: scriptedModel(["Hello."]) });
const messages = [{ role: "user", parts: [{ type: "text", text: "Hi" }] }];
const request = new Request("http://localhost/chat", { method: "POST", body: JSON.stringify({ messages }) });
const frames = (await (await chat(agent, request)).text()).split("\n\n");
console.log(frames.filter((frame) => !frame.includes("data-state")).join("\n"));
