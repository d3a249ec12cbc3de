import { createAgent, tool } from "langchain";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { z } from "zod";
import { ANSWER, QUESTION, SYSTEM, TOOL } from "../work.mjs";
import { consume, openQueue, prepareQueue } from "./bull.mjs";
export const needs = "postgres";
export async function prepare(orders) {
  await prepareQueue(orders);
  const saver = PostgresSaver.fromConnString(orders.url);
  await saver.setup();
  await saver.end();
}
export async function dispatcher(orders) {
  const queue = await openQueue(orders);
  return { dispatch: (id) => queue.add(id), close: queue.close };
}
const turnOf = (config) => config?.configurable?.thread_id ?? "?";
function agentOf(saver, at) {
  class Model extends BaseChatModel {
    constructor() {
      super({});
    }
    _llmType() {
      return "instant";
    }
    bindTools(tools) {
      return this.withConfig({ tools });
    }
    async _generate(messages) {
      const isFirst = messages.at(-1).getType() === "human";
      const id = isFirst ? /order (\S+),/u.exec(messages.at(-1).text)[1] : "";
      if (isFirst) at.asked(id);

      const message = isFirst
        ? new AIMessage({
            content: "",
            tool_calls: [{ id: `call_${id}`, name: TOOL.name, args: TOOL.args, type: "tool_call" }],
          })
        : new AIMessage(ANSWER);
      return { generations: [{ text: isFirst ? "" : ANSWER, message }] };
    }
  }
  const lookup = tool((_, config) => at.tool(turnOf(config)), {
    name: TOOL.name,
    description: TOOL.description,
    schema: z.object({ order: z.number() }),
  });
  return createAgent({ model: new Model(), tools: [lookup], systemPrompt: SYSTEM, checkpointer: saver });
}
export async function work(orders, at) {
  const saver = PostgresSaver.fromConnString(orders.url);
  const agent = agentOf(saver, at);
  const close = await consume(orders, at, async (id) => {
    await agent.invoke(
      { messages: [{ role: "user", content: QUESTION(id) }] },
      { configurable: { thread_id: id } },
    );
  });
  return async () => {
    await close();
    await saver.end();
  };
}
export async function settled() {
  return Infinity;
}
export async function verify(orders, sql, ids) {
  const saver = PostgresSaver.fromConnString(orders.url);
  let good = 0;
  for (const id of ids) {
    const found = await saver.getTuple({ configurable: { thread_id: id, checkpoint_ns: "" } });
    const messages = found?.checkpoint.channel_values.messages ?? [];
    if (
      messages
        .slice(-4)
        .map((each) => each.getType())
        .join() === "human,ai,tool,ai" &&
      messages.at(-1).text === ANSWER &&
      messages.at(-4).text === QUESTION(id)
    )
      good++;
  }
  await saver.end();
  return good;
}
