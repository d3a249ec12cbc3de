import { scriptedModel } from "agentchart/testing";

const calls = [{ name: "ask_clerk", input: { question: "May order 18 go too?" } }];
const model = scriptedModel([{ calls }, "Yes, order 18 goes too."]);

// #region external
import { createAgent, defineTool, toolResultMsg } from "agentchart";
import { z } from "zod";

const askClerk = defineTool({
  name: "ask_clerk",
  description: "Asks a clerk.",
  input: z.object({ question: z.string() }), // no `execute`: the answer comes from outside
});
const agent = createAgent({ name: "desk", model, tools: [askClerk] });

let reply = await agent.call("May order 18 go too?");
console.log(reply.reason, reply.pending[0]!.input);

const { callId, name } = reply.pending[0]!;
reply = await agent.call(toolResultMsg([{ callId, name, text: "Yes." }]));
console.log(reply.reason, reply.text);
// #endregion
