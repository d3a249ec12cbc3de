import { Agent, RunState, Runner, setTracingDisabled, tool, Usage } from "@openai/agents";
import { callId, describe, modelSays } from "../world.mjs";
import { openRows } from "./rows.mjs";
import { schemaOf } from "./schemas.mjs";

const RUN = "order-17";
setTracingDisabled(true);

const textOf = (content) =>
  typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");

function modelOf(scope) {
  return {
    async getResponse({ input }) {
      const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
      const last = items.findLastIndex(({ role }) => role === "user");
      const after = items.slice(last).filter(({ type }) => type === "function_call_result");
      const results = after.map(({ name, output }) => ({ name, text: JSON.stringify(output) }));
      const made = items.filter(({ type }) => type === "function_call_result").length;
      const { text, calls } = modelSays(textOf(items[last].content), results);
      const output =
        calls.length === 0
          ? [
              {
                type: "message",
                role: "assistant",
                status: "completed",
                content: [{ type: "output_text", text }],
              },
            ]
          : calls.map(({ name, args }, index) => ({
              type: "function_call",
              id: `fc_${scope}_${made + index}`,
              callId: callId(scope, made + index),
              name,
              arguments: JSON.stringify(name === "clerk" ? { input: args.task } : args),
              status: "completed",
            }));
      return { usage: new Usage(), output, responseId: undefined };
    },
  };
}

export function open({ folder, release, scenario }, world) {
  const rows = openRows(folder);
  const tools = Object.entries(describe(release)).map(([name, { description, fields, approval }]) =>
    tool({
      name,
      description,
      parameters: schemaOf(fields),
      needsApproval: approval,
      execute: (args, _context, details) => world[name](args, details?.toolCall?.callId),
    }),
  );
  const clerk = new Agent({
    name: "clerk",
    instructions: "You are a clerk.",
    model: modelOf("clerk"),
    tools,
  });
  const agent = new Agent({
    name: "desk",
    instructions: "You help.",
    model: modelOf("desk"),
    tools:
      scenario === "sub-agent"
        ? [clerk.asTool({ toolName: "clerk", toolDescription: "Does what a clerk does." })]
        : tools,
  });
  const runner = new Runner();
  const rest = (state, result) => {
    const waiting = state.getInterruptions();
    if (waiting.length > 0)
      return {
        state: "waiting",
        pending: waiting.map(({ rawItem }) => ({
          id: rawItem.callId,
          name: rawItem.name,
          args: JSON.parse(rawItem.arguments),
        })),
      };
    return { state: "done", text: result?.finalOutput ?? "The run has ended." };
  };
  async function run(input) {
    const result = await runner.run(agent, input);
    rows.save(RUN, result.state.toString());
    return rest(result.state, result);
  }
  const load = async () => {
    const text = rows.load(RUN);
    return text === undefined ? undefined : await RunState.fromString(agent, text);
  };
  const shown = async () => {
    const state = await load();
    return state === undefined ? { state: "lost", text: "Nothing of the run is stored." } : rest(state);
  };
  return {
    start: run,
    pending: shown,
    async approve({ id }) {
      const state = await load();
      const item = state.getInterruptions().find(({ rawItem }) => rawItem.callId === id);
      if (item === undefined)
        return { state: "refused", error: "The stored run does not wait for this call." };
      state.approve(item);
      return await run(state);
    },
    recover: shown,
  };
}
