// What was sent to the model, told live and from each store alike.
import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import {
  AgentError,
  createAgent,
  defineHook,
  userMsg,
  type Agent,
  type AgentConfig,
  type SessionStore,
} from "agentchart";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { postgresStore } from "agentchart/store/postgres";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { agentTool } from "../../../src/kit/team/index.ts";
import { toolOf } from "../../support/agents.ts";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { lensesOf, noting, stored, watched } from "../../support/lens.ts";
import { layered } from "../../support/layered.ts";

const SCHEMA = "agentchart_lens";
const server = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), "lens-"));
const STORES: readonly (readonly [string, () => SessionStore])[] = [
  ["memory", memoryStore],
  ["files", () => fileStore({ dir: join(folder, randomUUID()) })],
  ["SQLite", () => sqliteStore({ path: join(folder, `${randomUUID()}.sqlite`) })],
  ...(server
    ? [
        [
          "Postgres",
          () => postgresStore({ connectionString: server.connectionString, schema: SCHEMA }),
        ] as const,
      ]
    : []),
];
afterAll(async () => {
  if (!server) return;
  const client = new Client({ connectionString: server.connectionString });
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
  await client.end();
  await server.stop();
});
// oxlint-disable-next-line vitest/expect-expect -- says in the report what this machine cannot test
test.skipIf(server)(`from Postgres (${NO_POSTGRES})`, () => {});

const LONG = "A line of a long result of a tool.\n".repeat(400);
const tools = [
  toolOf("look", () => "seen"),
  toolOf("dump", () => LONG),
  toolOf("pay", () => "paid", { permission: "ask" }),
];
const ask = (name: string) => ({ calls: [{ name }] });
const usage = { inputTokens: 100, outputTokens: 10 };

type Situation = {
  readonly turns: readonly ScriptedTurn[];
  readonly config?: Partial<AgentConfig>;
  readonly play: (agent: Agent) => Promise<unknown>;
};

const SITUATIONS: { readonly [name: string]: Situation } = {
  "two tools, and a second turn": {
    turns: [{ calls: [{ name: "look" }, { name: "look" }] }, "one", "two"],
    config: { sysPrompt: "You look.", generateOptions: { temperature: 0.2, stop: ["\n\n"] } },
    play: async (agent) => {
      await agent.call("U1");
      await agent.call("U2");
    },
  },
  "hooks at both points that change all that can be changed": {
    turns: [ask("look"), ask("look"), "done"],
    config: {
      sysPrompt: "Prices are in euros.",
      hooks: [
        defineHook({
          name: "enter",
          preCall: ({ input, system }) => ({
            system: `${system} Be brief.`,
            input: [...input, userMsg("And be kind.")],
          }),
        }),
        defineHook({ name: "voice", preReasoning: ({ system }) => ({ system: `${system} Say hello.` }) }),
        defineHook({
          name: "trim",
          preReasoning: ({ messages, iteration }) => ({
            messages: messages.map((each) => (each.role === "user" ? { ...each, name: "someone" } : each)),
            options: { seed: iteration },
            tools: ["look"],
          }),
        }),
        defineHook({ name: "hint", preReasoning: () => ({ append: [userMsg("A hint.")] }) }),
      ],
    },
    play: (agent) => agent.call("Go"),
  },
  "a window that cuts the first messages": {
    turns: [ask("look"), ask("look"), ask("look"), ask("look"), "done", "again"],
    config: { modelOptions: { contextWindow: { maxMessages: 4 } } },
    play: async (agent) => {
      await agent.call("The order is ORD-17.");
      await agent.call("Which one?");
    },
  },
  "a long result that is shown in part, and cleared later": {
    turns: [{ ...ask("dump"), usage }, { ...ask("dump"), usage }, "one", "Summary.", "two"],
    config: { toolOptions: { results: { maxTokens: 500 } } },
    play: async (agent) => {
      await agent.call("Dump twice.");
      await agent.compact({ instructions: "Keep numbers." });
      await agent.call("More.");
    },
  },
  "a failed attempt, then the fallback": {
    turns: [],
    config: {
      model: scriptedModel(
        Array.from({ length: 4 }, () => ({ error: new AgentError("model/failed", "no") })),
      ),
      modelOptions: { execution: { maxAttempts: 1 } },
    },
    play: (agent) => agent.call("Go"),
  },
  "the limit of iterations, and a summary": {
    turns: [ask("look"), ask("look"), "all in all"],
    config: {
      maxIters: 2,
      hooks: [defineHook({ name: "end", preSummary: () => ({ append: [userMsg("In one line.")] }) })],
    },
    play: (agent) => agent.call("Go"),
  },
  "a structured answer after a reminder, whose calls are cleaned up": {
    turns: [
      ask("look"),
      "no structure",
      { calls: [{ name: "generate_response", input: { response: { n: 1 } } }] },
      "next",
    ],
    play: async (agent) => {
      const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
      await agent.call("Count.", { output });
      await agent.call("And then?");
    },
  },
  "an empty answer, and an approval": {
    turns: [[{ type: "finish", reason: "stop" }], ask("pay"), "paid"],
    play: async (agent) => {
      await agent.call("Pay");
      await agent.decide(agent.status().pending[0]!.callId, "approve");
      await agent.call();
    },
  },
  "a persona that takes over": {
    turns: [ask("look"), ask("transfer_to_billing"), ask("pay_back"), "done"],
    config: {
      sysPrompt: "You greet.",
      tools: [toolOf("look", () => "seen")],
      personas: { billing: { sysPrompt: "You bill.", tools: [toolOf("pay_back", () => "paid")] } },
      handoffs: [{ to: "billing", description: "For money." }],
    },
    play: (agent) => agent.call("Money!"),
  },
  "messages that were edited at rest": {
    turns: ["one", "two"],
    play: async (agent) => {
      await agent.call("U1");
      await agent.edit(([first, ...rest]) => [
        { ...first!, content: [{ type: "text", text: "V1" }] },
        ...rest,
      ]);
      await agent.call("U2");
    },
  },
};

describe.each(Object.entries(SITUATIONS))("%s: each request is rebuilt byte for byte", (_, situation) => {
  const make = (more: Partial<AgentConfig>) => {
    const { turns, config = {} } = situation;
    const sent: string[] = [];
    const noted = (model: AgentConfig["model"]) => {
      const { model: inner } = noting(model);
      return {
        ...inner,
        stream: (...args: Parameters<typeof inner.stream>) => {
          const { execution: _execution, ...request } = args[0];
          sent.push(JSON.stringify(request));
          return model.stream(...args);
        },
      };
    };
    const agent = createAgent({
      name: "bot",
      tools,
      ...layered(config, more),
      model: noted(config.model ?? scriptedModel(turns)),
      ...(config.model && {
        modelOptions: {
          ...layered(config, more).modelOptions,
          fallbackModel: noted(scriptedModel(["from the fallback"])),
        },
      }),
    } as AgentConfig);
    return { agent, sent };
  };

  test("live", async () => {
    const { agent, sent } = make({});
    const recorded = watched(agent);
    await situation.play(agent);
    const lenses = lensesOf(recorded());
    expect(lenses.map(({ request }) => JSON.stringify(request))).toEqual(sent);
    expect(lenses.map(({ call }) => call.number)).toEqual(sent.map((_each, index) => index + 1));
    expect(lenses.every(({ isWhole }) => isWhole)).toBe(true);
    await agent.close();
  });

  test.each(STORES)("from a store (%s)", async (_name, open) => {
    const store = open();
    onTestFinished(() => store.close?.());
    const sessionId = randomUUID();
    const { agent, sent } = make({ store, sessionId });
    await situation.play(agent);
    await agent.close();
    const lenses = lensesOf(await stored(store, sessionId));
    expect(lenses.map(({ request }) => JSON.stringify(request))).toEqual(sent);
    expect(lenses.map(({ call }) => call.number)).toEqual(sent.map((_each, index) => index + 1));
  });
});

test("sub-agents have requests of their own", async () => {
  const inner = noting(scriptedModel(["found"]));
  const outer = noting(scriptedModel([{ calls: [{ name: "find", input: { message: "Look." } }] }, "done"]));
  const store = memoryStore();
  const find = agentTool({
    name: "find",
    description: "Finds.",
    agent: { name: "finder", model: inner.model },
  });
  const agent = createAgent({ name: "boss", model: outer.model, tools: [find], store, sessionId: "boss" });
  await agent.call("Go");
  await agent.close();
  const { sessions } = await store.list({ limit: 10 });
  const ids = sessions.map(({ sessionId }) => sessionId).filter((id) => id !== "boss");
  const all = await Promise.all(ids.map((id) => stored(store, id)));
  const requestsOf = (of: readonly { readonly request: object }[]) =>
    of.map(({ request }) => JSON.stringify(request));
  expect(all.flatMap((each) => requestsOf(lensesOf(each)))).toEqual(inner.sent);
  expect(requestsOf(lensesOf(await stored(store, "boss")))).toEqual(outer.sent);
});

test("results that became text of another persona's calls are merged, and nothing is said of an option that is not set", async () => {
  const { turns, config = {}, play } = SITUATIONS["a persona that takes over"]!;
  const agent = createAgent({ name: "bot", ...config, model: scriptedModel(turns) } as AgentConfig);
  const recorded = watched(agent);
  await play(agent);
  const reasons = lensesOf(recorded()).flatMap(({ rows }) =>
    rows.flatMap((row) => (row.kind === "left" ? [row.by] : [])),
  );
  expect(reasons.length).toBeGreaterThan(0);
  expect(new Set(reasons)).toEqual(new Set(["merged"]));
  await agent.close();
});
