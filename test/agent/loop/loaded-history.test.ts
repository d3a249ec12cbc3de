// A history that was loaded goes to the model with each result behind its call.
import { describe, expect, test } from "vitest";
import {
  assistantMsg,
  textOf,
  toolResultMsg,
  userMsg,
  type Block,
  type Msg,
  type ToolResultBlock,
} from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";
import { show } from "../../support/trace.ts";

const tools = [toolOf("ext")];
const asking = (...ids: string[]): Msg =>
  assistantMsg("", { content: ids.map((id) => ({ type: "tool_use", id, name: "ext", input: {} })) });
const result = (id: string, text = id): ToolResultBlock => ({
  type: "tool_result",
  id,
  name: "ext",
  output: [{ type: "text", text }],
  state: "success",
});
const told = (...content: Block[]): Msg => ({ ...toolResultMsg([]), id: crypto.randomUUID(), content });
const answer = (id: string): Msg => toolResultMsg([{ callId: id, name: "ext", text: `${id} by hand` }]);

/** The history as the first request shows it, with each result's text. */
const sent = (messages: readonly Msg[]): string[] =>
  messages.map((message) => {
    const texts = resultsOf([message]).map((block) => outputOf(block).slice(0, 7));
    return texts.length > 0 ? `${show(message)}: ${texts.join(", ")}` : show(message);
  });

describe("loaded history reaches the model with one result directly behind each call, in call order", () => {
  test.each<[string, Msg[], string[]]>([
    [
      "an id is used again for a call without a result",
      [asking("1"), told(result("1")), userMsg("b"), asking("1")],
      ["A[1]", "T(1): 1", "U[b]", "A[1]", "T(1): [ERROR]"],
    ],
    [
      "an id is used again for a call with a result",
      [asking("1"), userMsg("b"), asking("1"), told(result("1"))],
      ["A[1]", "T(1): [ERROR]", "U[b]", "A[1]", "T(1): 1"],
    ],
    [
      "a message lacks the result in the middle",
      [asking("1", "2", "3"), told(result("1"), result("3"))],
      ["A[1,2,3]", "T(1): 1", "T(2): [ERROR]", "T(3): 3"],
    ],
    [
      "results stand in another order",
      [asking("1", "2"), told(result("2")), told(result("1"))],
      ["A[1,2]", "T(1): 1", "T(2): 2"],
    ],
    [
      "a result comes too late",
      [asking("1", "2"), told(result("2")), userMsg("b"), told(result("1"))],
      ["A[1,2]", "T(1): 1", "T(2): 2", "U[b]"],
    ],
    [
      "a result comes twice",
      [asking("1"), told(result("1")), told(result("1", "again"))],
      ["A[1]", "T(1): 1"],
    ],
  ])(
    "loaded history where %s reaches the model with results behind their calls",
    async (_, messages, expected) => {
      const { agent, model } = scripted(["end"], { messages, tools });
      await agent.call("go");
      expect(sent(model.requests[0]!.messages)).toEqual([...expected, "U[go]"]);
      const stored = await agent.messages();
      expect(sent(stored)).toEqual([...expected, "U[go]", "A[end]"]);
      expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
    },
  );

  test("a result for the last call of loaded history closes older open calls too", async () => {
    const messages = [asking("1"), userMsg("b"), asking("2")];
    const { agent, model } = scripted(["end"], { messages, tools });
    await agent.call(answer("2"));
    expect(sent(model.requests[0]!.messages)).toEqual([
      "A[1]",
      "T(1): [ERROR]",
      "U[b]",
      "A[2]",
      "T(2): 2 by ha",
    ]);
  });

  test("recoverOrphans false sends loaded history unchanged, results in their order too", async () => {
    const messages = [asking("1", "2"), told(result("2")), told(result("1"))];
    const { agent, model } = scripted(["end"], { messages, tools, turnOptions: { recoverOrphans: false } });
    await agent.call("go");
    expect(sent(model.requests[0]!.messages)).toEqual(["A[1,2]", "T(2): 2", "T(1): 1", "U[go]"]);
  });
});

test("a result for no open call of loaded history is refused, and the error names the open calls", async () => {
  const { agent } = scripted(["end"], { messages: [asking("1", "2"), told(result("1"))], tools });
  await expect(agent.call(answer("7"))).rejects.toMatchObject({
    code: "run/bad-results",
    message: "Invalid tool result IDs: [7]. Expected: [2]",
  });
  expect(await agent.messages()).toHaveLength(2);
});

test.each([
  ["text", [userMsg("hello")]],
  ["results that are refused", [answer("1"), userMsg("hello")]],
])("an interrupt before the turn begins leaves no call of loaded history open: %s", async (_, input) => {
  let calls = 0;
  const waits = {
    name: "waits",
    preCall: async () => {
      if (calls++ === 0) agent.interrupt("stop");
      await Promise.resolve();
    },
  };
  const { agent, model } = scripted(["end"], { messages: [asking("1", "2")], tools, hooks: [waits] });
  expect((await agent.call(input)).reason).toBe("INTERRUPTED");
  const stored = await agent.messages();
  expect(stored.slice(0, 5).map(show)).toEqual(["A[1,2]", "T(1)", "T(2)", "U[hello]", "U[stop]"]);
  await agent.call("and?");
  expect(model.requests[0]!.messages.map(textOf).slice(3)).toEqual([
    "hello",
    "stop",
    textOf(stored[5]!),
    "and?",
  ]);
});
