import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { tool } from "langchain";
import { callId, describe, modelSays } from "../world.mjs";
import { schemaOf } from "./schemas.mjs";

export class Model extends BaseChatModel {
  constructor(scope, callOf = (call) => call) {
    super({});
    this.scope = scope;
    this.callOf = callOf;
  }
  _llmType() {
    return "scripted";
  }
  bindTools(tools) {
    return this.withConfig({ tools });
  }
  async _generate(messages) {
    const last = messages.findLastIndex((message) => message.getType() === "human");
    const tools = messages.filter((message) => message.getType() === "tool");
    const results = messages
      .slice(last)
      .filter((message) => message.getType() === "tool")
      .map(({ name, text }) => ({ name: name === "task" ? "clerk" : name, text }));
    const { text, calls } = modelSays(messages[last].text, results);
    const message = new AIMessage({
      content: text,
      tool_calls: calls.map(({ name, args }, index) => ({
        id: callId(this.scope, tools.length + index),
        ...this.callOf({ name, args }),
        type: "tool_call",
      })),
    });
    return { generations: [{ text, message }] };
  }
}

/** The tools, and those of them that ask, for the middleware of approvals. */
export function toolsFor(release, world) {
  const kinds = Object.entries(describe(release));
  return {
    tools: kinds.map(([name, { description, fields }]) =>
      tool((args, config) => world[name](args, config.toolCall?.id), {
        name,
        description,
        schema: schemaOf(fields),
      }),
    ),
    interruptOn: Object.fromEntries(
      kinds.flatMap(([name, { approval }]) => (approval ? [[name, true]] : [])),
    ),
  };
}

/** What a person and a new process do with a graph. `stateOf` reads the state of its thread. */
export function stepsOf(graph, stateOf) {
  const config = { configurable: { thread_id: "order-17" }, durability: "sync" };
  const waiting = (interrupts) => ({
    state: "waiting",
    pending: interrupts.flatMap(({ id, value }) =>
      value.actionRequests.map(({ name, args }) => ({ id, name, args })),
    ),
  });
  const rest = (result) =>
    result.__interrupt__?.length > 0
      ? waiting(result.__interrupt__)
      : { state: "done", text: result.messages?.at(-1).text ?? "" };
  return {
    start: async (input) =>
      rest(await graph.invoke({ messages: [{ role: "user", content: input }] }, config)),
    async pending() {
      const { tasks, values, next } = await stateOf(config);
      const interrupts = tasks.flatMap((task) => task.interrupts ?? []);
      if (interrupts.length > 0) return waiting(interrupts);
      return { state: next.length > 0 ? "unfinished" : "done", text: values.messages?.at(-1).text ?? "" };
    },
    approve: async () =>
      rest(await graph.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), config)),
    // A run that was cut off goes on with `null` on the same thread.
    recover: async () => rest(await graph.invoke(null, config)),
  };
}
