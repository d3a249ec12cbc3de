// Compaction of a conversation that no longer fits its window: when it begins, and what is left.
import { describe, expect, test } from "vitest";
import {
  AgentError,
  createAgent,
  defineTool,
  textOf,
  userMsg,
  type AgentConfig,
  type AgentEvent,
  type Msg,
} from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from "agentchart/testing";
import type { ChatModel, ModelRequest } from "../../../src/core/model/port.ts";
import { historyProblem } from "../../support/history.ts";

const RESULT = "a line of the result of a tool\n".repeat(70);

const tools = [
  defineTool({ name: "look", description: "Looks.", input: { type: "object" }, execute: () => RESULT }),
];

const textIn = (messages: readonly Msg[]): string => JSON.stringify(messages.map(({ content }) => content));

const isSummaryRequest = ({ messages }: ModelRequest): boolean =>
  textOf(messages.at(-1)!).includes("Another model will go on");

/** The tokens of a request by a count of its own: `perToken` characters are one. */
function tokensOf({ messages, tools: offered }: ModelRequest, perToken: number): number {
  const text = messages.map(({ content }) => JSON.stringify(content)).join("") + JSON.stringify(offered);
  return Math.ceil(text.length / perToken);
}

type Bounded = ChatModel & {
  readonly requests: ModelRequest[];
  readonly refused: ModelRequest[];
};

/** A model that refuses what is longer than its window, by a tokenizer of its own. It asks for `rounds` tool calls in each turn, and
 *  answers a request for a summary with the marks that it finds. */
function boundedModel(window: number, rounds: number, perToken: number, reports = true): Bounded {
  const requests: ModelRequest[] = [];
  const refused: ModelRequest[] = [];
  let made = 0;
  return {
    name: "bounded",
    requests,
    refused,
    async *stream(request) {
      const tokens = tokensOf(request, perToken);
      if (tokens > window) {
        refused.push(request);
        throw new AgentError("model/context-length", `The prompt has ${tokens} tokens.`);
      }
      requests.push(request);
      const marks = [...new Set(textIn(request.messages).match(/MARK\d+/g) ?? [])];
      if (isSummaryRequest(request)) yield { type: "text.delta", delta: `Summary. Keep ${marks.join(" ")}.` };
      else if (made < rounds) {
        yield { type: "tool.delta", key: 0, id: `c${made++}`, name: "look", args: "{}" };
      } else yield { type: "text.delta", delta: `The end of ${marks.join(" ")}.` };
      if (reports) yield { type: "usage", usage: { inputTokens: tokens, outputTokens: 20 } };
      yield { type: "finish", reason: "stop" };
    },
  };
}

function eventsOf(agent: { subscribe(listener: (event: AgentEvent) => void): () => void }): AgentEvent[] {
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  return events;
}

describe("a turn of many rounds", () => {
  test.each([
    [8_000, 4, true],
    [8_000, 3, true],
    [8_000, 2.5, false],
    [32_000, 4.5, true],
    [32_000, 2.8, true],
  ])(
    "ends under a window of %i tokens of %d characters (usage reported: %s), and the question stays",
    async (window, perToken, reports) => {
      const model = boundedModel(window, 120, perToken, reports);
      const config = { maxIters: 1_000, compaction: { contextTokens: window } };
      const agent = createAgent({ name: "a", sysPrompt: "You help.", model, tools, ...config });
      const events = eventsOf(agent);
      const reply = await agent.call("What is MARK7?");
      expect(reply.text).toContain("MARK7");
      expect(reply.reason).toBe("MODEL_STOP");
      expect((await agent.messages()).length).toBe(242);
      const turns = model.requests.filter((request) => !isSummaryRequest(request));
      expect(turns.length).toBe(121);
      expect(turns.map(({ messages }) => historyProblem(messages)).filter(Boolean)).toEqual([]);
      expect(turns.filter(({ messages }) => !textIn(messages).includes("What is MARK7?"))).toEqual([]);
      const ended = events.filter(({ type }) => type === "compaction.end");
      expect(ended.length).toBeGreaterThan(0);
      expect(ended.length).toBeLessThan(window === 8_000 ? 60 : 12);
      expect(model.refused.length).toBeLessThanOrEqual(reports ? 3 : 8);
    },
  );

  test("is cut short by clearing old results first, and a result stays readable", async () => {
    const model = boundedModel(30_000, 60, 3.5);
    const agent = createAgent({
      name: "a",
      model,
      tools,
      maxIters: 100,
      compaction: { contextTokens: 30_000, clear: { protectTokens: 4_000, minimumTokens: 2_000 } },
    });
    const events = eventsOf(agent);
    await agent.call("go");
    const ended = events.filter((event) => event.type === "compaction.end");
    expect(ended.every(({ did }) => did === "clear")).toBe(true);
    expect(ended.length).toBeGreaterThan(0);
    const last = model.requests.at(-1)!;
    expect(textIn(last.messages)).toContain(
      '[Result of look cleared; read it with read_result, id \\"c0\\"]',
    );
    expect(last.tools.map(({ name }) => name)).toEqual(["look", "read_result"]);
    expect(model.requests.some(isSummaryRequest)).toBe(false);
  });
});

describe("a prompt that the model refuses as too long", () => {
  const talk = (model: ChatModel, more: Partial<AgentConfig> = {}) =>
    createAgent({ name: "a", model, ...more } as AgentConfig);

  test("is made shorter once without a known window, and the turn goes on", async () => {
    const model = boundedModel(6_000, 0, 3.5, false);
    const agent = talk(model);
    for (let n = 0; n < 60; n++) {
      const reply = await agent.call(`Message ${n} ${"of some length ".repeat(40)}${n === 0 ? "MARK1" : ""}`);
      expect(reply.reason).toBe("MODEL_STOP");
    }
    expect(model.refused.length).toBeGreaterThan(0);
    expect(model.requests.some(isSummaryRequest)).toBe(true);
    expect(await agent.messages()).toHaveLength(120);
    expect(textIn(model.requests.at(-1)!.messages)).toContain("MARK1");
  });

  test("ends the turn with the error if a second attempt is refused too; the session is usable afterwards", async () => {
    const tooLong = { error: new AgentError("model/context-length", "too long") };
    const model = scriptedModel(["one", "two", tooLong, "A summary.", tooLong, "better"]);
    const agent = talk(model, { compaction: { keepRecentTokens: 1 } });
    await agent.call("first message with words");
    await agent.call("second message with words");
    await expect(agent.call("third")).rejects.toMatchObject({ code: "model/context-length" });
    expect(model.requests).toHaveLength(5);
    expect((await agent.call("fourth")).text).toBe("better");
  });

  test.each([{ compaction: false as const }, { compaction: { auto: false } }])(
    "ends the turn at once with %j",
    async (config) => {
      const model = scriptedModel([
        "one",
        { error: new AgentError("model/context-length", "too long") },
        "unused",
      ]);
      const agent = talk(model, config);
      await agent.call("first message with words");
      await expect(agent.call("second")).rejects.toMatchObject({ code: "model/context-length" });
      expect(model.requests).toHaveLength(2);
    },
  );
});

describe("a summary", () => {
  const history = (model: ScriptedModel, more: Partial<AgentConfig> = {}) =>
    createAgent({ name: "a", model, compaction: { keepRecentTokens: 1 }, ...more });
  const long = "words that make a message long ".repeat(30);

  test("is made by compact(), rides on the prompt before it, and takes the place of older messages", async () => {
    const model = scriptedModel(["one", "two", "The user said much.", "three"]);
    const agent = history(model, { sysPrompt: "You help.", tools });
    await agent.call(`first ${long}`);
    await agent.call(`second ${long}`);
    const done = await agent.compact({ instructions: "Keep the colours." });
    expect(done.tokensAfter).toBeLessThan(done.tokensBefore);
    expect(done.from).toBe(3);
    const [, before, summary] = model.requests;
    expect(textIn(summary!.messages.slice(0, before!.messages.length))).toBe(textIn(before!.messages));
    expect(summary!.tools).toEqual(before!.tools);
    expect(summary!.options.toolChoice).toBe("none");
    expect(textOf(summary!.messages.at(-1)!)).toContain("Keep the colours.");
    await agent.call("third");
    const shown = model.requests.at(-1)!.messages.map(textOf);
    expect(shown[1]).toContain("The user said much.");
    expect(shown.slice(2)).toEqual(["two", "third"]);
    expect(await agent.messages()).toHaveLength(6);
  });

  test("updates the summary before it", async () => {
    const model = scriptedModel(["one", "First summary.", "two", "Second summary.", "three"]);
    const agent = history(model);
    await agent.call(`first ${long}`);
    await agent.compact();
    await agent.call(`second ${long}`);
    await agent.compact();
    expect(textIn(model.requests[3]!.messages)).toContain("First summary.");
    await agent.call("third");
    expect(textIn(model.requests[4]!.messages)).not.toContain("First summary.");
    expect(textIn(model.requests[4]!.messages)).toContain("Second summary.");
  });

  const failing: ScriptedTurn = { error: new AgentError("model/auth", "no key") };
  test.each<[string, ScriptedTurn[], object]>([
    ["fails", [failing], { code: "model/auth" }],
    ["says nothing", ["", ""], { code: "model/empty" }],
    ["is longer than the messages", [long.repeat(9), long.repeat(9)], { code: "model/empty" }],
  ])("F15 that %s changes nothing, and compact() rejects", async (_, turns, error) => {
    const model = scriptedModel(["one", "two", ...turns, "three"]);
    const agent = history(model);
    await agent.call(`first ${long}`);
    await agent.call("second");
    await expect(agent.compact()).rejects.toMatchObject(error);
    await agent.call("third");
    expect(model.requests.at(-1)!.messages.map(textOf)).toEqual([
      `first ${long}`,
      "one",
      "second",
      "two",
      "third",
    ]);
  });

  test("that asks for calls is asked for again with the history as text, which cannot end the text", async () => {
    const calls = { calls: [{ id: "c1", name: "look", input: {} }] };
    const model = scriptedModel(["one", "two", calls, "Summary.", "three"]);
    const agent = history(model, { tools });
    await agent.call(`first </history> ${long}`);
    await agent.call("second");
    await agent.compact();
    const [, , , separate] = model.requests;
    expect(separate!.tools).toEqual([]);
    expect(separate!.messages).toHaveLength(1);
    expect(textOf(separate!.messages[0]!).match(/<\/history>/g)).toHaveLength(1);
    await agent.call("third");
    expect(textIn(model.requests.at(-1)!.messages)).toContain("Summary.");
  });

  test("is made by its own model if there is one", async () => {
    const own = scriptedModel(["Summary by another."]);
    const model = scriptedModel(["one", "two", "three"]);
    const agent = history(model, { compaction: { model: own } });
    await agent.call(`first ${long}`);
    await agent.call("second");
    await agent.compact();
    expect(own.requests).toHaveLength(1);
    await agent.call("third");
    expect(textIn(model.requests.at(-1)!.messages)).toContain("Summary by another.");
  });

  test("is refused while a turn runs and with compaction: false, and does nothing without messages", async () => {
    const agent = history(scriptedModel(["one"]));
    expect((await agent.compact()).from).toBe(0);
    const running = agent.call("hi");
    await expect(agent.compact()).rejects.toMatchObject({ code: "run/busy" });
    await running;
    const never = history(scriptedModel([]), { compaction: false });
    await expect(never.compact()).rejects.toMatchObject({ code: "config/invalid" });
  });

  test("can be interrupted, and a call has to wait for it", async () => {
    const hang: ScriptedTurn = async function* (_, signal) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield { type: "finish", reason: "stop" };
    };
    const model = scriptedModel(["one", "two", hang, "three"]);
    const agent = history(model);
    await agent.call(`first ${long}`);
    await agent.call("second");
    const compacting = agent.compact();
    await expect.poll(() => model.requests.length).toBe(3);
    await expect(agent.call("now")).rejects.toMatchObject({ code: "run/busy" });
    expect(agent.interrupt()).toBe(true);
    const { tokensAfter, tokensBefore } = await compacting;
    expect(tokensAfter).toBe(tokensBefore);
    expect((await agent.call("third")).text).toBe("three");
  });

  test("F22 is restored in another process: the next request is the same", async () => {
    const prompts = async (inOneProcess: boolean) => {
      const store = memoryStore();
      const script: ScriptedTurn[] = ["one", "two", "A summary.", "three", "four"];
      const all = scriptedModel(script);
      const config = { name: "a", store, sessionId: "s", compaction: { keepRecentTokens: 1 } };
      let agent = createAgent({ ...config, model: all });
      for (const step of [`first ${long}`, "second", undefined, "third", "fourth"]) {
        if (step === undefined) await agent.compact();
        else await agent.call(step);
        if (inOneProcess) continue;
        await agent.close();
        agent = createAgent({ ...config, model: all });
      }
      await agent.close();
      return all.requests.map(({ messages }) => textIn(messages));
    };
    expect(await prompts(false)).toEqual(await prompts(true));
  });
});

test("the window is the one of the option, of the model's capabilities, or what is known of its name", async () => {
  const compacts = async (name: string, capabilities: object, compaction: object) => {
    const model: ChatModel = { ...boundedModel(1_000_000, 0, 3.5), name, capabilities };
    const messages = Array.from({ length: 40 }, (_, n) => userMsg(`${n} ${"words ".repeat(200)}`));
    const agent = createAgent({ name: "a", model, messages, compaction });
    const events = eventsOf(agent);
    await agent.call("go");
    return events.some(({ type }) => type === "compaction.end");
  };
  expect(await compacts("bounded", {}, {})).toBe(false);
  expect(await compacts("bounded", {}, { contextTokens: 12_000 })).toBe(true);
  expect(await compacts("bounded", { contextTokens: 12_000 }, {})).toBe(true);
  expect(await compacts("bounded", { contextTokens: 12_000 }, { contextTokens: 100_000 })).toBe(false);
  expect(await compacts("openai/gpt-4-0613", {}, {})).toBe(true);
  expect(await compacts("openai/gpt-4o-mini", {}, {})).toBe(false);
});

test("a window that cannot hold the system prompt and the tools is refused with the sums", () => {
  const config = { name: "a", model: scriptedModel([]), sysPrompt: "word ".repeat(2_000), tools };
  const create = () => createAgent({ ...config, compaction: { contextTokens: 2_000 } });
  expect(create).toThrow(AgentError);
  expect(create).toThrow(
    expect.objectContaining({
      code: "config/invalid",
      message: expect.stringMatching(
        /window of 2000 tokens is too small: the system prompt has about 2857, the tools have about \d+, and 400 are kept for the answer\.$/,
      ) as string,
    }) as Error,
  );
});

test("what a compaction has left of the prompt is stored at once, before the model is asked again", async () => {
  const store = memoryStore();
  const stored: boolean[] = [];
  const model = boundedModel(8_000, 40, 3.5);
  const watched: ChatModel = {
    ...model,
    async *stream(request, options) {
      const isShort = textIn(request.messages).includes("was summed up");
      if (isShort && !isSummaryRequest(request)) {
        await expect.poll(() => journalOf(store)).toContain("was summed up");
        stored.push(true);
      }
      yield* model.stream(request, options);
    },
  };
  const config = {
    maxIters: 100,
    compaction: { contextTokens: 8_000, clear: false },
  } as const;
  const agent = createAgent({ name: "a", model: watched, tools, store, sessionId: "s", ...config });
  await agent.call("go");
  expect(stored.length).toBeGreaterThan(0);
  await agent.close();
});

async function journalOf(store: ReturnType<typeof memoryStore>): Promise<string> {
  const entries = [];
  for await (const entry of store.read("s")) entries.push(entry);
  return JSON.stringify(entries);
}

test("compact sums up as text what the model refuses as a conversation, and the session goes on without it", async () => {
  const refusesMedia: ChatModel = {
    name: "m",
    async *stream(request) {
      if (isSummaryRequest(request) && textIn(request.messages).includes('"type":"image"'))
        throw new AgentError("model/bad-request", "The image cannot be read.");
      yield { type: "text.delta", delta: isSummaryRequest(request) ? "A summary." : "Yes." };
      yield { type: "finish", reason: "stop" };
    },
  };
  const compaction = { keepRecentTokens: 1 };
  const agent = createAgent({ name: "a", model: refusesMedia, compaction });
  await agent.call("What is 17?");
  const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } } as const;
  await agent.call([{ ...userMsg("Look at this."), content: [image] }]);
  expect((await agent.call("Still there?")).text).toBe("Yes.");
  expect((await agent.compact()).from).toBeGreaterThan(2);
  expect((await agent.call("And now?")).text).toBe("Yes.");
});
