import { eventStream, expected, type ModelRecording } from "./model-recording.ts";

const { text, thinking, call } = expected;

type Fields = { readonly [name: string]: unknown };

const start = (index: number, content_block: Fields): Fields => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, fields: Fields): Fields => ({
  type: "content_block_delta",
  index,
  delta: fields,
});
const stop = (index: number): Fields => ({ type: "content_block_stop", index });

const events: readonly Fields[] = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 4,
        cache_read_input_tokens: 6,
        output_tokens: 1,
      },
    },
  },
  start(0, { type: "thinking", thinking: "", signature: "" }),
  { type: "ping" },
  delta(0, { type: "thinking_delta", thinking: "A town" }),
  delta(0, { type: "thinking_delta", thinking: " is meant." }),
  delta(0, { type: "signature_delta", signature: "SIG1" }),
  stop(0),
  start(1, { type: "redacted_thinking", data: "REDACTED" }),
  stop(1),
  start(2, { type: "text", text: "" }),
  delta(2, { type: "text_delta", text: "Ich frage in Ålesund." }),
  stop(2),
  start(3, { type: "thinking", thinking: "", signature: "" }),
  delta(3, { type: "thinking_delta", thinking: "Now ask." }),
  delta(3, { type: "signature_delta", signature: "SIG2" }),
  stop(3),
  start(4, { type: "tool_use", id: "toolu_1", name: "harbour", input: {} }),
  delta(4, { type: "input_json_delta", partial_json: '{"town":' }),
  delta(4, { type: "input_json_delta", partial_json: ' "Ålesund"}' }),
  stop(4),
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 30 },
  },
  { type: "message_stop" },
];

/** A stream of Anthropic's Messages. */
export const anthropicRecordings: readonly ModelRecording[] = [
  {
    provider: "Anthropic",
    wire: "anthropic",
    body: eventStream(events, (event) => String((event as Fields)["type"])),
    content: [
      thinking("A town is meant."),
      thinking(""),
      text("Ich frage in Ålesund."),
      thinking("Now ask."),
      call("harbour", { town: "Ålesund" }),
    ],
    finishReason: "tool_calls",
    usage: { inputTokens: 20, outputTokens: 30, cachedInputTokens: 6, cacheWriteTokens: 4 },
  },
];
