import { createAgent, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
// #region route
import { readRunInput, toAgUiEvents } from "agentchart/ui";

async function run(agent: Agent, request: Request): Promise<Response> {
  const { threadId, runId, text, decisions } = readRunInput(await request.json(), agent.status().pending);
  const messages = await agent.messages();
  for (const { callId, decision, argsHash } of decisions) await agent.decide(callId, decision, { argsHash });
  const events = toAgUiEvents(agent.stream(text, { onLeave: "continue" }), { threadId, runId, messages });
  const body = new ReadableStream({
    async pull(to) {
      const { value, done } = await events.next();
      if (done) to.close();
      else to.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(value)}\n\n`));
    },
    cancel: async () => void (await events.return()),
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}
// #endregion

const agent = createAgent({ name: "clerk", model: scriptedModel(["Hello."]) });
const messages = [{ id: "m1", role: "user", content: "Hi" }];
const body = JSON.stringify({ threadId: "t", runId: "r", messages, tools: [], context: [] });
const response = await run(agent, new Request("http://localhost/run", { method: "POST", body }));
for (const frame of (await response.text()).split("\n\n")) {
  const { type, delta = "" } = JSON.parse(frame.slice("data: ".length) || "{}");
  if (type && type !== "STATE_SNAPSHOT") console.log(type, delta);
}
