// The pages about options know each of them.
import { beforeAll, describe, expect, test } from "vitest";
import { createAgent, createToolkit, defineTool } from "agentchart";
import { inspector, startHub } from "agentchart/inspect";
import { mcp } from "agentchart/mcp";
import { otelObserver, traceKnowledge, traceMemory } from "agentchart/otel";
import { openaiModel, toChatMessages, toChatRequest } from "agentchart/openai";
import { createServer, readTokens, serve } from "agentchart/server";
import {
  ingest,
  knowledge,
  memoryKnowledge,
  postgresKnowledge,
  split,
  sqliteKnowledge,
} from "agentchart/knowledge";
import { longTermMemory, memoryMemory, postgresMemory, sqliteMemory } from "agentchart/memory";
import { planNotebook } from "agentchart/plan";
import { skills, workspaceContext } from "agentchart/skills";
import { openSession, sessionManager } from "agentchart/session";
import { agentLogic, agentTool, askUser, codeModel, openHub, terminalAsk } from "agentchart/team";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { movePartitions, partitionedStore } from "agentchart/store/partitioned";
import { postgresStore } from "agentchart/store/postgres";
import { sqliteStore } from "agentchart/store/sqlite";
import { chatCompletionsServer, scriptedModel } from "agentchart/testing";
import {
  agentScopeTools,
  codingPermissions,
  codingTools,
  folderWorkspace,
  memoryWorkspace,
} from "agentchart/workspace";
import { bullQueue, createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
import type { AnyShape } from "../../src/core/base/option-schema.ts";
import { callSchema, shutdownSchema, subscribeSchema } from "../../src/agent/options/call-schema.ts";
import { budgetSchema, configSchema } from "../../src/agent/options/config-schema.ts";
import { permissionsSchema } from "../../src/agent/options/persona-options.ts";
import { hookSchema } from "../../src/core/hook/hook-schema.ts";
import { historySchema } from "../../src/inspect/client/history.ts";
import { inspectorSchema } from "../../src/inspect/client/inspector.ts";
import { startHubSchema } from "../../src/inspect/hub/start-hub.ts";
import { ingestSchema } from "../../src/kit/knowledge/ingest.ts";
import { knowledgeSchema } from "../../src/kit/knowledge/knowledge.ts";
import { postgresKnowledgeSchema } from "../../src/kit/knowledge/postgres.ts";
import { splitSchema } from "../../src/kit/knowledge/split.ts";
import { sqliteKnowledgeSchema } from "../../src/kit/knowledge/sqlite.ts";
import { longTermMemorySchema, recordSchema } from "../../src/kit/memory/long-term-memory.ts";
import { postgresMemorySchema } from "../../src/kit/memory/postgres.ts";
import { sqliteMemorySchema } from "../../src/kit/memory/sqlite.ts";
import { notebookSchema } from "../../src/kit/plan/notebook.ts";
import { skillSchema } from "../../src/kit/skills/skill.ts";
import { skillsSchema } from "../../src/kit/skills/skills.ts";
import { workspaceSchema } from "../../src/kit/skills/workspace.ts";
import { agentLogicSchema } from "../../src/kit/team/actor-options.ts";
import { codeModelSchema } from "../../src/kit/team/code-model.ts";
import { askUserSchema } from "../../src/kit/team/ask-user.ts";
import { terminalAskSchema } from "../../src/kit/team/terminal-ask.ts";
import { hubSchema } from "../../src/kit/team/hub.ts";
import { agentToolSchema } from "../../src/kit/team/options.ts";
import { executionSchema } from "../../src/core/model/execution-schema.ts";
import { generateSchema } from "../../src/core/model/generate-schema.ts";
import { modelSchema } from "../../src/core/model/openai/openai-model.ts";
import { messagesSchema } from "../../src/core/model/openai/to-chat-messages.ts";
import { requestSchema } from "../../src/core/model/openai/to-chat-request.ts";
import { otelSchema } from "../../src/kit/otel/options.ts";
import { traceMemorySchema } from "../../src/kit/otel/traced-stores.ts";
import { codingPermissionsSchema } from "../../src/kit/workspace/coding-permissions.ts";
import { codingToolsSchema } from "../../src/kit/workspace/coding-tools.ts";
import { folderWorkspaceSchema } from "../../src/kit/workspace/folder-workspace.ts";
import { memoryWorkspaceSchema } from "../../src/kit/workspace/memory-workspace.ts";
import { rateLimitSchema, serverSchema } from "../../src/server/option-schemas.ts";
import { serveSchema } from "../../src/server/serve.ts";
import { tokenSchema } from "../../src/server/tokens.ts";
import { forkSchema } from "../../src/session/fork.ts";
import { savedPartsSchema } from "../../src/session/save.ts";
import { sessionManagerSchema } from "../../src/session/session-manager.ts";
import { moveSchema } from "../../src/store/move-partitions.ts";
import { partitionedSchema } from "../../src/store/partition-map.ts";
import { fileSchema, memorySchema, postgresSchema, sqliteSchema } from "../../src/store/store-options.ts";
import { chatCompletionsSchema } from "../../src/testing/chat-completions-server.ts";
import { definitionSchema } from "../../src/core/tool/define.ts";
import { mcpSchema } from "../../src/kit/mcp/options.ts";
import { groupChangeSchema, groupSchema, toolkitSchema } from "../../src/core/tool/tool-schema.ts";
import * as worker from "../../src/worker/option-schemas.ts";
import { bullSchema } from "../../src/worker/queue/bull.ts";
import { wakeSchema } from "../../src/worker/queue/wake-schema.ts";
import { limitsSchema } from "../../machines/agent/limits-schema.ts";

const store = memoryStore();
const queue = inProcessQueue();
const workspace = memoryWorkspace();
const dispatcher = createDispatcher({ queue, store });
const base = { name: "a", model: scriptedModel([]) };
const tool = { name: "t", description: "", input: {} };
const agent = createAgent(base);
const remembering = { store: memoryMemory(), scope: (): string => "acme/ada" };
const backend = { queue, store };
const agents = { desk: () => base };
const token = { tenant: "acme", scopes: ["read"], token: "x".repeat(20) };
const dispatching = { agent: "desk" };

const firstOf = async (events: AsyncIterable<unknown>): Promise<unknown> => {
  for await (const event of events) return event;
  return undefined;
};

beforeAll(async () => {
  const stored = createAgent({ ...base, model: scriptedModel(["Hello."]), store, sessionId: "stored" });
  await stored.call("Hi");
  await stored.close();
});

/** Each object of options, where its schema is, and what takes it. `valid`: the options that are required. */
const OPTIONS: readonly (readonly [
  name: string,
  schema: { readonly shape: object },
  take: (given: never) => unknown,
  valid?: object,
])[] = [
  ["createAgent", configSchema(), createAgent, base],
  ["budget", budgetSchema(), (budget) => createAgent({ ...base, budget })],
  ["permissions", permissionsSchema(), (permissions) => createAgent({ ...base, permissions })],
  [
    "modelExecution",
    executionSchema(),
    (modelExecution) => createAgent({ ...base, modelOptions: { execution: modelExecution } }),
  ],
  ["generateOptions", generateSchema(), (generateOptions) => createAgent({ ...base, generateOptions })],
  ["hooks", hookSchema(), (hook) => createAgent({ ...base, hooks: [hook] }), { name: "h" }],
  ["addHook", hookSchema(), (hook) => agent.addHook(hook), { name: "h" }],
  ["call", callSchema(), (given) => agent.call("go", given)],
  ["stream", callSchema(), (given) => agent.stream("go", given).reply],
  ["subscribe", subscribeSchema(), (given) => agent.subscribe(() => {}, given)],
  ["shutdown", shutdownSchema(), (given) => agent.shutdown(given)],
  ["extendBudget", limitsSchema(), (given) => agent.extendBudget(given)],
  ["saveTo", savedPartsSchema(), (given) => agent.saveTo(store, "key", given)],
  ["defineTool", definitionSchema(), defineTool, tool],
  ["createToolkit", toolkitSchema(), createToolkit],
  ["addGroup", groupSchema(), (given) => createToolkit().addGroup(given), { name: "g" }],
  ["setGroups", groupChangeSchema(), (given) => createToolkit().setGroups(given)],
  ["openaiModel", modelSchema(), openaiModel, { model: "m" }],
  ["toChatMessages", messagesSchema(), (given) => toChatMessages([], given)],
  [
    "toChatRequest",
    requestSchema(),
    (given) => toChatRequest({ messages: [], tools: [], options: {}, execution: {} }, given),
    { model: "m" },
  ],
  ["folderWorkspace", folderWorkspaceSchema(), folderWorkspace, { root: "/tmp" }],
  ["memoryWorkspace", memoryWorkspaceSchema(), memoryWorkspace],
  ["codingTools", codingToolsSchema(), codingTools, { workspace }],
  ["agentScopeTools", codingToolsSchema(), agentScopeTools, { workspace }],
  ["codingPermissions", codingPermissionsSchema(), codingPermissions, { workspace }],
  ["memoryStore", memorySchema(), memoryStore],
  ["fileStore", fileSchema(), fileStore],
  ["sqliteStore", sqliteSchema(), sqliteStore, { path: ":memory:" }],
  [
    "partitionedStore",
    partitionedSchema(),
    (given) => partitionedStore([{ store, upTo: 0xff_ff_ff_ff }], given),
  ],
  [
    "movePartitions",
    moveSchema(),
    (given) => movePartitions([{ store: memoryStore(), upTo: 0xff_ff_ff_ff, movesFrom: store }], given),
  ],
  ["postgresStore", postgresSchema(), postgresStore, { connectionString: "postgres://localhost/x" }],
  ["sessionManager", sessionManagerSchema(), sessionManager, { store, sessionId: "s", components: [] }],
  ["fork", forkSchema(), async (given) => (await openSession(store, "stored")).fork(1, given)],
  ["inspector", inspectorSchema(), inspector],
  ["keep", historySchema(), (keep) => inspector({ keep })],
  ["startHub", startHubSchema(), startHub],
  ["createDispatcher", worker.dispatcherSchema(), createDispatcher, backend],
  ["dispatch", worker.dispatchSchema(), (given) => dispatcher.dispatch("s", "go", given), dispatching],
  ["decide", worker.decideSchema(), (given) => dispatcher.decide("s", "c", "approve", given)],
  ["interrupt", worker.commandSchema(), (given) => dispatcher.interrupt("s", undefined, given)],
  ["events", worker.subscribeSchema(), (given) => firstOf(dispatcher.subscribe("s", given))],
  ["deadLetters", worker.deadLettersSchema(), (given) => dispatcher.deadLetters(given)],
  ["wake", wakeSchema(), (given) => queue.wake("s", given)],
  ["setSlot", worker.setSlotSchema(), (given) => dispatcher.setSlot("s", "plan", null, given)],
  ["planNotebook", notebookSchema(), planNotebook],
  ["skills", skillsSchema(), skills, { dirs: [] }],
  [
    "skill",
    skillSchema(),
    (skill) => skills({ skills: [skill] }),
    { name: "s", description: "D", body: "B" },
  ],
  ["workspaceContext", workspaceSchema(), workspaceContext, { root: "." }],
  ["agentTool", agentToolSchema(), agentTool, { agent: base }],
  ["agentLogic", agentLogicSchema(), (given) => agentLogic(base, given)],
  ["openHub", hubSchema(), openHub, { participants: [agent] }],
  ["askUser", askUserSchema(), askUser],
  ["terminalAsk", terminalAskSchema(), terminalAsk],
  ["codeModel", codeModelSchema(), (given) => codeModel(() => ({ reply: "" }), given)],
  ["longTermMemory", longTermMemorySchema(), longTermMemory, remembering],
  [
    "record",
    recordSchema(),
    (record) => longTermMemory({ ...remembering, record }),
    { model: scriptedModel([]) },
  ],
  ["sqliteMemory", sqliteMemorySchema(), sqliteMemory, { path: ":memory:" }],
  ["postgresMemory", postgresMemorySchema(), postgresMemory, { connectionString: "postgres://localhost/x" }],
  ["knowledge", knowledgeSchema(), knowledge, { store: memoryKnowledge() }],
  ["split", splitSchema(), (given) => split("", given)],
  ["ingest", ingestSchema(), ingest, { store: memoryKnowledge(), path: "package.json" }],
  ["sqliteKnowledge", sqliteKnowledgeSchema(), sqliteKnowledge, { path: ":memory:" }],
  [
    "postgresKnowledge",
    postgresKnowledgeSchema(),
    postgresKnowledge,
    { connectionString: "postgres://localhost/x" },
  ],
  ["mcp", mcpSchema(), mcp, { command: "none" }],
  ["otelObserver", otelSchema(), otelObserver],
  ["traceKnowledge", traceMemorySchema(), (given) => traceKnowledge(memoryKnowledge(), given)],
  ["traceMemory", traceMemorySchema(), (given) => traceMemory(memoryMemory(), given)],
  ["createWorker", worker.workerSchema(), createWorker, { ...backend, agents }],
  ["limits", worker.tenantLimitsSchema(), (acme) => createWorker({ ...backend, agents, limits: { acme } })],
  ["close", worker.closeSchema(), (given) => createWorker({ ...backend, agents }).close(given)],
  ["bullQueue", bullSchema(), bullQueue, { redis: "redis://localhost" }],
  ["createServer", serverSchema(), createServer, { dispatcher, store, tokens: "none" }],
  [
    "rateLimit",
    rateLimitSchema(),
    (rateLimit) => createServer({ dispatcher, store, tokens: "none", rateLimit }),
    { perSecond: 1, burst: 1 },
  ],
  ["readTokens", tokenSchema(), (given) => readTokens([given]), token],
  ["serve", serveSchema(), (given) => serve({ fetch: () => new Response() }, given)],
  ["chatCompletionsServer", chatCompletionsSchema(), (given) => chatCompletionsServer(() => ({}), given)],
];

const WRONG = Symbol("wrong");
const namesOf = (schema: { readonly shape: object }): string[] => Object.keys(schema.shape);
const isAnything = (schema: { readonly shape: object }, name: string): boolean =>
  (schema.shape as AnyShape)[name]!.issueOf(WRONG) === undefined;

/** The message of the `config/invalid` that options are refused with. */
async function refusalOf(take: (given: never) => unknown, given: object): Promise<string> {
  try {
    await take(given as never);
  } catch (error) {
    expect(error).toMatchObject({ code: "config/invalid" });
    return (error as Error).message;
  }
  throw new Error(`Accepted: ${Object.keys(given).join(", ")}`);
}

for (const [name, schema, take, valid = {}] of OPTIONS)
  describe(`the options of ${name}`, () => {
    const checked = namesOf(schema).filter((option) => !isAnything(schema, option));

    test.each(checked)("`%s` of a wrong type is refused with what was expected", async (option) => {
      const message = await refusalOf(take, { ...valid, [option]: WRONG });
      expect(message).toContain(`${option}\` is Symbol(wrong); expected `);
    });

    const isHook = schema === hookSchema();
    const misspeltNames = namesOf(schema).filter(
      (option) => !isHook || /^(?:pre|post|on)|Chunk$/.test(option),
    );

    test.each(misspeltNames)("`%s` with a letter too many is refused with the right name", async (option) => {
      const message = await refusalOf(take, { ...valid, [`${option}x`]: () => {} });
      expect(message).toMatch(
        new RegExp(`${option}x\` is not an? (?:option|limit|hook point); did you mean \`\\w+\`\\?$`),
      );
    });
  });

test("only the context of a session and of a call may be anything", () => {
  const free = OPTIONS.flatMap(([name, schema]) =>
    namesOf(schema)
      .filter((option) => isAnything(schema, option))
      .map((option) => `${name}.${option}`),
  );
  expect(free).toEqual(["createAgent.context", "call.context", "stream.context"]);
});
