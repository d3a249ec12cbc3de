// Changes that a fork begins with.
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createAgent,
  textOf,
  toolResultsOf,
  toolUsesOf,
  userMsg,
  type AgentConfig,
  type SessionStore,
  type Tool,
} from "agentchart";
import { openSession, type ForkChanges, type StoredSession } from "agentchart/session";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from "agentchart/testing";
import { scripted, toolOf } from "../support/agents.ts";
import { scratch } from "../store/scratch.ts";
import { layered } from "../support/layered.ts";

const STORES: readonly (readonly [string, () => SessionStore])[] = [
  ["memory", memoryStore],
  ["file", () => fileStore({ dir: folder() })],
  ["SQLite", () => sqliteStore({ path: join(folder(), "s.db") })],
];

function folder(): string {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  return dir;
}

const CALL: ScriptedTurn = { calls: [{ id: "c1", name: "look", input: { at: "north" } }] };

type Recorded = {
  readonly store: SessionStore;
  readonly session: StoredSession;
  /** The first position at which the chart is in a state whose name begins so. */
  at(state: string, nth?: number): Promise<number>;
  /** Forks with changes, and runs the fork with a script. */
  run(
    at: number,
    changes: ForkChanges,
    turns: readonly ScriptedTurn[],
    config?: Partial<AgentConfig>,
  ): Promise<{ readonly model: ScriptedModel; readonly sessionId: string; readonly text: string }>;
  readonly looked: unknown[];
};

async function recorded(
  store: SessionStore = memoryStore(),
  config: Partial<AgentConfig> = {},
  lookFields: Parameters<typeof toolOf>[2] = {},
): Promise<Recorded> {
  const looked: unknown[] = [];
  const look = toolOf("look", (input) => (looked.push(input), "seen"), lookFields);
  const tools: Tool[] = [look, toolOf("sing", () => "la")];
  const common = { tools, store, sysPrompt: "Be kind.", ...config };
  const { agent } = scripted([CALL, "The end"], { ...common, sessionId: "s" });
  await agent.call("Look north.");
  await agent.close();
  const session = await openSession(store, "s");
  looked.length = 0;
  return {
    store,
    session,
    looked,
    async at(state, nth = 1) {
      let found = 0;
      for await (const { seq, type, data } of session.entries())
        if (type === "position" && String(data["state"]).startsWith(state) && ++found === nth) return seq;
      throw new Error(`The session was never at ${state}.`);
    },
    async run(at, changes, turns, more = {}) {
      const { sessionId } = await session.fork(at, { changes });
      const model = scriptedModel(turns);
      const fork = createAgent({ name: "bot", model, ...layered(common, more), sessionId });
      const { text } = await fork.call();
      await fork.close();
      return { model, sessionId, text };
    },
  };
}

const sent = (model: ScriptedModel, request = 0): string[] =>
  model.requests[request]!.messages.map((message) => {
    const results = toolResultsOf(message).map(({ output }) => JSON.stringify(output));
    const calls = toolUsesOf(message).map(({ name, input }) => `${name} ${JSON.stringify(input)}`);
    return [message.role, textOf(message), ...calls, ...results].filter(Boolean).join(": ");
  });

describe("a fork in the middle of a turn", () => {
  test("goes on with the system prompt of its agent, also if a hook changes it", async () => {
    const hook = { name: "loud", preCall: ({ system }: { system: string }) => ({ system: `${system}!` }) };
    for (const hooks of [[], [hook]]) {
      const { run, at } = await recorded(memoryStore(), { hooks });
      const { model } = await run(await at("reasoning.calling"), {}, ["Hi"]);
      expect(sent(model)).toEqual([`system: Be kind.${hooks.length > 0 ? "!" : ""}`, "user: Look north."]);
    }
  });

  test("goes on with it also after its agent has rested in between", async () => {
    const { session, store, at } = await recorded();
    const { sessionId } = await session.fork(await at("reasoning.calling", 2));
    const config = { store, sessionId, sysPrompt: "Be kind.", tools: [toolOf("look", () => "seen")] };
    const first = scripted([], config);
    await first.agent.observe(userMsg("By the way"));
    await first.agent.shutdown();
    const later = scripted(["Fine"], config);
    await later.agent.call();
    expect(sent(later.model)[0]).toBe("system: Be kind.");
    await later.agent.close();
  });
});

describe.each(STORES)("changes of a fork in a %s store", (_name, store) => {
  test("reach the model in this process and in every later one", async () => {
    const { run, at, store: stored } = await recorded(store());
    const options = { temperature: 0.5, seed: 7 };
    const { model, sessionId } = await run(
      await at("reasoning.calling", 2),
      {
        system: "Be brief.",
        messages: { [(await firstId(stored))!]: "Look south." },
        results: { c1: "a bear" },
        arguments: { c1: { at: "south" } },
        tools: ["look"],
        options: { temperature: 1, maxTokens: null },
      },
      ["Run!"],
      { generateOptions: { ...options, maxTokens: 9 } },
    );
    expect(sent(model)).toEqual([
      "system: Be brief.",
      "user: Look south.",
      'assistant: look {"at":"south"}',
      'tool: [{"type":"text","text":"a bear"}]',
    ]);
    expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(["look"]);
    expect(model.requests[0]!.options).toEqual({ temperature: 1, seed: 7 });

    const later = scripted(["Again"], {
      store: stored,
      sessionId,
      sysPrompt: "Be kind.",
      tools: [toolOf("look", () => "seen"), toolOf("sing", () => "la")],
    });
    await later.agent.call("And now?");
    expect(sent(later.model)[0]).toBe("system: Be brief.");
    expect(later.model.requests[0]!.tools.map(({ name }) => name)).toEqual(["look"]);
    expect(later.model.requests[0]!.options).toEqual({ temperature: 1 });
    await later.agent.close();
    const original = await (await openSession(stored, "s")).at();
    expect(original.messages.map(textOf)).toEqual(["Look north.", "", "", "The end"]);
  });
});

async function firstId(store: SessionStore): Promise<string | undefined> {
  return (await (await openSession(store, "s")).at()).messages[0]?.id;
}

describe("a change", () => {
  test("of the arguments of an open call runs the call with them", async () => {
    const { run, at, looked } = await recorded();
    const { model } = await run(await at("acting"), { arguments: { c1: { at: "west" } } }, ["Seen"]);
    expect(looked).toEqual([{ at: "west" }]);
    expect(sent(model)[2]).toBe('assistant: look {"at":"west"}');
  });

  test("of the arguments of a call that waits for an approval asks for one of the new arguments", async () => {
    const store = memoryStore();
    const tools = [toolOf("look", (input) => JSON.stringify(input), { permission: "ask" })];
    const { agent } = scripted([CALL], { store, tools, sessionId: "s" });
    await agent.call("Look.");
    const { seq } = agent.status();
    await agent.close();
    const session = await openSession(store, "s");
    const { sessionId } = await session.fork(seq, { changes: { arguments: { c1: { at: "west" } } } });
    const fork = scripted(["Done"], { store, tools, sessionId });
    expect((await fork.agent.call()).pending).toMatchObject([
      { callId: "c1", input: { at: "west" }, waitsFor: "approval" },
    ]);
    await fork.agent.decide("c1", "approve");
    expect((await fork.agent.call()).text).toBe("Done");
    expect(sent(fork.model).at(-1)).toContain("west");
    await fork.agent.close();
  });

  test("of the result of an open call is its result, and the call does not run", async () => {
    const { run, at, looked } = await recorded();
    const { model } = await run(await at("acting"), { results: { c1: "a bear" } }, ["Run!"]);
    expect(looked).toEqual([]);
    expect(sent(model).at(-1)).toBe('tool: [{"type":"text","text":"a bear"}]');
  });

  test("of the tools answers a call of another tool with an error", async () => {
    const { run, at, looked, store } = await recorded();
    const { sessionId } = await run(await at("reasoning.calling"), { tools: ["sing"] }, [CALL, "Oh"]);
    const { messages } = await (await openSession(store, sessionId)).at();
    expect(messages.flatMap(toolResultsOf)).toMatchObject([{ state: "error", code: "tool/unavailable" }]);
    expect(looked).toEqual([]);
  });

  test("of the model asks another model of the agent, or of its server", async () => {
    const { session, store, at } = await recorded();
    const other = scriptedModel(["From the other"], { name: "other" });
    for (const config of [
      { model: scriptedModel([]), modelOptions: { fallbackModel: other } },
      { model: scriptedModel([], { withName: (name) => ({ ...other, name }) }) },
    ]) {
      const { sessionId } = await session.fork(await at("reasoning.calling"), {
        changes: { model: "other" },
      });
      const agent = createAgent({ name: "bot", store, sessionId, ...config });
      const started: unknown[] = [];
      agent.subscribe((event) => void (event.type === "model.start" && started.push(event.model)));
      await agent.call().catch(() => {});
      expect(started[0]).toBe("other");
      await agent.close();
    }
    const { sessionId } = await session.fork(await at("reasoning.calling"), { changes: { model: "none" } });
    const agent = createAgent({ name: "bot", store, sessionId, model: scriptedModel([]) });
    await expect(agent.call()).rejects.toMatchObject({ code: "session/bad-change" });
    await agent.close();
  });

  test("of the model asks that of the agent, also after one of its server was made for another agent", async () => {
    const { session, store, at } = await recorded();
    const from = await at("reasoning.calling");
    const made = scriptedModel(["Of the server", "Of the server"], { name: "other" });
    const fallbackModel = scriptedModel(["Of the agent"], { name: "other" });
    const model = scriptedModel([], { withName: () => made });
    const textOfFork = async (more: Partial<AgentConfig>): Promise<string> => {
      const { sessionId } = await session.fork(from, { changes: { model: "other" } });
      const agent = createAgent({ name: "bot", store, sessionId, model, ...more });
      const { text } = await agent.call();
      await agent.close();
      return text;
    };
    expect(await textOfFork({})).toBe("Of the server");
    expect(await textOfFork({ modelOptions: { fallbackModel } })).toBe("Of the agent");
  });

  test("is kept by a fork of the fork, which may change more", async () => {
    const { run, at, store } = await recorded();
    const { sessionId } = await run(await at("reasoning.calling"), { system: "One.", tools: ["look"] }, [
      "1",
    ]);
    const fork = await openSession(store, sessionId);
    const second = await fork.fork((await fork.at()).seq, { changes: { system: "Two." } });
    const { agent, model } = scripted(["2"], {
      store,
      sessionId: second.sessionId,
      tools: [toolOf("look", () => "seen"), toolOf("sing", () => "la")],
    });
    await agent.call("Go on");
    expect(sent(model)[0]).toBe("system: Two.");
    expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(["look"]);
    await agent.close();
  });

  test("of the system prompt counts for the persona that has the session, and for no other", async () => {
    const store = memoryStore();
    const config: Partial<AgentConfig> = {
      store,
      sysPrompt: "I am the desk.",
      personas: { payer: { sysPrompt: "I pay." } },
      handoffs: [{ to: "payer", description: "Pays." }],
    };
    const transfer: ScriptedTurn = {
      calls: [{ id: "t1", name: "transfer_to_payer", input: { reason: "money" } }],
    };
    const { agent } = scripted([transfer, "Paid"], { ...config, sessionId: "s" });
    await agent.call("Pay.");
    await agent.close();
    const session = await openSession(store, "s");
    let first = 0;
    for await (const { seq, type, data } of session.entries())
      if (type === "position" && first === 0 && data["state"] === "reasoning.calling") first = seq;
    const { sessionId } = await session.fork(first, { changes: { system: "I am another desk." } });
    const fork = scripted([transfer, "Paid"], { ...config, sessionId });
    await fork.agent.call();
    expect(fork.model.requests.map(({ messages }) => textOf(messages[0]!))).toEqual([
      "I am another desk.",
      "I pay.",
    ]);
    await fork.agent.close();
  });

  test("changes or removes a message of the user", async () => {
    const { session, store, at } = await recorded();
    const [first] = (await session.at()).messages;
    const { sessionId } = await session.fork(await at("reasoning.calling"), {
      changes: { messages: { [first!.id]: "Look up." } },
    });
    const model = scriptedModel(["Live"]);
    const agent = createAgent({ name: "bot", store, sessionId, model });
    expect((await agent.call()).text).toBe("Live");
    await agent.close();
    const emptied = await session.fork(await at("reasoning.calling"), {
      changes: { messages: { [first!.id]: null } },
    });
    expect((await (await openSession(store, emptied.sessionId)).at()).messages).toEqual([]);
  });

  test("of a text keeps the media of a message; blocks replace all of it", async () => {
    const store = memoryStore();
    const image = { type: "image", source: { type: "url", url: "https://a.example/b.png" } } as const;
    const { agent } = scripted(["Nice"], { store, sessionId: "s" });
    await agent.call({
      id: "m",
      role: "user",
      name: "user",
      content: [image, { type: "text", text: "What?" }],
      metadata: {},
      timestamp: 1,
    });
    const { seq } = agent.status();
    await agent.close();
    const session = await openSession(store, "s");
    const contentAfter = async (change: ForkChanges["messages"]) => {
      const { sessionId } = await session.fork(seq, { changes: { messages: change! } });
      return (await (await openSession(store, sessionId)).at()).messages[0]!.content;
    };
    expect(await contentAfter({ m: "Where?" })).toEqual([image, { type: "text", text: "Where?" }]);
    expect(await contentAfter({ m: [{ type: "text", text: "Who?" }] })).toEqual([
      { type: "text", text: "Who?" },
    ]);
  });
});

describe("a change that does not fit", () => {
  test.each<[string, (ids: { first: string; asked: string; result: string }) => ForkChanges, string, RegExp]>(
    [
      ["an unknown message", () => ({ messages: { none: "x" } }), "session/bad-change", /no message 'none'/],
      ["an unknown result", () => ({ results: { none: "x" } }), "session/bad-change", /no call 'none'/],
      ["an unknown call", () => ({ arguments: { none: {} } }), "session/bad-change", /no call 'none'/],
      [
        "a text for results",
        ({ result }) => ({ messages: { [result]: "x" } }),
        "session/bad-change",
        /holds results/,
      ],
      [
        "a result without its call",
        ({ asked }) => ({ messages: { [asked]: null } }),
        "session/bad-change",
        /changed messages/,
      ],
      [
        "a block that is none",
        ({ first }) => ({ messages: { [first]: [{} as never] } }),
        "message/invalid",
        /./,
      ],
      ["a misspelt change", () => ({ sytem: "x" }) as never, "config/invalid", /did you mean `system`/],
      ["a misspelt option", () => ({ options: { temprature: 1 } as never }), "config/invalid", /temperature/],
      ["an option of another type", () => ({ options: { seed: "x" as never } }), "config/invalid", /seed/],
      [
        "arguments that are not an object",
        () => ({ arguments: { c1: [] as never } }),
        "config/invalid",
        /c1/,
      ],
      ["no changes", () => null as never, "config/invalid", /./],
    ],
  )("%s is refused, and nothing is written", async (_name, changes, code, message) => {
    const { session, store } = await recorded();
    const { messages, seq } = await session.at();
    const ids = { first: messages[0]!.id, asked: messages[1]!.id, result: messages[2]!.id };
    const forked = session.fork(seq, { sessionId: "f", changes: changes(ids) });
    await expect(forked).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(await store.load("f")).toBeUndefined();
  });

  test("edits beside changes, and arguments beside a result of an open call, are refused", async () => {
    const { session, at } = await recorded();
    const seq = await at("acting");
    await expect(session.fork(seq, { changes: {}, edits: (all) => all })).rejects.toMatchObject({
      code: "config/invalid",
    });
    const both = { arguments: { c1: {} }, results: { c1: "x" } };
    await expect(session.fork(seq, { changes: both })).rejects.toMatchObject({ code: "session/bad-change" });
  });
});
