// The function `replayOf`: where a stored run goes otherwise, and why.
import { expect, test } from "vitest";
import { createAgent, createToolkit, type AgentConfig, type JsonObject, type SessionStore } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { replayOf, type ReplayAgentConfig, type ReplayOptions } from "agentchart/evals";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf } from "../../support/agents.ts";

const schema = (properties: JsonObject) => ({ input: { type: "object", properties } });
const ORDER = schema({ order: { type: "integer" } });

async function journalOf(store: SessionStore): Promise<string> {
  const lines: string[] = [];
  for await (const entry of store.read("s")) lines.push(JSON.stringify(entry));
  return lines.join("\n");
}

/** What the tools have done outside. */
class Ledger {
  readonly acts: string[] = [];
  status = "sent";

  config(more: Partial<AgentConfig> = {}): ReplayAgentConfig {
    const act = (name: string, answer: () => string, options: object = {}) =>
      toolOf(name, (input: { order?: number }) => (this.acts.push(`${name} ${input.order}`), answer()), {
        ...ORDER,
        ...options,
      });
    return {
      name: "desk",
      sysPrompt: "Help with orders.",
      model: scriptedModel([]),
      tools: [
        act("look_up", () => this.status),
        act("refund", () => "paid back", { permission: "ask" }),
        act("cancel", () => "cancelled"),
      ],
      generateOptions: { temperature: 0 },
      ...more,
    } as unknown as ReplayAgentConfig;
  }
}

const TURNS: readonly ScriptedTurn[] = [
  { text: "I look.", calls: [{ id: "a", name: "look_up", input: { order: 17 } }] },
  {
    calls: [
      { id: "b", name: "refund", input: { order: 17 } },
      { id: "c", name: "refund", input: { order: 18 } },
      { id: "d", name: "refund", input: { order: 19 } },
    ],
  },
  "Two are paid back.",
  "You are welcome.",
];

/** A session of two turns: of three refunds one is approved, one is edited, one is denied. */
async function recorded(turns: readonly ScriptedTurn[] = TURNS): Promise<SessionStore> {
  const store = memoryStore();
  const config = new Ledger().config({ model: scriptedModel(turns) });
  const agent = createAgent({ ...config, store, sessionId: "s" } as unknown as AgentConfig);
  await agent.call("Refund 17, 18 and 19.");
  await agent.decide("b", "approve");
  await agent.decide("c", { edit: { order: 181 } });
  await agent.decide("d", { deny: "Not this one." });
  await agent.call();
  await agent.call("Thanks.");
  await agent.close();
  return store;
}

async function replayed(options: Partial<ReplayOptions> = {}, store?: SessionStore) {
  const ledger = new Ledger();
  const replay = await replayOf(store ?? (await recorded()), "s", { agent: ledger.config(), ...options });
  return { replay, ledger };
}

test("an unchanged agent runs the same again, with its decisions, and nothing is asked or done", async () => {
  const store = await recorded();
  const before = await journalOf(store);
  const { replay, ledger } = await replayed({}, store);
  expect(replay).toMatchObject({
    isSame: true,
    divergences: [],
    agent: [],
    notes: [],
    ran: [],
    asked: 0,
    reason: "MODEL_STOP",
    text: "You are welcome.",
  });
  expect(ledger.acts).toEqual([]);
  const made = await (await openSession(replay.store, replay.sessionId)).at();
  expect(made.messages.map(({ content }) => content).length).toBe(
    (await (await openSession(store, "s")).at()).messages.length,
  );
  expect(await journalOf(store)).toBe(before);
});

test("a model of a class, whose fields are getters, is the same in a replay", async () => {
  const { stream } = scriptedModel([]);
  class Written {
    get name(): string {
      return "scripted";
    }
    stream = stream;
  }
  const { replay } = await replayed({ agent: new Ledger().config({ model: new Written() }) });
  expect(replay).toMatchObject({ isSame: true, agent: [] });
});

test("a replay from each position of a session runs the same, and nothing is asked or done", async () => {
  const store = await recorded();
  const positions: number[] = [];
  for await (const { seq, type } of (await openSession(store, "s")).entries())
    if (type === "position") positions.push(seq);
  for (const at of positions) {
    const { replay, ledger } = await replayed({ at }, store);
    expect(replay, `at ${at}`).toMatchObject({ isSame: true, divergences: [], agent: [], asked: 0 });
    expect(ledger.acts).toEqual([]);
  }
  expect(positions.length).toBeGreaterThan(8);
});

test("a changed prompt, description, schema, permission, option, model and set of tools are told, each once", async () => {
  const ledger = new Ledger();
  const [look, refund] = ledger.config().tools!;
  const { replay } = await replayed({
    agent: ledger.config({
      sysPrompt: "Help with orders. Be brief.",
      model: scriptedModel([], { name: "other" }),
      generateOptions: { temperature: 1 },
      tools: [
        { ...look!, description: "Looks." },
        {
          ...refund!,
          inputSchema: {
            type: "object",
            properties: { order: { type: "integer" }, why: { type: "string" } },
          },
        },
      ] as never,
    }),
  });
  expect(replay.isSame).toBe(false);
  expect(replay.divergences).toEqual([]);
  expect(replay.agent.map(({ what, name }) => [what, name])).toEqual([
    ["prompt", undefined],
    ["model", undefined],
    ["option", "temperature"],
    ["tool", "look_up"],
    ["schema", "refund"],
    ["tool", "cancel"],
  ]);
  expect(replay.agent[0]).toMatchObject({ replayed: expect.stringContaining("Be brief.") });
});

test("tools are compared by running them, the recorded results go on, and each that differs is told", async () => {
  const ledger = new Ledger();
  ledger.status = "lost";
  const { replay } = await replayed({ agent: ledger.config(), tools: "compare" });
  expect(ledger.acts).toEqual(["look_up 17", "refund 17", "refund 181"]);
  expect(replay).toMatchObject({ isSame: false, asked: 0, text: "You are welcome." });
  expect(replay.divergences).toEqual([
    {
      kind: "result",
      message: 2,
      turn: 1,
      tool: "look_up",
      recorded: expect.stringContaining("sent"),
      replayed: expect.stringContaining("lost"),
    },
  ]);
  const named = await replayed({ tools: "compare", live: ["look_up"] });
  expect(named.ledger.acts).toEqual(["look_up 17"]);
  expect(named.replay.isSame).toBe(true);
});

test("live tools go on with their own results, and a recorded model ends at the first that differs", async () => {
  const ledger = new Ledger();
  ledger.status = "lost";
  const { replay } = await replayed({ agent: ledger.config(), tools: "live" });
  expect(replay.stopped).toContain("the model is asked something that is not recorded");
  expect(replay.divergences).toMatchObject([{ kind: "result", tool: "look_up", message: 2 }]);
  expect(ledger.acts).toEqual(["look_up 17"]);
});

test.each<[string, readonly ScriptedTurn[], object]>([
  [
    "message",
    [TURNS[0]!, TURNS[1]!, "Both are paid."],
    { kind: "message", message: 7, replayed: "Both are paid." },
  ],
  [
    "call",
    [{ text: "I look.", calls: [{ name: "cancel", input: { order: 17 } }] }],
    { kind: "call", message: 1, tool: "cancel", recorded: 'look_up {"order":17}' },
  ],
  [
    "arguments",
    [{ text: "I look.", calls: [{ name: "look_up", input: { order: 71 } }] }],
    { kind: "arguments", message: 1, tool: "look_up", recorded: '{"order":17}', replayed: '{"order":71}' },
  ],
])(
  "another %s of a live model is told, and what is not recorded does not run",
  async (kind, turns, found) => {
    const ledger = new Ledger();
    const model = scriptedModel([...turns, TURNS[3]!]);
    const { replay } = await replayed({ agent: ledger.config({ model }), model: "live" });
    expect(replay.divergences[0]).toMatchObject({ turn: 1, ...found });
    expect(replay.asked).toBeGreaterThan(0);
    expect(ledger.acts).toEqual([]);
    expect(replay.stopped === undefined).toBe(kind === "message");
  },
);

test("a call that is not recorded runs only if its tool is named, or a person says so", async () => {
  const turns: readonly ScriptedTurn[] = [
    { calls: [{ name: "cancel", input: { order: 1 } }] },
    "Done.",
    "You are welcome.",
  ];
  const run = async (options: Partial<ReplayOptions>) => {
    const ledger = new Ledger();
    const agent = ledger.config({ model: scriptedModel(turns) });
    const { replay } = await replayed({ agent, model: "live", ...options });
    return [ledger.acts, replay.stopped?.includes("cancel") ?? false, replay.ran];
  };
  expect(await run({ onDivergence: "live" })).toEqual([[], true, []]);
  expect(await run({ onDivergence: "live", live: ["refund"] })).toEqual([[], true, []]);
  expect(await run({ onDivergence: "live", live: ["cancel"] })).toEqual([["cancel 1"], false, ["cancel"]]);
  expect(await run({ onDivergence: "ask", ask: () => "stop" })).toEqual([[], true, []]);
  expect(await run({ onDivergence: "ask", ask: () => "live" })).toEqual([["cancel 1"], false, ["cancel"]]);
  const seen: object[] = [];
  const ask: ReplayOptions["ask"] = (call) => (seen.push(call), { answer: "It was cancelled before." });
  expect(await run({ onDivergence: "ask", ask })).toEqual([[], false, []]);
  expect(seen).toEqual([{ name: "cancel", input: { order: 1 } }]);
});

test("another rest of a turn is told as a state, if all messages are the same", async () => {
  const store = memoryStore();
  const config = new Ledger().config({ model: scriptedModel([TURNS[1]!, "Paid."]) });
  const agent = createAgent({ ...config, store, sessionId: "s" } as unknown as AgentConfig);
  await agent.call("Refund 17, 18 and 19.");
  for (const id of ["b", "c", "d"]) await agent.decide(id, "approve");
  await agent.call();
  await agent.close();
  const ledger = new Ledger();
  const tools = ledger
    .config()
    .tools!.map((tool) => (tool.name === "refund" ? { ...tool, permission: "allow" as const } : tool));
  const { replay } = await replayed({ agent: ledger.config({ tools: tools as never }) }, store);
  expect(replay.divergences).toEqual([
    {
      kind: "state",
      message: 5,
      turn: 1,
      recorded: "APPROVAL_REQUIRED, MODEL_STOP",
      replayed: "MODEL_STOP",
    },
  ]);
  expect(replay.agent).toMatchObject([{ what: "tool", name: "refund" }]);
  expect(ledger.acts).toEqual([]);
});

test("a replay from a position goes on with the recorded rest, with changes and a live model", async () => {
  const store = await recorded();
  const session = await openSession(store, "s");
  let at = 1;
  while ((await session.at(at)).messages.length < 3) at++;
  expect((await replayed({ at }, store)).replay).toMatchObject({ isSame: true, text: "You are welcome." });
  const ledger = new Ledger();
  const model = scriptedModel(["Order 17 was lost.", "Bye."]);
  const { replay } = await replayed(
    {
      at,
      agent: ledger.config({ model }),
      model: "live",
      changes: { system: "Say that it was lost.", results: { a: "lost" } },
    },
    store,
  );
  expect(replay.divergences[0]).toMatchObject({
    kind: "call",
    message: 3,
    replayed: expect.stringContaining("was lost"),
  });
  expect(replay.agent).toMatchObject([{ what: "prompt" }]);
  expect(model.requests[0]!.messages[0]!.content).toEqual([{ type: "text", text: "Say that it was lost." }]);
  expect(ledger.acts).toEqual([]);
});

test("tools of toolkits and hooks are held back too", async () => {
  const acts: string[] = [];
  const tool = (name: string) => toolOf(name, () => (acts.push(name), "done"), schema({}));
  const store = memoryStore();
  const config = (turns: readonly ScriptedTurn[]) =>
    ({
      name: "desk",
      model: scriptedModel(turns),
      toolkit: createToolkit({ tools: [tool("file")] }),
      hooks: [{ name: "adds a tool", tools: [tool("mail")], preCall: () => undefined }],
    }) as unknown as ReplayAgentConfig;
  const turns = [{ calls: [{ name: "file" }, { name: "mail" }] }, "Done."];
  const agent = createAgent({ ...config(turns), store, sessionId: "s" } as unknown as AgentConfig);
  await agent.call("Do both.");
  await agent.close();
  expect(acts.splice(0)).toEqual(["file", "mail"]);
  const { replay } = await replayed({ agent: config([]) }, store);
  expect(replay).toMatchObject({ isSame: true, notes: ["The hooks run: adds a tool."] });
  const again = [
    {
      calls: [
        { name: "file", input: { n: 1 } },
        { name: "mail", input: { n: 1 } },
      ],
    },
    "Done.",
  ];
  const other = await replayed({ agent: config(again), model: "live" }, store);
  expect(other.replay.stopped).toContain("is called with arguments");
  expect(acts).toEqual([]);
});

test.each(["text", "full", "summary"] as const)(
  "a session that personas with the view '%s' hand over to each other is replayed with its summaries",
  async (view) => {
    const store = memoryStore();
    const acts: string[] = [];
    const tool = (name: string) => toolOf(name, () => (acts.push(name), "done"), schema({}));
    const config = (turns: readonly ScriptedTurn[]) =>
      ({
        name: "desk",
        model: scriptedModel(turns),
        tools: [tool("look_up")],
        personas: { billing: { sysPrompt: "You pay money back.", tools: [tool("refund")] } },
        handoffs: [{ to: "billing", description: "Hands over.", ...(view !== "text" && { view }) }],
      }) as unknown as ReplayAgentConfig;
    const summary = view === "summary" ? ["The customer wants money back."] : [];
    const turns: readonly ScriptedTurn[] = [
      { calls: [{ name: "look_up" }] },
      { calls: [{ name: "transfer_to_billing", input: { reason: "money" } }] },
      ...summary,
      { calls: [{ name: "refund" }] },
      "It is paid back.",
      "The sum of it.",
      "You are welcome.",
    ];
    const agent = createAgent({ ...config(turns), store, sessionId: "s" } as unknown as AgentConfig);
    await agent.call("I want my money back.");
    expect(agent.status().persona).toBe("billing");
    await agent.compact({ instructions: "Keep the sum." });
    await agent.call("Thanks.");
    await agent.close();
    expect(acts.splice(0)).toEqual(["look_up", "refund"]);
    const { replay } = await replayed({ agent: config([]) }, store);
    expect(replay).toMatchObject({ agent: [], divergences: [], text: "You are welcome.", asked: 0 });
    expect(replay).toMatchObject({ isSame: true });
    expect(acts).toEqual([]);
  },
);

test("a session that does not say what its agent consisted of is replayed, and the report says so", async () => {
  const store = await recorded();
  const early: SessionStore = {
    ...store,
    async *read(sessionId, options) {
      for await (const entry of store.read(sessionId, options)) {
        const { modelCalls: _, ...data } = entry.data;
        const { agent: __, ...progress } = (data["progress"] ?? {}) as JsonObject;
        yield { ...entry, data: { ...data, ...(data["progress"] && { progress }) } };
      }
    },
  };
  const agent = new Ledger().config({ sysPrompt: "Another." });
  const { replay } = await replayed({ agent }, early);
  expect(replay).toMatchObject({ divergences: [], agent: [], isSame: true });
  expect(replay.notes.join()).toContain("does not say what its agent consisted of");
});

test("a session that was cut off, one that waits and one that was steered are replayed to where they are", async () => {
  const store = memoryStore();
  const config = new Ledger().config({ model: scriptedModel([TURNS[0]!, TURNS[1]!]) });
  const agent = createAgent({ ...config, store, sessionId: "s" } as unknown as AgentConfig);
  agent.subscribe((event) => {
    if (event.type === "tool.start") agent.steer("And hurry.");
  });
  await agent.call("Refund 17.");
  await agent.close();
  const { replay } = await replayed({}, store);
  expect(replay).toMatchObject({ isSame: true, reason: "APPROVAL_REQUIRED" });
  const failing = new Ledger().config({ model: scriptedModel([TURNS[0]!]) });
  const second = createAgent({ ...failing, store, sessionId: "f" } as unknown as AgentConfig);
  await expect(second.call("Where is 17?")).rejects.toThrow("Unexpected model call");
  await second.close();
  const failed = await replayOf(store, "f", { agent: new Ledger().config() });
  expect(failed).toMatchObject({ isSame: true, notes: ["The recording ends in the middle of a turn."] });
});

test("a replay that is aborted while its agent is made asks nothing", async () => {
  const stop = new AbortController();
  const model = scriptedModel(["Never asked."]);
  const agent = async () => {
    stop.abort();
    return new Ledger().config({ model });
  };
  await expect(
    replayOf(await recorded(), "s", { agent, model: "live", signal: stop.signal }),
  ).rejects.toMatchObject({ code: "run/aborted" });
  expect(model.requests).toEqual([]);
});

test("wrong options are refused before anything runs", async () => {
  const store = await recorded();
  const agent = new Ledger().config();
  const rejects = (options: object, message: string) =>
    expect(replayOf(store, "s", { agent, ...options } as ReplayOptions)).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringContaining(message),
    });
  await rejects({ tools: "all" }, "tools");
  await rejects({ onDivergence: "ask" }, "needs `ask`");
  await rejects({ changes: { results: { a: "x" } } }, "only `at` a position");
  await rejects({ agent: 1 }, "the configuration of the agent");
  await expect(replayOf(store, "unknown", { agent })).rejects.toMatchObject({ code: "session/not-found" });
});
