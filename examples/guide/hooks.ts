import { defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order.",
  input: z.object({ orderId: z.string(), cents: z.number().int().positive() }),
  execute: ({ orderId, cents }) => `Paid back ${cents} cents for order ${orderId}, card 4111111111111111.`,
});

// #region hook
import { createAgent, defineHook, textOf, toolUsesOf, userMsg } from "agentchart";

const houseRules = defineHook({
  name: "house-rules",
  // appended to this one request, never stored
  preReasoning: () => ({ append: [userMsg("Refunds above 100 euros need a supervisor.")] }),
  // denied calls do not run; the model reads the text
  preActing: ({ call }) => (Number(call.input["cents"]) > 10_000 ? { deny: "Ask a supervisor." } : {}),
  // what is returned is what is stored, streamed and sent to the model
  postActing: ({ result }) => ({
    result: {
      output: result.output.map((block) =>
        block.type === "text" ? { ...block, text: block.text.replace(/\d{12}(\d{4})/, "…$1") } : block,
      ),
    },
  }),
});
// #endregion

// #region observe
const printer = defineHook({
  name: "printer",
  priority: 200, // after hooks with a lower number; default 100
  reasoningChunk: ({ kind, delta }) => {
    if (kind === "text") console.log(`… ${delta}`);
  },
});
// #endregion

// #region goto
const polite = defineHook({
  name: "polite",
  postReasoning: ({ message }) => {
    if (toolUsesOf(message).length > 0 || textOf(message).includes("please")) return undefined;
    return { goto: [userMsg("Say it politely.")] }; // the model is asked once more
  },
});
// #endregion

const model = scriptedModel([
  {
    calls: [
      { name: "refund", input: { orderId: "17", cents: 1250 } },
      { name: "refund", input: { orderId: "18", cents: 99_900 } },
    ],
  },
  "Order 18 needs a supervisor.",
  "Order 18 needs a supervisor, please wait.",
]);
// #region print
const quiet = defineHook({
  name: "quiet",
  print: ({ soFar, isLast }) => {
    const words = isLast ? soFar : soFar.slice(0, soFar.lastIndexOf(" ") + 1); // the last word may go on
    return words.replace(/sk-\w+/gu, "[key]");
  },
});
// #endregion

// #region use
const agent = createAgent({ name: "desk", model, tools: [refund], hooks: [houseRules, printer, quiet] });
agent.addHook(polite); // removeHook("polite") takes it away again
const reply = await agent.call("Refund orders 17 and 18.");
console.log(reply.text);
for (const { content } of await agent.messages()) {
  for (const block of content) {
    if (block.type === "tool_result") console.log(block.state, JSON.stringify(block.output[0]));
  }
}
// #endregion

// #region class
import { defineAgent } from "agentchart";

const clerk = defineAgent({ model: scriptedModel(["One.", "Two."]), hooks: [houseRules] });
const greeter = defineHook({
  name: "greeter",
  priority: 1,
  postCall: ({ agent: by }) => console.log(`${by} has answered`),
});
for (const name of ["ada", "bob"]) await createAgent(clerk({ name, hooks: [greeter] })).call("Hello");
// #endregion
