// Faults of models in other frameworks, each of which is not a fault here.
import { afterEach, expect, test } from "vitest";
import {
  assistantMsg,
  createAgent,
  systemMsg,
  toolResultMsg,
  userMsg,
  type AgentConfig,
  type ChatModel,
  type Hook,
  type Input,
} from "agentchart";
import {
  chatCompletionsServer,
  scriptedModel,
  type ChatCompletionsResponder,
  type ChatCompletionsServer,
  type ScriptedTurn,
} from "agentchart/testing";
import { openaiModel, toChatMessages } from "../../../src/core/model/openai/index.ts";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";
import { historyProblem } from "../../support/history.ts";
import { show } from "../../support/trace.ts";

const servers: ChatCompletionsServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** An agent whose model is a real HTTP server that refuses what providers refuse. */
async function served(respond: ChatCompletionsResponder, config: Partial<AgentConfig> = {}) {
  const server = await chatCompletionsServer(respond);
  servers.push(server);
  const model = openaiModel({ model: "m", apiKey: "k", baseURL: server.baseURL });
  return { server, agent: createAgent({ name: "bot", model, ...config }) };
}

const cut: ScriptedTurn = [
  { type: "text.delta", delta: "let me" },
  { type: "tool.delta", key: 0, id: "c1", name: "ok", args: '{"path": "/tm' },
];

test("S17 half-streamed arguments are stored as an object, and later requests are accepted", async () => {
  const deaf: ScriptedTurn = async function* () {
    yield* cut;
    first.interrupt();
    await new Promise(() => {});
  };
  const { agent: first } = scripted([deaf]);
  await first.call("go");
  const [asking] = (await first.messages()).filter(({ role }) => role === "assistant");
  expect(asking?.content).toContainEqual({
    type: "tool_use",
    id: "c1",
    name: "ok",
    input: {},
    rawInput: '{"path": "/tm',
  });
  const { agent } = await served(() => ({ content: "ok" }), { messages: await first.messages() });
  expect((await agent.call("and now?")).text).toBe("ok");
});

test("S17 arguments that are not a JSON object are an error result, and the next request is accepted", async () => {
  const asks = {
    tool_calls: ["[1]", "17", '"all"', "null", "nonsense", ""].map((text) => ({
      function: { name: "ok", arguments: text },
    })),
  };
  let answers = 0;
  const seen: unknown[] = [];
  const { agent } = await served(() => (answers++ === 0 ? asks : { content: "done" }), {
    tools: [toolOf("ok", (input) => `fine ${seen.push(input)}`)],
  });
  expect((await agent.call("go")).text).toBe("done");
  const results = resultsOf(await agent.messages());
  expect(results.map(({ code, state }) => code ?? state)).toEqual([
    ...Array.from({ length: 5 }, () => "tool/bad-input"),
    "success",
  ]);
  expect(outputOf(results[0])).toContain("the arguments must be a JSON object, and are not: [1]");
  expect(seen).toEqual([{}]);
});

test("arguments that are an object within a JSON string reach the tool", async () => {
  const seen: unknown[] = [];
  const twice: ScriptedTurn = [
    { type: "tool.delta", key: 0, name: "t", args: JSON.stringify('{"status":"cancelled"}') },
    { type: "finish", reason: "tool_calls" },
  ];
  const tools = [toolOf("t", (input) => `ok ${seen.push(input)}`)];
  await scripted([twice, "done"], { tools }).agent.call("go");
  expect(seen).toEqual([{ status: "cancelled" }]);
});

test("S18 complete argument text wins over fragments that lost values", async () => {
  const seen: unknown[] = [];
  const lossy: ScriptedTurn = [
    { type: "tool.delta", key: 0, name: "t", input: { a: null } },
    { type: "tool.delta", key: 0, args: '{"a":"x",', input: {} },
    { type: "tool.delta", key: 0, args: '"b":2}' },
    { type: "finish", reason: "tool_calls" },
  ];
  const { agent } = scripted([lossy, "done"], { tools: [toolOf("t", (input) => `ok ${seen.push(input)}`)] });
  await agent.call("go");
  expect(seen).toEqual([{ a: "x", b: 2 }]);
});

test("S22 an assistant message that only asks for calls has content on the wire", async () => {
  const { server, agent } = await served(
    ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { content: "done" }
        : { tool_calls: [{ function: { name: "ok", arguments: "{}" } }] },
    { tools: [toolOf("ok", () => "fine")] },
  );
  await agent.call("go");
  const asking = server.requests[1]?.messages.find(({ role }) => role === "assistant");
  expect(asking).toHaveProperty("content", "");
});

test("S23 each request has one system message, in front, made anew and never stored", async () => {
  const hook: Hook = {
    name: "context",
    preCall: ({ system }) => ({ system: `${system}\ncall` }),
    preReasoning: ({ system }) => ({ system: `${system}\nstep`, append: [userMsg("found this")] }),
  };
  const { agent, model } = scripted([{ calls: [{ name: "ok" }] }, "one", "two"], {
    sysPrompt: "sys",
    tools: [toolOf("ok", () => "fine")],
    hooks: [hook],
  });
  await agent.call("a");
  await agent.call("b");
  const systems = model.requests.map(({ messages }) =>
    messages.filter(({ role }) => role === "system").map(show),
  );
  expect(systems).toEqual(Array.from({ length: 3 }, () => ["S[sys\ncall\nstep]"]));
  expect(model.requests.map(({ messages }) => historyProblem(messages))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect((await agent.messages()).map(({ role }) => role)).not.toContain("system");
});

test.each<[string, Hook]>([
  ["preCall", { name: "h", preCall: () => ({ input: [systemMsg("more")] }) }],
  ["preReasoning", { name: "h", preReasoning: () => ({ append: [systemMsg("more")] }) }],
  ["postReasoning", { name: "h", postReasoning: () => ({ goto: [systemMsg("more")] }) }],
])("S23 a system message among the others is refused from %s, and from callers", async (_, hook) => {
  const { agent } = scripted(["hi"], { hooks: [hook] });
  await expect(agent.call("go")).rejects.toMatchObject({
    code: "hook/bad-return",
    message: expect.stringContaining("`system`"),
  });
  await expect(agent.call(systemMsg("more"))).rejects.toMatchObject({ code: "message/invalid" });
  expect((await agent.messages()).map(({ role }) => role)).not.toContain("system");
});

test("S23 a blank system prompt is not a system message", async () => {
  const { agent, model } = scripted(["ok"], { sysPrompt: " \n" });
  await agent.call("go");
  expect(model.requests[0]?.messages.map(show)).toEqual(["U[go]"]);
});

test("S39 a blank answer is asked for again with a hint, twice, and then is an error", async () => {
  const blank: ScriptedTurn = { text: "  " };
  const { agent, model } = scripted([blank, blank, "here", blank, blank, blank]);
  expect((await agent.call("go")).text).toBe("here");
  expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 2, 2]);
  await expect(agent.call("more")).rejects.toMatchObject({ code: "model/empty" });
  expect((await agent.messages()).map(show)).toEqual(["U[go]", "A[here]", "U[more]"]);
});

test("S40 half a character is made whole before it is stored, from the model as from a tool", async () => {
  const { agent } = scripted([{ text: "a\ud83d", calls: [{ name: "t", input: { x: "\udc00" } }] }, "done"], {
    tools: [toolOf("t", () => "b\ud83d")],
  });
  await agent.call("go");
  const messages = await agent.messages();
  expect(JSON.stringify(messages)).not.toMatch(/\\ud[89a-f]/i);
  expect(
    messages.slice(1, 3).flatMap(({ content }) => JSON.stringify(content).match(/[ab]\ufffd/g) ?? []),
  ).toEqual(["a\ufffd", "b\ufffd"]);
});

const half = "a\ud83d";
test.each<[string, Partial<AgentConfig>, Input]>([
  ["the system prompt", { sysPrompt: half }, "go"],
  ["the description of a tool", { tools: [{ ...toolOf("t", () => "fine"), description: half }] }, "go"],
  ["the text of a user", {}, half],
  ["the message of a user", {}, userMsg(half)],
  ["messages before the first turn", { messages: [userMsg(half), assistantMsg("ok")] }, "go"],
  [
    "the output of a tool",
    { tools: [toolOf("t", () => ({ output: [{ type: "text", text: half }] }))] },
    "go",
  ],
  [
    "the error of a tool",
    {
      tools: [
        toolOf("t", () => {
          throw new Error(half);
        }),
      ],
    },
    "go",
  ],
  [
    "a hook",
    { hooks: [{ name: "h", preReasoning: ({ messages }) => ({ messages: [...messages, userMsg(half)] }) }] },
    "go",
  ],
])("S40 half a character in %s is made whole, since servers refuse it", async (_, config, input) => {
  const { agent, model } = scripted([{ calls: [{ name: "t" }] }, "done"], config);
  await agent.call(input);
  const asked = JSON.stringify(model.requests);
  expect(asked).toContain("a\ufffd");
  expect(asked).not.toMatch(/\\ud[89a-f]/i);
});

test.each([1, 2, 3, 4, 5, 6])(
  "S40 a bound of %i messages on what the model sees splits no call from its result",
  async (maxMessages) => {
    const round = (n: number): ScriptedTurn => ({
      calls: [
        { id: `${n}a`, name: "ok" },
        { id: `${n}b`, name: "ok" },
      ],
    });
    const { agent, model } = scripted([round(1), round(2), round(3), "done"], {
      modelOptions: { contextWindow: { maxMessages } },
      tools: [toolOf("ok", () => "fine")],
    });
    await agent.call("go");
    expect(model.requests.map(({ messages }) => historyProblem(messages))).toEqual(
      model.requests.map(() => undefined),
    );
  },
);

test("S44 each attempt is a request of its own, for a failing server and for one that falls silent", async () => {
  let requests = 0;
  const { server, agent } = await served(
    () => {
      requests++;
      if (requests === 1) return { status: 503 };
      return requests === 2
        ? { content: "never", fault: { kind: "hang", afterChunks: 0 } }
        : { content: "third time" };
    },
    { modelOptions: { execution: { maxAttempts: 10, initialBackoffMs: 1, idleTimeoutMs: 200 } } },
  );
  let retries = 0;
  agent.subscribe((event) => event.type === "retry" && retries++);
  expect((await agent.call("go")).text).toBe("third time");
  expect(retries).toBeGreaterThanOrEqual(2); // a slow machine may make a third answer too late
  expect(server.requests).toHaveLength(retries + 1);
  expect(new Set(server.requests.map(({ messages }) => JSON.stringify(messages))).size).toBe(1);
});

test("py3 a model shared by two agents is never changed: what differs goes with the request", async () => {
  const script = scriptedModel(["1", "2", "3"]);
  const model: ChatModel = Object.freeze({ ...script, stream: script.stream.bind(script) });
  const config = { model, generateOptions: Object.freeze({ temperature: 0.1 }) };
  const plain = createAgent({ name: "plain", ...config });
  const hooked = createAgent({
    name: "hooked",
    ...config,
    hooks: [{ name: "h", preReasoning: ({ options }) => ({ options: { ...options, seed: 1 } }) }],
  });
  await plain.call("a");
  await hooked.call("b");
  await plain.call("c");
  expect(script.requests.map(({ options }) => options)).toEqual([
    { temperature: 0.1 },
    { temperature: 0.1, seed: 1 },
    { temperature: 0.1 },
  ]);
});

test("F21 results that came in one message reach the wire as one message each", () => {
  const results = toolResultMsg(
    ["c1", "c2", "c3"].map((callId) => ({ callId, name: "t", text: `r-${callId}` })),
  );
  const wire = toChatMessages([results]);
  expect(wire).toEqual(
    ["c1", "c2", "c3"].map((id) => ({ role: "tool", tool_call_id: id, content: `r-${id}` })),
  );
});
