import { eventStream, expected, type ModelRecording } from "./model-recording.ts";

const { text, thinking, call } = expected;

type Fields = { readonly [name: string]: unknown };

const parts = (list: readonly Fields[], more: Fields = {}): Fields => ({
  candidates: [{ index: 0, content: { role: "model", parts: list }, ...more }],
  responseId: "r-1",
  modelVersion: "m",
});

/** A stream of Gemini's generateContent. */
export const geminiRecordings: readonly ModelRecording[] = [
  {
    provider: "Gemini",
    wire: "gemini",
    body: eventStream([
      parts([{ text: "A town", thought: true }]),
      parts([{ text: " is meant.", thought: true }]),
      parts([{ text: "Einen Moment, ", thoughtSignature: "TS0" }]),
      parts([{ text: "für Ålesund." }]),
      parts([{ functionCall: { name: "harbour", args: { town: "Ålesund" } }, thoughtSignature: "TS1" }]),
      {
        ...parts([{ text: "" }], { finishReason: "STOP" }),
        usageMetadata: {
          promptTokenCount: 20,
          cachedContentTokenCount: 8,
          candidatesTokenCount: 10,
          thoughtsTokenCount: 5,
          totalTokenCount: 35,
        },
      },
    ]),
    content: [
      thinking("A town is meant."),
      text("Einen Moment, für Ålesund."),
      call("harbour", { town: "Ålesund" }),
    ],
    finishReason: "tool_calls",
    usage: { inputTokens: 20, outputTokens: 15, cachedInputTokens: 8, reasoningTokens: 5 },
  },
];
