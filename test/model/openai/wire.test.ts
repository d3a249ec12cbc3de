// Recorded and imitated traffic of real servers.
import fc from "../../support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { bodyOf, namesIn, RECORDED, replay } from "./replay.ts";

describe("our fixtures in the shapes of real servers", () => {
  test("usage in a last chunk without choices is the usage of the answer", async () => {
    expect(await replay(bodyOf("text-usage-last.chunks.txt"))).toEqual({
      content: [{ type: "text", text: "Three ports" }],
      finishReason: "stop",
      raw: "stop",
      usage: { inputTokens: 11, outputTokens: 3, cachedInputTokens: 4, reasoningTokens: 0 },
      responseId: "resp-1",
      metadata: { model: "m" },
    });
  });

  test("ids repeated as empty strings belong to the call of their index", async () => {
    const { content, finishReason, usage } = await replay(bodyOf("tool-call-empty-ids.chunks.txt"));
    expect(content).toEqual([{ type: "tool_use", id: "call_a1", name: "harbour", input: { town: "Åres" } }]);
    expect({ finishReason, usage }).toEqual({
      finishReason: "tool_calls",
      usage: { inputTokens: 80, outputTokens: 9 },
    });
  });

  test("empty names in later fragments leave the name as it is", async () => {
    const { content, usage } = await replay(bodyOf("tool-call-empty-names.chunks.txt"));
    expect(content).toEqual([{ type: "tool_use", id: "gw-1", name: "lookUp", input: { q: "tides" } }]);
    expect(usage).toEqual({ inputTokens: 50, outputTokens: 7, cachedInputTokens: 32 });
  });

  test("reasoning_content becomes thinking, and usage in the finishing chunk counts with its cache hits", async () => {
    expect(await replay(bodyOf("reasoning-tool-call.chunks.txt"))).toMatchObject({
      content: [
        { type: "thinking", thinking: "A town is meant." },
        { type: "tool_use", id: "call_00_x", name: "harbour", input: { town: "Oslo" } },
      ],
      usage: { inputTokens: 200, outputTokens: 40, cachedInputTokens: 128, reasoningTokens: 20 },
    });
  });

  test("whole calls in one delta are calls of their own, and usage is found under x_groq", async () => {
    const { content, usage } = await replay(bodyOf("whole-calls-x-groq.chunks.txt"));
    expect(content).toEqual([
      {
        type: "thinking",
        thinking: "Two at once.",
        opaque: { openai: { host: "models.test", field: "reasoning" } },
      },
      { type: "tool_use", id: "tk1", name: "harbour", input: {} },
      { type: "tool_use", id: "tk2", name: "tides", input: { day: 1 } },
    ]);
    expect(usage).toEqual({ inputTokens: 30, outputTokens: 12 });
  });

  test("a first chunk without choices and id does no harm", async () => {
    expect(await replay(bodyOf("router-first-chunk-empty.chunks.txt"))).toMatchObject({
      content: [{ type: "text", text: "Bergen" }],
      responseId: "resp-7",
      usage: { inputTokens: 9, outputTokens: 30, reasoningTokens: 24 },
    });
  });

  test("reasoning that a server counts apart is part of the output tokens", async () => {
    expect((await replay(bodyOf("reasoning-counted-apart.chunks.txt"))).usage).toEqual({
      inputTokens: 12,
      outputTokens: 91,
      cachedInputTokens: 11,
      reasoningTokens: 90,
    });
  });

  test("interleaved fragments of parallel calls keep apart", async () => {
    expect((await replay(bodyOf("parallel-interleaved.chunks.txt"))).content).toEqual([
      { type: "tool_use", id: "p0", name: "harbour", input: { town: "Moss" } },
      { type: "tool_use", id: "p1", name: "tides", input: { day: 2 } },
    ]);
  });

  test("a refusal is text with its own finish reason", async () => {
    expect(await replay(bodyOf("refusal.chunks.txt"))).toMatchObject({
      content: [{ type: "text", text: "I can't help with that." }],
      finishReason: "refusal",
      raw: "stop",
    });
  });

  test("any cut of the bytes, also within a character, gives the same answer", async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...namesIn()), sizes, async (name, cut) => {
        expect(await replay(bodyOf(name), { sizes: cut })).toEqual(await replay(bodyOf(name)));
      }),
      { numRuns: 60 },
    );
  });

  test("a byte order mark before the first event is not text, and one in a text is", async () => {
    const chunk = { id: "c", choices: [{ index: 0, delta: { content: "a\uFEFFb" }, finish_reason: "stop" }] };
    const body = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
    const before = new TextEncoder().encode(body.slice(0, body.indexOf("\uFEFF"))).length;
    for (const sizes of [[Infinity], [1], [before, Infinity], [before + 1, Infinity], [before + 3, Infinity]])
      expect((await replay(body, { sizes })).content, String(sizes)).toEqual([
        { type: "text", text: "a\uFEFFb" },
      ]);
    for (const sizes of [[Infinity], [1], [3, Infinity], [2, Infinity]])
      expect((await replay(`\uFEFF${body}`, { sizes })).content, String(sizes)).toHaveLength(1);
  });

  test("CRLF line ends, comments and event names are read over", async () => {
    const body = bodyOf("text-usage-last.chunks.txt");
    const crlf = `: keep-alive\r\n\r\n${body.replaceAll("data:", "event: message\r\nid: 7\r\ndata:").replaceAll("\n\n", "\r\n\r\n")}`;
    expect(await replay(crlf, { sizes: [1] })).toEqual(await replay(body));
  });
});

const recorded = RECORDED === undefined ? [] : namesIn(RECORDED);

describe.runIf(recorded.length > 0)(
  "recorded traffic of real servers (WIRE_FIXTURES names its folder)",
  () => {
    test.for(recorded.length > 0 ? recorded : ["none on this machine"])(
      "%s folds to a whole answer, however it is cut",
      async (name) => {
        const body = bodyOf(name, RECORDED);
        const type = name.endsWith(".json") ? "application/json" : "text/event-stream";
        const answer = await replay(body, { type });
        const calls = answer.content.filter((block) => block.type === "tool_use");
        expect(answer.content.length).toBeGreaterThan(0);
        expect(answer.finishReason).not.toBe("unknown");
        expect(answer.responseId).toBeTruthy();
        expect(answer.usage !== undefined).toBe(body.includes('"prompt_tokens"'));
        expect(
          calls.filter((call) => call.name === "" || call.id === "" || call.rawInput !== undefined),
        ).toEqual([]);
        expect(await replay(body, { type, sizes: [7, 1, 1_000] })).toEqual(answer);
      },
    );
  },
);
