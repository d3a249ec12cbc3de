// Text beside the results of a `goto` follows them.
import { expect, test } from "vitest";
import { toolResultMsg, userMsg, type Msg, type ToolResultBlock } from "agentchart";
import { toChatRequest } from "agentchart/openai";
import { scripted, toolOf } from "../../support/agents.ts";
import { historyProblem } from "../../support/history.ts";
import { call, show } from "../../support/trace.ts";

const tools = [toolOf("ext")];
const asks = { calls: [call("c1", "ext"), call("c2", "ext")] };
const result = (id: string): ToolResultBlock => ({
  type: "tool_result",
  id,
  name: "ext",
  output: [{ type: "text", text: id }],
  state: "success",
});
const beside = (message: Msg): Msg => ({
  ...message,
  content: [result("c2"), { type: "text", text: "and this" }, result("c1")],
});

test.each([
  ["a tool message", toolResultMsg([])],
  ["a user message", userMsg("")],
])("text that stands beside results in %s follows them as a message of the user", async (_, message) => {
  const { agent, model } = scripted([asks, "end"], { tools });
  await agent.call("go");
  await agent.call(beside(message));
  const { messages } = model.requests[1]!;
  expect(messages.map(show)).toEqual(["U[go]", "A[c1,c2]", "T(c1,c2)", "U[and this]"]);
  expect(historyProblem(messages)).toBeUndefined();
  const wire = toChatRequest(model.requests[1]!, { model: "m" }).messages;
  expect(wire.at(-1)).toEqual({ role: "user", content: "and this" });
});

test("text beside the results of a goto follows them as a message of the user", async () => {
  let asked = 0;
  const hook = {
    name: "answers",
    postReasoning: () => (asked++ === 0 ? { goto: [beside(toolResultMsg([]))] } : undefined),
  };
  const { agent, model } = scripted([asks, "end"], { tools, hooks: [hook] });
  await agent.call("go");
  const { messages } = model.requests[1]!;
  expect(messages.map(show)).toEqual(["U[go]", "A[c1,c2]", "T(c1,c2)", "U[and this]"]);
  expect(historyProblem(messages)).toBeUndefined();
});

test.each([
  ["one message in call order", [["c3", "c1", "c2"]], ["T(c1,c2,c3)"]],
  ["messages that are only to change places", [["c3", "c2"], ["c1"]], ["T(c1)", "T(c2,c3)"]],
  ["messages that stand between one another", [["c3", "c1"], ["c2"]], ["T(c1)", "T(c2)", "T(c3)"]],
])("results that are passed in another order are sent in call order: %s", async (_, given, stored) => {
  const { agent } = scripted([{ calls: [...asks.calls, call("c3", "ext")] }, "end"], { tools });
  await agent.call("go");
  await agent.call(given.map((ids) => ({ ...toolResultMsg([]), content: ids.map(result) })));
  const history = await agent.messages();
  expect(history.map(show)).toEqual(["U[go]", "A[c1,c2,c3]", ...stored, "A[end]"]);
  expect(new Set(history.map(({ id }) => id)).size).toBe(history.length);
});
