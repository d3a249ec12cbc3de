// Bodies of answers are read as what they are, whatever their type says.
import { describe, expect, test } from "vitest";
import { bodyOf, replay } from "./replay.ts";

const chunk = (delta: object, finish_reason: unknown = null): object => ({
  id: "r",
  choices: [{ index: 0, delta, finish_reason }],
});
const PARTS = [chunk({ role: "assistant", content: "Hel" }), chunk({ content: "lo" }), chunk({}, "stop")];
const DOCUMENT = {
  id: "r",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
};
const data = (value: unknown): string =>
  `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const END = "data: [DONE]\n\n";
const events = PARTS.map(data).join("") + END;
const between = (noise: string): string => PARTS.map((part) => noise + data(part)).join("") + noise + END;

const BODIES: { readonly [body: string]: string } = {
  "a stream of events": events,
  "a stream after a byte order mark": `\uFEFF${events}`,
  "a stream after blank lines": `\n \n${events}`,
  "a stream without its mark of the end": PARTS.map(data).join(""),
  "a stream whose last event has no blank line": PARTS.map(data).join("").trimEnd(),
  "a stream with blanks around its mark": `${PARTS.map(data).join("")}data:  [DONE] \n\n`,
  "a stream with its mark in quotes": `${PARTS.map(data).join("")}data: "[DONE]"\n\n`,
  "a stream after whose mark there is more": `${events}${data({ error: { message: "late" } })}`,
  "one JSON document": JSON.stringify(DOCUMENT),
  "one JSON document on many lines": JSON.stringify(DOCUMENT, null, 2),
  "one JSON document after blank lines": `\n\n  ${JSON.stringify(DOCUMENT)}\n`,
  "one JSON document after a byte order mark": `\uFEFF${JSON.stringify(DOCUMENT)}`,
  "one JSON document as one event": data(DOCUMENT),
  "JSON documents on lines": `${PARTS.map((part) => JSON.stringify(part)).join("\n")}\n`,
  "a list of JSON documents": JSON.stringify(PARTS, null, 1),
};

/** What keeps a connection open, or is of a proxy. */
const NOISE: { readonly [noise: string]: string } = {
  "a comment": ": OPENROUTER PROCESSING\n\n",
  "a comment as data": "data: : OPENROUTER PROCESSING\n\n",
  "empty data": "data:\n\ndata: \n\n",
  "the word ping": "data: ping\n\n",
  "the word keep-alive": "data: keep-alive\n\n",
  "an event ping": 'event: ping\ndata: {"type":"ping"}\n\n',
  "an event of a proxy": 'event: session\ndata: {"id":"s","region":"eu","took_ms":7}\n\n',
  "an event of a proxy that is not JSON": "event: metrics\ndata: ttft=7\n\n",
  "an event of a proxy that says all is well":
    'event: status\ndata: {"status":"ok","error":null,"code":0}\n\n',
  "a chunk ping": 'data: {"type":"ping"}\n\n',
  "a chunk without choices that says nothing":
    'data: {"id":"r","object":"chat.completion.chunk","choices":null}\n\n',
  "a chunk of search results": 'data: {"sources":[{"url":"https://x.test"}]}\n\n',
  "a chunk of a content filter": 'data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}\n\n',
  "a chunk of numbers that nobody knows": 'data: {"choices":[],"kv_cache":{"hits":7}}\n\n',
  "a chunk that says success": `data: {"choices":[],"base_resp":{"status_code":0,"status_msg":"success"},"errors":[]}\n\n`,
  "an empty delta": data(chunk({ tool_calls: [{ index: 0 }] })),
  "a finish reason that says nothing": data(chunk({}, "")) + data(chunk({}, "null")),
};

const HELLO = { content: [{ type: "text", text: "Hello" }], finishReason: "stop" };

describe("a body is read as what it is", () => {
  const types = [
    "text/event-stream",
    "application/json",
    "application/x-ndjson",
    "text/plain",
    "text/html",
    "",
  ];
  test.each(Object.entries(BODIES))(
    "%s, whatever its type is said to be and however it is cut",
    async (_, body) => {
      for (const type of types)
        for (const sizes of [[Infinity], [1], [3, 50]])
          expect(await replay(body, { type, sizes }), `${type} ${sizes.join()}`).toMatchObject(HELLO);
    },
  );

  test.each(types)("a web page as %j says that the address is wrong", async (type) => {
    const page = "\n<!doctype html><html><body>Sign in</body></html>";
    await expect(replay(page, { type, sizes: [1] })).rejects.toMatchObject({
      code: "model/bad-response",
      isRetryable: false,
      message: expect.stringContaining("is a web page: check baseURL"),
    });
  });

  test.each(Object.entries(NOISE))("between the parts of an answer, %s is nothing", async (_, noise) => {
    expect(await replay(between(noise))).toMatchObject(HELLO);
    expect((await replay(noise + bodyOf("parallel-interleaved.chunks.txt"))).content).toMatchObject([
      { type: "tool_use", name: "harbour" },
      { type: "tool_use", name: "tides" },
    ]);
  });
});

describe("an answer ends by its finish reason", () => {
  const text = chunk({ content: "Hello" });

  test.each<[string, string]>([
    ["is marked as done", data(text) + END],
    ["is marked as done, with a finish reason of null", data(text) + data(chunk({}, null)) + END],
    ["is marked as done, with an empty one", data(text) + data(chunk({}, "")) + END],
    ["is marked as done, with the word null", data(chunk({ content: "Hello" }, "null")) + END],
    ["ends", data(text)],
    ["is one JSON document", JSON.stringify({ choices: [{ message: { content: "Hello" } }] })],
    [
      "has only another choice",
      data({ choices: [{ index: 1, delta: {}, finish_reason: "stop" }] }) + data(text),
    ],
    ["goes on after its finish reason, and ends", data(chunk({}, "stop")) + data(text)],
    [
      "goes on after its finish reason, and fails",
      data(chunk({ content: "a" }, "stop")) + data(text) + data({ error: "down" }) + END,
    ],
  ])("one that %s without it has failed", async (_, body) => {
    await expect(replay(body)).rejects.toMatchObject({
      code: expect.stringMatching(/^model\//),
      isRetryable: true,
    });
  });

  test.each<[string, string]>([
    [
      "is said with each part",
      PARTS.map((_, at) => data(chunk({ content: "Hel lo"[at * 3] ?? "" }, "stop"))).join("") + END,
    ],
    ["comes before its last text", data(chunk({}, "stop")) + data(text) + END],
    ["is followed by a break", data(chunk({ content: "a" }, "stop")) + data({ error: { message: "late" } })],
  ])("one whose finish reason %s is whole", async (_, body) => {
    expect((await replay(body)).finishReason).toBe("stop");
  });

  test.each([
    ["STOP", "stop"],
    ["end_turn", "stop"],
    ["stop-sequence", "stop"],
    ["MAX_TOKENS", "length"],
    ["FINISH_REASON_MAX_TOKENS", "length"],
    ["tool_use", "tool_calls"],
    ["SAFETY", "content_filter"],
    ["refusal", "refusal"],
    ["eos", "unknown"],
  ])("the word %s is %s", async (word, reason) => {
    expect(await replay(data(chunk({ content: "a" }, word)))).toMatchObject({
      finishReason: reason,
      raw: word,
    });
  });
});
