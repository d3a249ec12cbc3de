import { describe, expect, test } from "vitest";
import { userMsg, type Hook, type JsonObject, type Msg, type StreamPart } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../support/agents.ts";

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

describe("what is stored can be changed by nobody", () => {
  test("neither by a listener nor by what messages() gives", async () => {
    const { agent } = scripted([call, "done"], { tools: [toolOf("look", () => "seen")] });
    agent.subscribe((event) => void ("message" in event && spoil(event.message)));
    await agent.call(userMsg("go"));
    const before = JSON.stringify(await agent.messages());
    expect((await agent.messages()).map(spoil)).toEqual([0, 0, 0, 0]);
    expect(JSON.stringify(await agent.messages())).toBe(before);
    expect(before).not.toContain("spoilt");
  });

  test("nor by a tool, which has its input for itself", async () => {
    const tool = toolOf("look", (input) => {
      (input as { where: { at: number[] } }).where.at.push(3);
      return JSON.stringify(input);
    });
    const { agent } = scripted([call, "done"], { tools: [tool] });
    await agent.call("go");
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe('{"where":{"at":[1,2,3]}}');
    expect(JSON.stringify((await agent.messages())[1])).toContain('{"where":{"at":[1,2]}}');
  });

  test("nor by whoever said it, afterwards", async () => {
    const { agent } = scripted(["done"]);
    const message = userMsg("go");
    await agent.call(message);
    (message.content as unknown[]).push({ type: "text", text: "and more" });
    expect((await agent.messages())[0]!.content).toEqual([{ type: "text", text: "go" }]);
  });

  test("nor by whoever froze it only on its surface", async () => {
    const { agent } = scripted(["done"]);
    const message = Object.freeze(userMsg("go"));
    await agent.call(message);
    (message.content as unknown[]).push({ type: "text", text: "and more" });
    expect((await agent.messages())[0]!.content).toEqual([{ type: "text", text: "go" }]);
  });

  test("nor by the model, whose own objects stay as free as they were", async () => {
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

  test("a hook that tries it fails, and says where", async () => {
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

  test("nor what a hook keeps of the message it gave", async () => {
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

const nested = (levels: number): JsonObject => {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
};

test("a model's arguments that are nested without end are an error it reads", async () => {
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
  ["deep", () => nested(100_000), "nested deeper than 500 levels, or holds itself"],
  ["of a bigint", () => ({ big: 1n }) as never, "holds a bigint, which is no JSON"],
])("a tool's metadata that is %s is an error the model reads", async (_, metadata, problem) => {
  const tool = toolOf("look", () => ({ output: [{ type: "text", text: "seen" }], metadata: metadata() }));
  const { agent } = scripted([call, "done"], { tools: [tool] });
  expect((await agent.call("go")).text).toBe("done");
  expect(outputOf(resultsOf(await agent.messages())[0])).toContain(problem);
  expect(() => JSON.stringify(agent.snapshot())).not.toThrow();
});

test("keys with a meaning of their own are kept as they came", async () => {
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
    message: expect.stringMatching(/^The input: message 0 (is nested deeper than 500 levels|holds a bigint)/),
  });
  expect(await agent.messages()).toEqual([]);
});
