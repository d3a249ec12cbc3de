import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const payments = defineTool({
  name: "payments",
  description: "The payments of a day, in cents.",
  input: z.object({ day: z.string() }),
  execute: () => [1250, 300],
});
const model = scriptedModel([
  { calls: [{ name: "payments", input: { day: "today" } }] },
  "15.50 euros in two payments.",
  { calls: [{ name: "generate_response", input: { response: { cents: 1550, payments: 2 } } }] },
]);
const agent = createAgent({ name: "clerk", model, tools: [payments] });

// #region stream
const stream = agent.stream("How much did we pay back today?");
for await (const event of stream) {
  if (event.type === "state") console.log("state", event.value);
  if (event.type === "tool.start" && event.call.name === "payments")
    console.log("payments of", event.call.input.day); // typed as the input of the tool
  if (event.type === "tool.end") console.log("tool", event.result.name, event.result.state);
  if (event.type === "block.delta" && event.kind === "text") console.log("text", event.delta);
  if (event.type === "turn.end") console.log("end", event.reason);
}
const reply = await stream.reply; // what `call` returns
console.log(reply.turn.modelCalls, reply.turn.toolCalls);
// #endregion

// #region output
const Sum = z.object({ cents: z.number().int(), payments: z.number().int() });
const { output } = await agent.call("Sum it up.", { output: Sum }); // typed as z.infer<typeof Sum>
console.log(output.cents / output.payments);
// #endregion
