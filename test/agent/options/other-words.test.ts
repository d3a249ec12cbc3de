// Options that somebody gives by the words of another library are refused with the name that they have here, and so are the former flat
// names of options that are in a group.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineAgent, defineTool, type AgentConfig } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { scriptedModel } from "agentchart/testing";
import { configSchema } from "../../../src/agent/options/config-schema.ts";

const model = scriptedModel([]);
const agentWith = (name: string) => () =>
  createAgent({ name: "a", model, [name]: "given" } as unknown as AgentConfig);

const AGENT: readonly (readonly [library: string, words: { readonly [word: string]: string }])[] = [
  [
    "AI SDK",
    {
      instructions: "sysPrompt",
      system: "sysPrompt",
      maxSteps: "maxIters",
      maxRetries: "modelOptions.execution",
      temperature: "generateOptions",
      maxOutputTokens: "generateOptions",
      providerOptions: "generateOptions",
      toolChoice: "generateOptions",
      prepareStep: "hooks",
      onStepFinish: "hooks",
      onFinish: "hooks",
      runtimeContext: "context",
      toolApproval: "permissions",
      telemetry: "otel",
    },
  ],
  [
    "LangChain and LangGraph",
    {
      prompt: "sysPrompt",
      systemPrompt: "sysPrompt",
      stateModifier: "sysPrompt",
      llm: "model",
      recursionLimit: "maxIters",
      checkpointer: "store",
      threadId: "sessionId",
      thread_id: "sessionId",
      middleware: "hooks",
      callbacks: "hooks",
      interruptOn: "permissions",
      metadata: "meta",
    },
  ],
  [
    "OpenAI Agents",
    {
      instructions: "sysPrompt",
      modelSettings: "generateOptions",
      maxTurns: "maxIters",
      inputGuardrails: "hooks",
      outputGuardrails: "hooks",
      session: "store",
      tracing: "otel",
    },
  ],
  [
    "Mastra",
    {
      memory: "modelOptions.contextWindow",
      inputProcessors: "hooks",
      requestContext: "context",
      resourceId: "sessionId",
    },
  ],
  [
    "AgentScope",
    {
      sys_prompt: "sysPrompt",
      max_iters: "maxIters",
      parallel_tool_calls: "parallelToolCalls",
      SysPrompt: "sysPrompt",
    },
  ],
];

describe("createAgent names its own option for a word of", () => {
  test.each(
    AGENT.flatMap(([library, words]) => Object.entries(words).map((pair) => [library, ...pair] as const)),
  )("%s: %s is %s", (_, word, name) => {
    expect(agentWith(word)).toThrow(
      expect.objectContaining({
        code: "config/invalid",
        message: `createAgent: \`${word}\` is not an option; did you mean \`${name}\`?`,
      }),
    );
  });

  test.each([
    ["outputType", "give `output` to `call`."],
    ["responseFormat", "give `output` to `call`."],
    ["mcpServers", "give the tools() of mcp() of agentchart/mcp in `tools`."],
    ["agents", "give an agentTool() of agentchart/team for each in `tools`."],
  ])("others what to do instead: %s", (word, way) => {
    expect(agentWith(word)).toThrow(`createAgent: \`${word}\` is not an option; ${way}`);
  });
});

test.each([
  ["parameters", "did you mean `input`?"],
  ["inputSchema", "did you mean `input`?"],
  ["schema", "did you mean `input`?"],
  ["args", "did you mean `input`?"],
  ["id", "did you mean `name`?"],
  ["func", "did you mean `execute`?"],
  ["handler", "did you mean `execute`?"],
  ["run", "did you mean `execute`?"],
  ["needsApproval", "did you mean `permission`?"],
  ["timeoutMs", "did you mean `execution`?"],
  ["outputSchema", "what `execute` returns is not checked."],
])("defineTool names its own option for %s", (word, way) => {
  const make = () =>
    defineTool({
      name: "t",
      description: "",
      input: z.object({}),
      execute: () => "",
      [word]: "given",
    } as never);
  expect(make).toThrow(`Tool 't': \`${word}\` is not an option; ${way}`);
});

test.each([
  ["url", "baseURL"],
  ["baseUrl", "baseURL"],
  ["endpoint", "baseURL"],
  ["modelId", "model"],
  ["api_key", "apiKey"],
])("openaiModel names its own option for %s", (word, name) => {
  const make = () => openaiModel({ model: "m", [word]: "given" } as never);
  expect(make).toThrow(`\`${word}\` is not an option; did you mean \`${name}\`?`);
});

/** The options that were at the top of a configuration, and are in a group. */
const FORMER: { readonly [name: string]: string } = {
  modelExecution: "modelOptions.execution",
  toolExecution: "toolOptions.execution",
  toolSearch: "toolOptions.search",
  models: "compaction.model",
};

describe("the options of an agent", () => {
  const { shape } = configSchema();
  const groups = Object.entries(shape).flatMap(([name, schema]) =>
    name.endsWith("Options") && name !== "generateOptions"
      ? [[name, Object.keys(jsonOf(schema))] as const]
      : [],
  );

  test("are at most 26 at the top", () => {
    expect(Object.keys(shape).length).toBeLessThanOrEqual(26);
    expect(groups.map(([name]) => name)).toEqual([
      "modelOptions",
      "toolOptions",
      "turnOptions",
      "sessionOptions",
    ]);
  });

  const moved = groups.flatMap(([group, names]) =>
    names
      .filter((name) => !["execution", "search"].includes(name))
      .map((name) => [name, `${group}.${name}`] as const),
  );

  test.each([...moved, ...Object.entries(FORMER)])("%s at the top is refused: it is %s", (name, place) => {
    expect(agentWith(name)).toThrow(`createAgent: \`${name}\` is not an option; did you mean \`${place}\`?`);
    expect(() => defineAgent({ [name]: "given" } as never)).toThrow(`did you mean \`${place}\`?`);
  });

  test.each([
    [
      { modelOptions: { leaseMs: 5 } },
      "`modelOptions.leaseMs` is not an option; did you mean `sessionOptions.leaseMs`?",
    ],
    [{ turnOptions: { maxIters: 5 } }, "`turnOptions.maxIters` is not an option; did you mean `maxIters`?"],
    [{ turnOptions: { maxSteps: 5 } }, "`turnOptions.maxSteps` is not an option; did you mean `maxIters`?"],
    [{ sessionOptions: { leasMs: 5 } }, "`sessionOptions.leasMs` is not an option; did you mean `leaseMs`?"],
  ])("in a wrong group are refused: %j", (config, message) => {
    expect(() => createAgent({ name: "a", model, ...config } as AgentConfig)).toThrow(
      `createAgent: ${message}`,
    );
  });

  test("of a class are merged group by group, and that of the agent takes the place of that of the class", () => {
    const clerk = defineAgent({
      model,
      sessionOptions: { leaseMs: 5, idleMs: 7 },
      turnOptions: { maxGotos: 1 },
    });
    const config = clerk({
      name: "ada",
      sessionOptions: { leaseMs: 9 },
      modelOptions: { fallbackModel: model },
    });
    expect(config).toMatchObject({
      sessionOptions: { leaseMs: 9, idleMs: 7 },
      turnOptions: { maxGotos: 1 },
      modelOptions: { fallbackModel: model },
    });
  });
});

function jsonOf(schema: { readonly json: () => object }): object {
  return (schema.json() as { readonly properties: object }).properties;
}
