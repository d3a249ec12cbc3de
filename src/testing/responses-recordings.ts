import { eventStream, expected, type ModelRecording } from "./model-recording.ts";

const { text, thinking, call } = expected;

type Fields = { readonly [name: string]: unknown };

function recording(
  events: readonly Fields[],
  answer: Omit<ModelRecording, "provider" | "wire" | "body">,
): ModelRecording {
  const numbered = events.map((event, index) => ({ ...event, sequence_number: index }));
  const body = eventStream(numbered, (event) => String((event as Fields)["type"]));
  return { provider: "OpenAI", wire: "responses", body, ...answer };
}

const head = { id: "resp_1", object: "response", model: "m", created_at: 7, output: [] };
const created: Fields = { type: "response.created", response: { ...head, status: "in_progress" } };
const usage = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 32 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 12 },
  total_tokens: 60,
};
const counted = { inputTokens: 40, outputTokens: 20, cachedInputTokens: 32, reasoningTokens: 12 };
const at = (output_index: number, type: string, fields: Fields): Fields => ({
  type: `response.${type}`,
  output_index,
  ...fields,
});

/** Streams of OpenAI's Responses. */
export const responsesRecordings: readonly ModelRecording[] = [
  recording(
    [
      created,
      at(0, "output_item.added", {
        item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E0" },
      }),
      at(0, "reasoning_summary_part.added", {
        item_id: "rs_1",
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      }),
      at(0, "reasoning_summary_text.delta", { item_id: "rs_1", summary_index: 0, delta: "A town." }),
      at(0, "reasoning_summary_part.done", {
        item_id: "rs_1",
        summary_index: 0,
        part: { type: "summary_text", text: "A town." },
      }),
      at(0, "reasoning_summary_part.added", {
        item_id: "rs_1",
        summary_index: 1,
        part: { type: "summary_text", text: "" },
      }),
      at(0, "reasoning_summary_text.delta", { item_id: "rs_1", summary_index: 1, delta: "Ask." }),
      at(0, "reasoning_summary_part.done", {
        item_id: "rs_1",
        summary_index: 1,
        part: { type: "summary_text", text: "Ask." },
      }),
      at(0, "output_item.done", {
        item: {
          type: "reasoning",
          id: "rs_1",
          summary: [
            { type: "summary_text", text: "A town." },
            { type: "summary_text", text: "Ask." },
          ],
          encrypted_content: "E1",
        },
      }),
      at(1, "output_item.added", {
        item: {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "in_progress",
          phase: "commentary",
          content: [],
        },
      }),
      at(1, "content_part.added", {
        item_id: "msg_1",
        content_index: 0,
        part: { type: "output_text", text: "", annotations: [] },
      }),
      at(1, "output_text.delta", {
        item_id: "msg_1",
        content_index: 0,
        delta: "Åsgårdstrand: ",
        logprobs: [],
      }),
      at(1, "output_text.delta", { item_id: "msg_1", content_index: 0, delta: "one moment.", logprobs: [] }),
      at(1, "output_item.done", {
        item: {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          phase: "commentary",
          content: [{ type: "output_text", text: "Åsgårdstrand: one moment.", annotations: [] }],
        },
      }),
      at(2, "output_item.added", {
        item: {
          type: "function_call",
          id: "fc_1",
          call_id: "call_1",
          name: "harbour",
          arguments: "",
          status: "in_progress",
        },
      }),
      at(2, "function_call_arguments.delta", { item_id: "fc_1", delta: '{"town":' }),
      at(2, "function_call_arguments.delta", { item_id: "fc_1", delta: '"Oslo"}' }),
      at(2, "function_call_arguments.done", { item_id: "fc_1", arguments: '{"town":"Oslo"}' }),
      at(2, "output_item.done", {
        item: {
          type: "function_call",
          id: "fc_1",
          call_id: "call_1",
          name: "harbour",
          arguments: '{"town":"Oslo"}',
          status: "completed",
        },
      }),
      { type: "response.completed", response: { ...head, status: "completed", usage } },
    ],
    {
      content: [
        thinking("A town."),
        thinking("Ask."),
        text("Åsgårdstrand: one moment."),
        call("harbour", { town: "Oslo" }),
      ],
      finishReason: "tool_calls",
      usage: counted,
    },
  ),
  recording(
    [
      created,
      at(0, "output_item.added", {
        item: { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] },
      }),
      at(0, "content_part.added", {
        item_id: "msg_1",
        content_index: 0,
        part: { type: "output_text", text: "", annotations: [] },
      }),
      at(0, "output_text.delta", { item_id: "msg_1", content_index: 0, delta: "It begins", logprobs: [] }),
      at(0, "output_item.done", {
        item: {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "incomplete",
          content: [{ type: "output_text", text: "It begins", annotations: [] }],
        },
      }),
      {
        type: "response.incomplete",
        response: {
          ...head,
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
          usage,
        },
      },
    ],
    { content: [text("It begins")], finishReason: "length", usage: counted },
  ),
];
