// Messages of Chat Completions.
import { describe, expect, test } from "vitest";
import { assistantMsg, systemMsg, toolResultMsg, userMsg } from "../../../src/core/message/msg.ts";
import type { Block, Msg, ToolUseBlock } from "../../../src/core/message/types.ts";
import { toChatMessages } from "../../../src/core/model/openai/index.ts";

const image = { type: "image", source: { type: "url", url: "https://x.test/a.png" } } as const;
const png = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } } as const;
const use = (id: string, fields: Partial<ToolUseBlock> = {}): ToolUseBlock => ({
  type: "tool_use",
  id,
  name: "f",
  input: {},
  ...fields,
});
const assistant = (...content: Block[]): Msg => assistantMsg("", { content });
const result = (callId: string, text = "ok"): Msg => toolResultMsg([{ callId, name: "f", text }]);

describe("system and user", () => {
  test("the system message is text", () => {
    expect(toChatMessages([systemMsg("Be brief")])).toEqual([{ role: "system", content: "Be brief" }]);
  });

  test("a single text is a plain string, no content an empty one", () => {
    expect(toChatMessages([userMsg("hi"), userMsg("", { content: [] })])).toEqual([
      { role: "user", content: "hi" },
      { role: "user", content: "" },
    ]);
  });

  test("several blocks are parts", () => {
    const wav = {
      type: "audio",
      source: { type: "base64", mediaType: "audio/x-wav", data: "UklG" },
    } as const;
    const mp3 = { type: "audio", source: { type: "base64", mediaType: "audio/mpeg", data: "SUQz" } } as const;
    const film = { type: "video", source: { type: "url", url: "https://x.test/a.mp4" } } as const;
    const content: Block[] = [{ type: "text", text: "see" }, image, png, wav, mp3, film];
    expect(toChatMessages([userMsg("", { content })])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "see" },
          { type: "image_url", image_url: { url: "https://x.test/a.png" } },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "input_audio", input_audio: { data: "UklG", format: "wav" } },
          { type: "input_audio", input_audio: { data: "SUQz", format: "mp3" } },
          { type: "video_url", video_url: { url: "https://x.test/a.mp4" } },
        ],
      },
    ]);
  });

  test("a single image is a part too", () => {
    expect(toChatMessages([userMsg("", { content: [image] })])).toMatchObject([
      { content: [{ type: "image_url" }] },
    ]);
  });
});

describe("assistant", () => {
  test("a message with only calls has empty content", () => {
    expect(toChatMessages([assistant(use("a", { input: { x: 1 } }))])).toEqual([
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } }],
      },
    ]);
  });

  test("raw input that is not a JSON object never reaches the wire", () => {
    const [message] = toChatMessages([assistant(use("a", { rawInput: '{"x": ' }))]);
    expect(message).toMatchObject({ tool_calls: [{ function: { arguments: "{}" } }] });
  });

  test("thinking goes back in the field it came in", () => {
    const thinking = { type: "thinking", thinking: "hm" } as const;
    expect(toChatMessages([assistant(thinking, { type: "text", text: "yes" })])).toEqual([
      { role: "assistant", content: "yes", reasoning_content: "hm" },
    ]);
    expect(toChatMessages([assistant({ ...thinking, opaque: { openai: { field: "reasoning" } } })])).toEqual([
      { role: "assistant", content: "", reasoning: "hm" },
    ]);
  });

  test.each([
    ["", (data: object) => ({ openai: { host: "openrouter.ai", ...data } })],
    [", also data without the name of its adapter", (data: object) => data],
  ])("signed thinking goes back as it came, after a round through JSON too%s", (_, opaqueOf) => {
    const reasoning_details = [{ type: "reasoning.text", text: "hm", signature: "s" }];
    const opaque = opaqueOf({ field: "reasoning", reasoning_details });
    const thinking = { type: "thinking", thinking: "hm", opaque };
    const message = JSON.parse(JSON.stringify(assistant(thinking as never)));
    expect(toChatMessages([message])).toEqual([
      { role: "assistant", content: "", reasoning: "hm", reasoning_details },
    ]);
    expect(toChatMessages([message], { sendReasoning: false })).toEqual([{ role: "assistant", content: "" }]);
  });

  test("thinking stays here if sendReasoning is off, and foreign opaque data always", () => {
    const thinking = { type: "thinking", thinking: "hm", opaque: { signature: "s" } } as const;
    expect(toChatMessages([assistant(thinking)], { sendReasoning: false })).toEqual([
      { role: "assistant", content: "" },
    ]);
    expect(toChatMessages([assistant(thinking)])).toEqual([
      { role: "assistant", content: "", reasoning_content: "hm" },
    ]);
  });

  test("thinking that came as a part of the content goes back as one, in its place", () => {
    const opaque = { openai: { host: "api.mistral.ai", field: "content" } };
    const reference = { type: "reference", reference_ids: [1] };
    const message = assistant(
      { type: "thinking", thinking: "hm", opaque },
      { type: "text", text: "yes" },
      {
        type: "provider",
        kind: "openai.content.reference",
        opaque: { openai: { host: "api.mistral.ai", part: reference } },
      },
      { type: "thinking", thinking: "m", opaque },
      use("a"),
    );
    const thought = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }] });
    const content = [thought("hm"), { type: "text", text: "yes" }, reference, thought("m")];
    const [wire] = toChatMessages([message]);
    expect(wire).toMatchObject({ role: "assistant", content, tool_calls: [{ id: "a" }] });
    expect(Object.keys(wire!)).toEqual(["role", "content", "tool_calls"]);
    expect(toChatMessages([message], { sendReasoning: false })).toMatchObject([{ content: "yes" }]);
  });

  test.each([
    ["reasoning_content", { content: "yes", reasoning_content: "hm" }],
    ["reasoning", { content: "yes", reasoning: "hm" }],
    [
      "content",
      {
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
          { type: "text", text: "yes" },
        ],
      },
    ],
  ] as const)("thinking of another provider goes into %s", (reasoningField, fields) => {
    const opaque = { "ai-sdk": { anthropic: { signature: "s" } } };
    const message = assistant({ type: "thinking", thinking: "hm", opaque }, { type: "text", text: "yes" });
    expect(toChatMessages([message], { reasoningField })).toEqual([{ role: "assistant", ...fields }]);
  });

  test("data of a provider that is not for this server is left out", () => {
    const block = { type: "provider", kind: "openai.compaction", opaque: { responses: {} } } as const;
    expect(toChatMessages([assistant(block, { type: "text", text: "yes" })])).toEqual([
      { role: "assistant", content: "yes" },
    ]);
    expect(toChatMessages([userMsg("", { content: [block, { type: "text", text: "hi" }] })])).toEqual([
      { role: "user", content: "hi" },
    ]);
  });

  test("media it made are named, as the role takes only text", () => {
    expect(toChatMessages([assistant({ type: "text", text: "Here" }, image, png)])).toEqual([
      {
        role: "assistant",
        content:
          "Here\nThe returned image can be found at: https://x.test/a.png\n[image, image/png: not shown]",
      },
    ]);
  });

  test("a signature goes back with its call", () => {
    const extra_content = { google: { thought_signature: "s" } };
    for (const opaque of [{ openai: { extra_content } }, { extra_content }])
      expect(toChatMessages([assistant(use("a", { opaque }))])).toMatchObject([
        { tool_calls: [{ extra_content }] },
      ]);
  });

  test("a call without a name, and with strictNames one of a made-up name, cannot spoil later requests", () => {
    const message = assistant(use("a", { name: "" }), use("b", { name: "multi_tool.use all" }));
    const namesOf = (options: object) =>
      toChatMessages([message], options).map(
        (wire) => wire.role === "assistant" && wire.tool_calls?.map((call) => call.function.name),
      );
    expect(namesOf({})).toEqual([["unknown", "multi_tool.use all"]]);
    expect(namesOf({ strictNames: true })).toEqual([["unknown", "multi_tool_use_all"]]);
  });
});

describe("tool results", () => {
  test("every result of a message is a message of its own", () => {
    const results = toolResultMsg([
      { callId: "a", name: "f", text: "one" },
      { callId: "b", name: "g", text: "two" },
    ]);
    expect(toChatMessages([results])).toEqual([
      { role: "tool", tool_call_id: "a", content: "one" },
      { role: "tool", tool_call_id: "b", content: "two" },
    ]);
  });

  test("results in a user message come before its text", () => {
    const content: Block[] = [{ type: "text", text: "and now?" }, ...result("a").content];
    expect(toChatMessages([userMsg("", { content })]).map(({ role }) => role)).toEqual(["tool", "user"]);
  });

  test("media are parts, or text where the server takes only text", () => {
    const output = [{ type: "text", text: "chart" } as const, image];
    const message: Msg = {
      ...result("a"),
      content: [{ type: "tool_result", id: "a", name: "f", output, state: "success" }],
    };
    expect(toChatMessages([message])).toMatchObject([
      { content: [{ type: "text", text: "chart" }, { type: "image_url" }] },
    ]);
    expect(toChatMessages([message], { toolMedia: "text" })).toMatchObject([
      { content: "- chart\n- The returned image can be found at: https://x.test/a.png" },
    ]);
  });

  test.each([
    [["one"], "one"],
    [["one\ntwo"], "one\ntwo"],
    [["one", "two"], "- one\n- two"],
  ])("the texts %j of a result are sent as %j", (texts, content) => {
    const output = texts.map((text) => ({ type: "text" as const, text }));
    const message: Msg = {
      ...result("a"),
      content: [{ type: "tool_result", id: "a", name: "f", output, state: "success" }],
    };
    expect(toChatMessages([message])).toEqual([{ role: "tool", tool_call_id: "a", content }]);
  });

  test("no output is an empty string", () => {
    const message: Msg = {
      ...result("a"),
      content: [{ type: "tool_result", id: "a", name: "f", output: [], state: "success" }],
    };
    expect(toChatMessages([message])).toEqual([{ role: "tool", tool_call_id: "a", content: "" }]);
  });
});

describe("provider ids", () => {
  const idsOf = (messages: readonly Msg[]) =>
    toChatMessages(messages).flatMap((message) =>
      message.role === "tool"
        ? [message.tool_call_id]
        : message.role === "assistant"
          ? (message.tool_calls ?? []).map(({ id }) => id)
          : [],
    );

  test("an id of its own is used for the call and its result", () => {
    expect(idsOf([assistant(use("own", { providerId: "p" })), result("own")])).toEqual(["p", "p"]);
  });

  test("an id that another call has is not used", () => {
    const messages = [
      assistant(use("p")),
      result("p"),
      assistant(use("own", { providerId: "p" })),
      result("own"),
    ];
    expect(idsOf(messages)).toEqual(["p", "p", "own", "own"]);
  });

  test("of two calls with the same provider id the first has it, so that what was sent stays the same", () => {
    const first = [assistant(use("one", { providerId: "p" })), result("one")];
    const second = [assistant(use("two", { providerId: "p" })), result("two")];
    expect(idsOf(first)).toEqual(["p", "p"]);
    expect(idsOf([...first, ...second])).toEqual(["p", "p", "two", "two"]);
  });
});

test("the wire form of a message of a long conversation is computed once", () => {
  const messages = Array.from({ length: 12 }, (_, index) => userMsg(`${index}`));
  const first = toChatMessages(messages);
  const again = toChatMessages([...messages, userMsg("more")]);
  expect(again.slice(0, 12).every((message, index) => message === first[index])).toBe(true);
});

test("a conversation that becomes long is converted as a short one", () => {
  const messages = Array.from({ length: 14 }, (_, index) => userMsg(`${index}`));
  for (let length = 1; length <= messages.length; length++)
    expect(toChatMessages(messages.slice(0, length))).toEqual(
      messages.slice(0, length).map((_, index) => ({ role: "user", content: `${index}` })),
    );
});
