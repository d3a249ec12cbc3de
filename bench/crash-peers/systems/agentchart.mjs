import { join } from "node:path";
import { createAgent, defineTool } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { agentTool } from "agentchart/team";
import { callId, describe, modelSays } from "../world.mjs";

const textOf = ({ content }) =>
  typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");

function model(scope) {
  return {
    name: "scripted",
    async *stream({ messages }) {
      const last = messages.findLastIndex(({ role }) => role === "user");
      const results = messages
        .slice(last)
        .flatMap((message) =>
          message.role === "tool"
            ? message.content.map((block) => ({ name: block.name, text: JSON.stringify(block) }))
            : [],
        );
      const made = messages.filter(({ role }) => role === "tool").length;
      const { text, calls } = modelSays(textOf(messages[last]), results);
      if (text !== "") yield { type: "text.delta", delta: text };
      for (const [key, call] of calls.entries())
        yield {
          type: "tool.delta",
          key,
          id: callId(scope, made + key),
          name: call.name,
          args: JSON.stringify(call.name === "clerk" ? { message: call.args.task } : call.args),
        };
      yield { type: "finish", reason: calls.length > 0 ? "tool_calls" : "stop" };
    },
  };
}

export function open({ folder, release, scenario }, world) {
  const tools = Object.entries(describe(release)).map(([tool, { description, fields, approval }]) =>
    defineTool({
      name: tool,
      description,
      input: { type: "object", properties: fields, required: Object.keys(fields) },
      ...(approval && { permission: "ask" }),
      execute: (args, { idempotencyKey }) => world[tool](args, idempotencyKey),
    }),
  );
  const clerk = agentTool({
    name: "clerk",
    agent: { name: "clerk", model: model("clerk"), tools },
    description: "Does what a clerk does.",
  });
  const agent = createAgent({
    name: "desk",
    model: model("desk"),
    tools: scenario === "sub-agent" ? [clerk] : tools,
    store: sqliteStore({ path: join(folder, "sessions.db") }),
    sessionId: "order-17",
    sessionOptions: { leaseMs: 2_000 },
  });
  const rest = ({ pending, text, reason }) =>
    pending.length > 0
      ? {
          state: "waiting",
          pending: pending.map((call) => ({
            id: call.callId,
            name: call.name,
            args: call.input,
            hash: call.argsHash,
            unknown: reason === "OUTCOME_UNKNOWN",
          })),
        }
      : { state: "done", text: text || reason };
  const opened = () => agent.open({ waitMs: 4_000 });
  return {
    start: async (input) => rest(await agent.call(input)),
    async pending() {
      await opened();
      return rest({ ...agent.status(), text: "", reason: agent.status().phase });
    },
    async approve({ id, hash }) {
      await opened();
      await agent.decide(id, "approve", { argsHash: hash });
      return rest(await agent.call());
    },
    async answer({ id }, text) {
      await opened();
      await agent.decide(id, text === undefined ? "retry" : { answer: text });
      return rest(await agent.call());
    },
    async recover() {
      await opened();
      return rest(await agent.call());
    },
  };
}
