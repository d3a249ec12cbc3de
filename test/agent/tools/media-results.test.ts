// Results of tools with images, audio and video.
import { describe, expect, test } from "vitest";
import { defineTool, type MediaBlock, type Msg, type TextBlock, type ToolOutcome } from "agentchart";
import { z } from "zod";
import { toChatMessages } from "../../../src/core/model/openai/index.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { historyProblem } from "../../support/history.ts";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

const IMAGE = {
  type: "image",
  source: { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" },
} as const satisfies MediaBlock;
const AUDIO = { type: "audio", source: { type: "url", url: "https://x.test/a.mp3" } } as const;
const VIDEO = {
  type: "video",
  source: { type: "url", url: "https://x.test/v.mp4" },
  opaque: { fps: 25, cut: null },
} as const;
const BLOCKS: readonly (TextBlock | MediaBlock)[] = [{ type: "text", text: "three" }, IMAGE, AUDIO, VIDEO];

const ASKED = { calls: [{ id: "c1", name: "shoot" }] };

/** What the model is shown of the only result. */
const shownResult = (messages: readonly Msg[]) => resultsOf(messages)[0]!;

describe("blocks of text, image, audio and video from a tool", () => {
  const returning = (outcome: ToolOutcome) => toolOf("shoot", () => outcome);
  const yielding = defineTool({
    name: "shoot",
    description: "shoot",
    input: z.object({}),
    execute: async function* () {
      yield "click";
      return { output: BLOCKS };
    },
  });
  const emitting = toolOf("shoot", (_, { emit }) => {
    emit(IMAGE);
    return { output: BLOCKS };
  });

  test.each([
    ["returned", returning({ output: BLOCKS })],
    ["by a generator", yielding],
    ["after it has emitted another", emitting],
  ])("media blocks %s are stored and sent to the model unchanged", async (_, tool) => {
    const { agent, model } = scripted([ASKED, "done"], { tools: [tool] });
    expect((await agent.call("go")).text).toBe("done");
    const { messages } = model.requests[1]!;
    expect(shownResult(messages)).toMatchObject({
      type: "tool_result",
      id: "c1",
      name: "shoot",
      output: BLOCKS,
      state: "success",
    });
    expect(shownResult(await agent.messages())!.output).toEqual(shownResult(messages)!.output);
    expect(historyProblem(messages)).toBeUndefined();
    const chat = toChatMessages(messages).find(({ role }) => role === "tool");
    expect(chat!.content).toMatchObject([
      { type: "text", text: "three" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
      { type: "input_audio" },
      { type: "video_url", video_url: { url: "https://x.test/v.mp4" } },
    ]);
  });

  test("media blocks of a failed result keep its state, code and metadata", async () => {
    const outcome = { output: [IMAGE], state: "error", metadata: { lens: "dirty" } } as const;
    const { agent, model } = scripted([ASKED, "done"], { tools: [returning(outcome)] });
    await agent.call("go");
    const shown = shownResult(model.requests[1]!.messages);
    expect(shown).toMatchObject({ ...outcome, code: "tool/failed" });
    expect(shown.output).toEqual([IMAGE]);
  });

  test("a result with no output blocks is valid", async () => {
    const { agent, model } = scripted([ASKED, "done"], { tools: [returning({ output: [] })] });
    expect((await agent.call("go")).text).toBe("done");
    expect(shownResult(model.requests[1]!.messages)).toMatchObject({ output: [], state: "success" });
  });

  test.each<[string, object]>([
    ["an image without a source", { type: "image" }],
    ["an image with data of no type", { type: "image", source: { type: "base64", data: "AAAA" } }],
    ["a text without text", { type: "text" }],
  ])("a result with %s is replaced by an error result that names the place", async (_, block) => {
    const { agent } = scripted([ASKED, "done"], { tools: [returning({ output: [IMAGE, block] as never })] });
    expect((await agent.call("go")).text).toBe("done");
    const result = shownResult(await agent.messages());
    expect(result).toMatchObject({ state: "error", code: "tool/failed" });
    expect(outputOf(result)).toContain("output.1");
  });
});

describe("media in the next request", () => {
  test("media from a postActing hook that replaces a text reach the next request", async () => {
    const hooks = [{ name: "develop", postActing: () => ({ result: { output: BLOCKS } }) }];
    const { agent, model } = scripted([ASKED, "done"], { hooks, tools: [toolOf("shoot", () => "film")] });
    await agent.call("go");
    expect(shownResult(model.requests[1]!.messages).output).toEqual(BLOCKS);
  });

  test("media from a person's answer reach the next request", async () => {
    const { agent, model } = scripted([ASKED, "done"], { tools: [toolOf("shoot")] });
    await agent.call("go");
    await agent.decide("c1", { answer: BLOCKS });
    expect((await agent.call()).text).toBe("done");
    expect(shownResult(model.requests[1]!.messages)).toMatchObject({ output: BLOCKS, state: "success" });
  });

  test("media from a result that the caller passes reach the next request", async () => {
    const { agent, model } = scripted([ASKED, "done"], { tools: [toolOf("shoot")] });
    const { content, ...reply } = await agent.call("go");
    const given = content.flatMap((block) =>
      block.type === "tool_result" ? [{ ...block, state: "success" as const, output: BLOCKS }] : [],
    );
    expect((await agent.call({ ...reply, id: "given", role: "tool", content: given } as Msg)).text).toBe(
      "done",
    );
    expect(shownResult(model.requests[1]!.messages).output).toEqual(BLOCKS);
  });

  test.each(["snapshot", "store"])("media restored from a %s reach the next request", async (kept) => {
    const tools = [toolOf("shoot", () => ({ output: BLOCKS }))];
    const store = memoryStore();
    const config = kept === "store" ? { tools, store, sessionId: "s" } : { tools };
    const first = scripted([ASKED, "done"], config).agent;
    await first.call("go");
    const snapshot = JSON.parse(JSON.stringify(first.snapshot()));
    await first.close();
    const next = scripted(["again"], kept === "store" ? config : { tools, sessionOptions: { snapshot } });
    await next.agent.call("more");
    expect(shownResult(next.model.requests[0]!.messages).output).toEqual(BLOCKS);
  });
});

describe("a tool result that is not made of blocks", () => {
  test.each<[string, unknown, string]>([
    ["a string stays unquoted", 'say "hi"', 'say "hi"'],
    ["an empty string stays empty", "", ""],
    ["an object is its JSON", { a: [1, null] }, '{"a":[1,null]}'],
    ["a list of strings is its JSON", ["a"], '["a"]'],
    ["null is its JSON", null, "null"],
    ["false is its JSON", false, "false"],
    ["an object with an output that is not a list of blocks is its JSON", { output: "x" }, '{"output":"x"}'],
  ])("%s", async (_, value, text) => {
    const { agent, model } = scripted([ASKED, "done"], { tools: [toolOf("shoot", () => value as never)] });
    await agent.call("go");
    const shown = shownResult(model.requests[1]!.messages);
    expect(shown).toMatchObject({ state: "success", output: [{ type: "text", text }] });
  });
});
