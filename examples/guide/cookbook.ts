import { createAgent, defineTool, textOf, toolResultMsg, userMsg, type ChatModel } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

/** Says what the user has written. */
const echo: ChatModel = {
  name: "echo",
  async *stream({ messages }) {
    yield {
      type: "text.delta",
      delta: `You wrote: ${textOf(messages.findLast(({ role }) => role === "user")!)}`,
    };
    yield { type: "finish", reason: "stop" };
  },
};

// #region user
type User = { readonly name: string; readonly role: "customer" | "clerk" };

const myOrders = defineTool({
  name: "my_orders",
  description: "Lists the orders of the user.",
  input: z.object({}),
  // the user comes from your session, and never from the model
  execute: (_, { context }: { context: User }) => `Orders of ${context.name}: 17, 18.`,
});
const refund = defineTool({
  name: "refund",
  description: "Pays an order back.",
  input: z.object({ orderId: z.string() }),
  permission: (_, context: User) => (context.role === "clerk" ? "allow" : "ask"),
  execute: ({ orderId }) => `Order ${orderId} is refunded.`,
});
const shop = createAgent<User>({
  name: "shop",
  model: scriptedModel([
    {
      calls: [
        { name: "my_orders", input: {} },
        { name: "refund", input: { orderId: "17" } },
      ],
    },
  ]),
  tools: [myOrders, refund],
});
const asked = await shop.call("Refund my order.", { context: { name: "ann", role: "customer" } });
console.log(
  asked.reason,
  asked.pending.map(({ name }) => name),
);
// #endregion

// #region person
const askClerk = defineTool({
  name: "ask_clerk",
  description: "Hands a question over to a clerk.",
  input: z.object({ question: z.string() }),
});
const front = createAgent({
  name: "front",
  model: scriptedModel([
    { calls: [{ name: "ask_clerk", input: { question: "May I return worn shoes?" } }] },
    "Yes, within a week.",
  ]),
  tools: [askClerk],
});
const { pending } = await front.call("May I return worn shoes?");
const { callId, name } = pending[0]!; // show it to a clerk; hours may pass
console.log((await front.call(toolResultMsg([{ callId, name, text: "Within a week." }]))).text);
// #endregion

// #region slack
const store = memoryStore();
const mention = async (event: {
  id: string;
  channel: string;
  thread: string;
  text: string;
}): Promise<string> => {
  const agent = createAgent({
    name: "bot",
    model: echo,
    store,
    sessionId: `slack/${event.channel}/${event.thread}`,
  });
  const reply = await agent.call(event.text, { idempotencyKey: event.id }); // Slack delivers an event again
  await agent.close();
  return reply.text;
};
const event = { id: "Ev1", channel: "C1", thread: "1700000000.1", text: "Hello" };
console.log(await mention(event), "/", await mention(event));
// #endregion

// #region upload
const bytes = Buffer.from("iVBORw0KGgo=", "base64"); // from a form of your page
const seen = createAgent({ name: "eyes", model: scriptedModel(["A pixel."]) });
const source = { type: "base64", mediaType: "image/png", data: bytes.toString("base64") } as const;
const question = userMsg("What is this?");
await seen.call({ ...question, content: [...question.content, { type: "image", source }] });
console.log((await seen.messages())[0]!.content.map(({ type }) => type));
// #endregion
