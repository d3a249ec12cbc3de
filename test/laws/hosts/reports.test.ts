// No host refuses what public reports say that it refuses.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  assistantMsg,
  createAgent,
  defineTool,
  toolResultMsg,
  userMsg,
  type Agent,
  type AgentConfig,
  type AgentEvent,
  type ChatModel,
  type Msg,
  type Tool,
} from "agentchart";
import { openaiModel, type DialectName } from "agentchart/openai";
import { emulateHost, scriptedModel, type EmulatedHost, type HostEmulation } from "agentchart/testing";
import { layered } from "../../support/layered.ts";

/** What the model of a host answers: text, or calls by name and id; null is a call without an id. */
type Answer = string | readonly (readonly [name: string, id: string | null, input?: object])[];

function bodyOf(answer: Answer): Response {
  const delta =
    typeof answer === "string"
      ? { content: answer }
      : {
          tool_calls: answer.map(([name, id, input = {}], index) => ({
            index,
            ...(id !== null && { id }),
            function: { name, arguments: JSON.stringify(input) },
          })),
        };
  const finish_reason = typeof answer === "string" ? "stop" : "tool_calls";
  const chunk = (fields: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...fields }] })}\n\n`;
  const text = `${chunk({ delta, finish_reason: null })}${chunk({ delta: {}, finish_reason })}data: [DONE]\n\n`;
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

type Host = { readonly emulation: HostEmulation; readonly model: ChatModel };

function hostOf(host: EmulatedHost, dialect: DialectName, answers: readonly Answer[]): Host {
  const emulation = emulateHost(host, { respond: (_, index) => bodyOf(answers[index] ?? "end") });
  const model = openaiModel({
    model: "m",
    baseURL: "https://models.test/v1",
    dialect,
    fetch: emulation.fetch,
  });
  return { emulation, model };
}

const ID = "abcDEF123";
const f = (execute: () => unknown = () => "ok", more: Partial<Parameters<typeof defineTool>[0]> = {}): Tool =>
  defineTool({
    name: "f",
    description: "d",
    input: { type: "object" },
    execute: execute as never,
    ...more,
  }) as Tool;

const external = defineTool({ name: "f", description: "d", input: { type: "object" } }) as Tool;

const begun: readonly Msg[] = [
  userMsg("q"),
  {
    ...assistantMsg("", { id: "a1" }),
    content: [
      { type: "tool_use", id: "call_PTLP8xhu3uwZk4l3nlnrrJha_and_more_of_it_1", name: "f", input: {} },
    ],
  },
  toolResultMsg([{ callId: "call_PTLP8xhu3uwZk4l3nlnrrJha_and_more_of_it_1", name: "f", text: "ok" }]),
  assistantMsg("done"),
];

/** What happens in a session that hosts are known to refuse afterwards. */
const SESSIONS: {
  readonly [what: string]: {
    readonly answers: readonly Answer[];
    readonly config?: (agent: () => Agent) => Partial<AgentConfig>;
    readonly go?: (agent: Agent) => Promise<unknown>;
  };
} = {
  "a person steers while a tool runs": {
    answers: [[["f", ID]]],
    config: (agent) => ({ tools: [f(() => (agent().steer("and be quick"), "ok"))] }),
  },
  "a tool is interrupted, and the agent says so": {
    answers: [[["f", ID]]],
    config: (agent) => ({ tools: [f(() => (agent().interrupt("stop that"), "ok"))] }),
    go: async (agent) => [await agent.call("x"), await agent.call("go on")],
  },
  "a tool is interrupted, and nobody says so": {
    answers: [[["f", ID]]],
    config: (agent) => ({
      tools: [f(() => (agent().interrupt("stop that"), "ok"))],
      turnOptions: { interruptReply: false },
    }),
    go: async (agent) => [await agent.call("x"), await agent.call("go on")],
  },
  "the iterations are used up": {
    answers: [[["f", ID]], "a summary"],
    config: () => ({ maxIters: 1 }),
    go: async (agent) => [await agent.call("x"), await agent.call("y")],
  },
  "a hook adds a message of the user": {
    answers: [[["f", ID]]],
    config: () => ({
      hooks: [
        { name: "hint", preReasoning: ({ messages }) => ({ messages: [...messages, userMsg("hint")] }) },
      ],
    }),
  },
  "a structured answer is asked for again": {
    answers: ["text", [["generate_response", ID, { response: { n: 1 } }]]],
    go: (agent) => agent.call("x", { output: z.object({ n: z.number() }) }),
  },
  "the conversation is summed up": {
    answers: [
      [["f", "abcDEF121"]],
      [["f", "abcDEF122"]],
      [["f", "abcDEF123"]],
      [["f", "abcDEF124"]],
      "a summary",
    ],
    config: () => ({ tools: [f(() => "word ".repeat(4_000))], compaction: { contextTokens: 16_000 } }),
  },
  "a text comes while a call waits for its result": {
    answers: [[["f", ID]]],
    config: () => ({ tools: [external], turnOptions: { onTextWhilePending: "cancelPending" } }),
    go: async (agent) => [await agent.call("x"), await agent.call("never mind")],
  },
  "the server gives no id": {
    answers: [
      [
        ["f", null],
        ["f", null],
      ],
    ],
  },
  "the server gives one id twice": {
    answers: [
      [["f", ID]],
      [
        ["f", ID],
        ["f", ID],
      ],
    ],
  },
  "the model makes up the name of a tool": { answers: [[["do it, now!", ID]]] },
  "the session was begun at another provider": {
    answers: [[["f", ID]]],
    config: () => ({ messages: begun }),
  },
  "the session begins with a greeting": {
    answers: [],
    config: () => ({ messages: [assistantMsg("Hello!")] }),
  },
  "the agent goes on without an input": {
    answers: ["Once upon a time"],
    go: async (agent) => [await agent.call("Tell a story."), await agent.call()],
  },
  "an input is empty": { answers: [], go: (agent) => agent.call("") },
};

const HOSTS: readonly (readonly [EmulatedHost, DialectName])[] = [
  ["openai", "openai"],
  ["openai", "plain"],
  ["mistral", "mistral"],
  ["mistral", "openrouter/mistral"],
  ["deepseek", "deepseek"],
  ["moonshot", "moonshot"],
  ["dashscope", "dashscope"],
  ["groq", "groq"],
  ["xai", "xai"],
  ["anthropic", "anthropic"],
  ["gemini", "gemini"],
  ["vllm", "vllm"],
  ["ollama", "ollama"],
  ["llama.cpp", "llama.cpp"],
  ["lmstudio", "lmstudio"],
  ["openrouter", "openrouter"],
];

describe.each(HOSTS)("%s with the rules of %s refuses nothing", (host, dialect) => {
  test.each(Object.entries(SESSIONS))("when %s", async (_, { answers, config, go }) => {
    const { emulation, model } = hostOf(host, dialect, answers);
    const agent: Agent = createAgent({
      name: "a",
      tools: [f()],
      ...layered({ modelOptions: { execution: { maxAttempts: 1 } } }, config?.(() => agent) ?? {}),
      model,
    });
    await (go ?? ((each) => each.call("x")))(agent);
    expect(emulation.refusals).toEqual([]);
    expect(emulation.requests.length).toBeGreaterThan(0);
    await agent.close();
  });

  test("as a fallback of another provider, in the middle of a turn", async () => {
    const { emulation, model } = hostOf(host, dialect, ["I go on."]);
    const first = scriptedModel([
      { thinking: "hm", calls: [{ id: "toolu/01.ABC:0", name: "f", input: {} }] },
      { error: new Error("down") },
    ]);
    const agent = createAgent({
      name: "a",
      model: first,
      modelOptions: { fallbackModel: model, execution: { maxAttempts: 1 } },
      tools: [f()],
    });
    expect((await agent.call("x")).text).toBe("I go on.");
    expect(emulation.refusals).toEqual([]);
  });

  test("after a handoff from a persona of another provider", async () => {
    const { emulation, model } = hostOf(host, dialect, ["I take over."]);
    const first = scriptedModel([
      { calls: [{ id: "functions.f:0", name: "f", input: {} }] },
      { calls: [{ id: "functions.to_other:1", name: "transfer_to_other", input: { reason: "It knows." } }] },
    ]);
    const agent = createAgent({
      name: "a",
      model: first,
      tools: [f()],
      personas: { other: { sysPrompt: "You know it.", tools: [], model } },
      handoffs: [{ to: "other", description: "Knows it." }],
    });
    expect((await agent.call("x")).text).toBe("I take over.");
    expect(emulation.refusals).toEqual([]);
  });

  test.each([1, 125, 126, 129, 380])("of an agent with %i small tools", async (count) => {
    const { emulation, model } = hostOf(host, dialect, []);
    const tools = Array.from({ length: count }, (_, index) => f(undefined, { name: `tool_${index}` }));
    const events: AgentEvent[] = [];
    const agent = createAgent({ name: "a", model, tools });
    agent.subscribe((event) => events.push(event));
    expect((await agent.call("x")).text).toBe("end");
    expect(emulation.refusals).toEqual([]);
    const sent = emulation.requests[0]!["tools"] as readonly {
      readonly function: { readonly name: string };
    }[];
    const isWhole = count <= (model.maxTools ?? 0) - 3;
    expect(sent.map((tool) => tool.function.name)).toEqual(
      isWhole ? tools.map(({ name }) => name) : ["search_tools"],
    );
    expect(events.filter(({ type }) => type === "tool.omitted")).toEqual([]);
  });
});

test("a tool that the host would refuse is left out of each request, and named once", async () => {
  const { emulation, model } = hostOf("gemini", "gemini", [[["f", "1"]], [["f", "2"]], "end"]);
  const events: AgentEvent[] = [];
  const agent = createAgent({ name: "a", model, tools: [f(), f(undefined, { name: "3d_view" })] });
  agent.subscribe((event) => events.push(event));
  expect((await agent.call("x")).text).toBe("end");
  expect((await agent.call("y")).text).toBe("end");
  expect(emulation.refusals).toEqual([]);
  expect(events.filter(({ type }) => type === "tool.omitted")).toEqual([
    expect.objectContaining({
      tool: "3d_view",
      model: "m",
      reason: expect.stringMatching(
        /^Hosts with the rules of "gemini" refuse a request with it: its name/,
      ) as string,
    }),
  ]);
});

test("without tool search, the tools beyond the limit of the host are named, and the others are sent", async () => {
  const { emulation, model } = hostOf("openai", "openai", []);
  const tools = Array.from({ length: 131 }, (_, index) => f(undefined, { name: `tool_${index}` }));
  const events: AgentEvent[] = [];
  const agent = createAgent({ name: "a", model, tools, toolOptions: { search: false } });
  agent.subscribe((event) => events.push(event));
  await agent.call("x");
  expect(emulation.refusals).toEqual([]);
  const omitted = events.flatMap((event) => (event.type === "tool.omitted" ? [event.tool] : []));
  expect(omitted).toEqual(["tool_128", "tool_129", "tool_130"]);
});

test("a model that loads more tools than fit has those that it loaded last, and may load the first again", async () => {
  const names = Array.from({ length: 140 }, (_, index) => `tool_${index}`);
  const search = (name: string): Answer => [["search_tools", null, { query: name }]];
  const answers = [...names.map(search), search("tool_0"), "end"];
  const { emulation, model } = hostOf("openai", "openai", answers);
  const tools = names.map((name) => f(undefined, { name, deferred: true }));
  const agent = createAgent({ name: "a", model, tools, maxIters: 200 });
  expect((await agent.call("x")).text).toBe("end");
  expect(emulation.refusals).toEqual([]);
  const [before, last] = emulation.requests
    .slice(-2)
    .map(({ tools: sent }) =>
      (sent as readonly { readonly function: { readonly name: string } }[]).map((tool) => tool.function.name),
    );
  expect(before!.length).toBeLessThanOrEqual(128);
  expect(before).not.toContain("tool_0");
  expect(last!.slice(-2)).toEqual(["tool_139", "tool_0"]);
});

test("a tool checks its arguments with its own schema, also where the host was shown another one", async () => {
  const input = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("circle"), radius: z.number() }),
    z.object({ kind: z.literal("square"), side: z.number() }),
  ]);
  const got: unknown[] = [];
  const draw = defineTool({
    name: "draw",
    description: "d",
    input,
    execute: (shape) => (got.push(shape), "drawn"),
  });
  const { emulation, model } = hostOf("openai", "openai", [
    [["draw", "1", { kind: "circle", side: 2 }]],
    [["draw", "2", { kind: "square", side: 2 }]],
  ]);
  const agent = createAgent({ name: "a", model, tools: [draw] });
  expect((await agent.call("x")).text).toBe("end");
  expect(emulation.refusals).toEqual([]);
  expect(got).toEqual([{ kind: "square", side: 2 }]);
});
