// Stored messages are immutable for hooks, listeners and callers.
import { describe, expect, test } from "vitest";
import { textOf, userMsg, type Hook, type JsonObject, type Msg, type StreamPart } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

/** Everything in it that could be changed is set to something else; how much of it let itself be changed. */
function spoil(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const changed = Object.keys(value).filter((key) => {
    try {
      (value as { [key: string]: unknown })[key] = "spoilt";
      return true;
    } catch {
      return false;
    }
  });
  return changed.length + Object.values(value).reduce<number>((sum, part) => sum + spoil(part), 0);
}

const call = { calls: [{ id: "c1", name: "look", input: { where: { at: [1, 2] } } }] };

describe("a stored message is immutable", () => {
  test("a stored message cannot be changed by a listener or through messages()", async () => {
    const { agent } = scripted([call, "done"], { tools: [toolOf("look", () => "seen")] });
    agent.subscribe((event) => void ("message" in event && spoil(event.message)));
    await agent.call(userMsg("go"));
    const before = JSON.stringify(await agent.messages());
    expect((await agent.messages()).map(spoil)).toEqual([0, 0, 0, 0]);
    expect(JSON.stringify(await agent.messages())).toBe(before);
    expect(before).not.toContain("spoilt");
  });

  test("a stored message cannot be changed by a tool, which receives a copy of its input", async () => {
    const tool = toolOf("look", (input) => {
      (input as { where: { at: number[] } }).where.at.push(3);
      return JSON.stringify(input);
    });
    const { agent } = scripted([call, "done"], { tools: [tool] });
    await agent.call("go");
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe('{"where":{"at":[1,2,3]}}');
    expect(JSON.stringify((await agent.messages())[1])).toContain('{"where":{"at":[1,2]}}');
  });

  test("a stored message cannot be changed through the caller's own object", async () => {
    const { agent } = scripted(["done"]);
    const message = userMsg("go");
    await agent.call(message);
    (message.content as unknown[]).push({ type: "text", text: "and more" });
    expect((await agent.messages())[0]!.content).toEqual([{ type: "text", text: "go" }]);
  });

  test("a stored message cannot be changed through a caller's object that is frozen at its top level only", async () => {
    const { agent } = scripted(["done"]);
    const message = Object.freeze(userMsg("go"));
    await agent.call(message);
    (message.content as unknown[]).push({ type: "text", text: "and more" });
    expect((await agent.messages())[0]!.content).toEqual([{ type: "text", text: "go" }]);
  });

  test("a stored message cannot be changed by the model, whose own objects are not frozen", async () => {
    const usage = { inputTokens: 0, outputTokens: 1 };
    const block = {
      type: "image" as const,
      source: { type: "url" as const, url: "https://a.example/1.png" },
    };
    async function* counting(): AsyncGenerator<StreamPart> {
      usage.inputTokens += 10;
      yield { type: "media", block };
      yield { type: "usage", usage };
      yield { type: "finish", reason: "stop" };
    }
    const { agent } = scripted([counting, counting]);
    await agent.call("go");
    block.source.url = "https://a.example/2.png";
    const reply = await agent.call("again");
    expect(reply.turn.usage.inputTokens).toBe(20);
    const shown = (await agent.messages()).map(({ content, usage: used }) => [content, used?.inputTokens]);
    expect(shown[1]).toMatchObject([[{ source: { url: "https://a.example/1.png" } }], 10]);
    expect(shown[3]).toMatchObject([[{ source: { url: "https://a.example/2.png" } }], 20]);
  });

  test("a hook that changes a stored message fails with an error that names the place", async () => {
    const hook: Hook = {
      name: "careless",
      postReasoning: ({ message }) => void (message.content as unknown[]).push({ type: "text", text: "!" }),
    };
    const { agent } = scripted(["done"], { hooks: [hook] });
    await expect(agent.call("go")).rejects.toMatchObject({
      code: "hook/failed",
      message: expect.stringContaining("'careless' failed in postReasoning"),
    });
  });

  test("a stored message cannot be changed through the object that a hook returned", async () => {
    const kept: Msg[] = [];
    const hook: Hook = {
      name: "keeps",
      postReasoning: ({ message }) => {
        const mine = { ...message, content: [{ type: "text" as const, text: "mine" }] };
        kept.push(mine);
        return { message: mine };
      },
    };
    const { agent } = scripted(["done"], { hooks: [hook] });
    await agent.call("go");
    spoil(kept);
    expect(JSON.stringify(await agent.messages())).not.toContain("spoilt");
  });
});

describe("an observer cannot change what others receive or what happens", () => {
  const script = [{ ...call, thinking: "hm", usage: { inputTokens: 5 } }, "done"];
  const tools = [
    toolOf("look", (_, ctx) => {
      ctx.emit("looking");
      return "seen";
    }),
  ];

  test("a listener cannot change any event for others", async () => {
    const { agent, model } = scripted(script, { tools });
    const told: string[] = [];
    const spoilt = new Set<string>();
    agent.subscribe((event) => void (spoil(event) > 0 && spoilt.add(event.type)));
    agent.subscribe((event) => {
      if ("input" in event) expect(() => (event.input as Msg[]).push(userMsg("more"))).toThrow(TypeError);
    });
    agent.subscribe((event) => told.push(JSON.stringify(event)));
    expect((await agent.call("go")).text).toBe("done");
    expect([...spoilt]).toEqual([]);
    expect(told.join()).not.toContain("spoilt");
    expect(model.requests[0]!.messages).toHaveLength(1);
  });

  test("a listener of a cumulative stream cannot change its events for others", async () => {
    const { agent } = scripted(["done"]);
    const told = [];
    for await (const event of agent.stream("go", { cumulative: true })) told.push(spoil(event));
    expect(told.every((changed) => changed === 0)).toBe(true);
  });

  test.each(["reasoningChunk", "summaryChunk", "actingChunk"] as const)(
    "a %s hook cannot change for others what it receives",
    async (point) => {
      const heard: string[] = [];
      const spoils = ({ context: _, signal: __, ...event }: object & { context: unknown; signal: unknown }) =>
        void heard.push(JSON.stringify(event));
      const { agent } = scripted(script, {
        maxIters: 1,
        tools,
        hooks: [
          { name: "careless", [point]: (event: object) => void spoil({ usage: (event as Msg).usage }) },
          { name: "rude", [point]: (event: { delta: string }) => void (event.delta = "spoilt") },
          { name: "hears", [point]: spoils },
        ],
      });
      await agent.call("go");
      expect(heard.length).toBeGreaterThan(0);
      expect(heard.join()).not.toContain("spoilt");
    },
  );

  test.each(["onInterrupt", "onError"] as const)(
    "an %s hook cannot change for others what it receives",
    async (point) => {
      const heard: string[] = [];
      const careless = (event: object): void => {
        const { pending, error } = event as { pending?: unknown; error?: unknown };
        spoil(pending ?? error);
      };
      const hears = ({ context: _, signal: __, ...event }: { context: unknown; signal: unknown }): void =>
        void heard.push(JSON.stringify(event));
      const { agent } = scripted([point === "onError" ? { error: new Error("down") } : call], {
        modelOptions: { execution: { maxAttempts: 1 } },
        tools: [toolOf("look")],
        hooks: [
          { name: "careless", [point]: careless },
          { name: "hears", [point]: hears },
        ],
      });
      await agent.call("go").catch(() => {});
      agent.interrupt();
      await expect.poll(() => heard).toHaveLength(1);
      expect(heard[0]).not.toContain("spoilt");
    },
  );
});

describe("a hook changes a prompt only by the value it returns", () => {
  const rude = (
    change: (event: { messages: Msg[]; options: { temperature: number }; tools: string[] }) => void,
  ) => ({
    name: "rude",
    preReasoning: (event: unknown) => {
      expect(() => change(event as never)).toThrow(TypeError);
    },
    preSummary: (event: unknown) => {
      expect(() => change(event as never)).toThrow(TypeError);
    },
  });

  test.each<[string, Parameters<typeof rude>[0]]>([
    ["its messages", ({ messages }) => messages.shift()],
    [
      "one of them",
      ({ messages }) => void ((messages.at(-1)!.content[0] as { text: string }).text = "spoilt"),
    ],
    ["its options", ({ options }) => void (options.temperature = 9)],
    ["its tools", ({ tools }) => void tools.push("other")],
  ])("a hook cannot change %s in place", async (_, change) => {
    const generateOptions = { temperature: 0.5 };
    const { agent, model } = scripted([call, "summary"], {
      maxIters: 1,
      generateOptions,
      tools: [toolOf("look", () => "seen")],
      hooks: [rude(change), { name: "adds", preReasoning: () => ({ append: [userMsg("note")] }) }],
    });
    await agent.call("go");
    expect(model.requests.map(({ options }) => options)).toEqual([generateOptions, generateOptions]);
    expect(model.requests[0]!.messages.map(textOf)).toEqual(["go", "note"]);
    expect(JSON.stringify(model.requests[1]!.messages)).not.toContain("spoilt");
    expect(Object.isFrozen(generateOptions)).toBe(false);
  });

  test("a preCall hook cannot change history and input in place, and keeps their messages afterwards", async () => {
    const preCall = ({ history, input }: { history: readonly Msg[]; input: readonly Msg[] }): void => {
      expect(() => (history as Msg[]).pop()).toThrow(TypeError);
      expect(() => (input as Msg[]).pop()).toThrow(TypeError);
      expect(spoil(input)).toBe(0);
    };
    const { agent } = scripted(["done"], { hooks: [{ name: "rude", preCall } as unknown as Hook] });
    expect((await agent.call("go")).text).toBe("done");
    expect((await agent.messages()).map(textOf)).toEqual(["go", "done"]);
  });
});

const nested = (levels: number): JsonObject => {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
};

test("cyclic arguments of a model are an error result that the model reads", async () => {
  const tool = toolOf("look", () => "seen");
  const args = '{"a":'.repeat(200_000) + "1" + "}".repeat(200_000);
  const { agent } = scripted(
    [
      [
        { type: "tool.delta", key: 0, id: "c1", name: "look", args },
        { type: "finish", reason: "tool_calls" },
      ],
      "done",
    ],
    { tools: [tool] },
  );
  expect((await agent.call("go")).text).toBe("done");
  expect(outputOf(resultsOf(await agent.messages())[0])).toContain("nested deeper than 500 levels");
});

test.each([
  ["deep", () => nested(100_000), "nested deeper than 500 levels, or contains itself"],
  ["of a bigint", () => ({ big: 1n }) as never, "contains a bigint, which is not JSON"],
])("a tool's metadata that is %s is an error result that the model reads", async (_, metadata, problem) => {
  const tool = toolOf("look", () => ({ output: [{ type: "text", text: "seen" }], metadata: metadata() }));
  const { agent } = scripted([call, "done"], { tools: [tool] });
  expect((await agent.call("go")).text).toBe("done");
  expect(outputOf(resultsOf(await agent.messages())[0])).toContain(problem);
  expect(() => JSON.stringify(agent.snapshot())).not.toThrow();
});

test("keys such as __proto__ are stored as ordinary keys", async () => {
  const metadata = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as JsonObject;
  const { agent } = scripted(["done"]);
  await agent.call({ ...userMsg("go"), metadata });
  const stored = (await agent.messages())[0]!.metadata;
  expect(JSON.stringify(stored)).toBe('{"__proto__":{"a":1},"constructor":2}');
  expect(Object.getPrototypeOf(stored)).toBe(Object.prototype);
});

test.each(["deep", "circular", "bigint"] as const)("a message with %s metadata is refused", async (kind) => {
  const circular: { [key: string]: unknown } = {};
  circular["self"] = circular;
  const metadata = { deep: nested(100_000), circular, bigint: { big: 1n } }[kind] as JsonObject;
  const { agent } = scripted(["done"]);
  await expect(agent.call({ ...userMsg("go"), metadata })).rejects.toMatchObject({
    code: "message/invalid",
    message: expect.stringMatching(
      /^The input: message 0 (is nested deeper than 500 levels|contains a bigint)/,
    ),
  });
  expect(await agent.messages()).toEqual([]);
});
