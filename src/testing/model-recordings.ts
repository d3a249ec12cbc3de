import { anthropicRecordings } from "./anthropic-recordings.ts";
import { chatRecordings } from "./chat-recordings.ts";
import { geminiRecordings } from "./gemini-recordings.ts";
import type { ModelRecording } from "./model-recording.ts";
import { responsesRecordings } from "./responses-recordings.ts";

/**
 * Answers in the shapes in which providers send them, for {@link modelContract}: Chat Completions of ten providers, OpenAI's
 * Responses, Anthropic's Messages and Gemini's generateContent. They were written for these tests.
 */
export const modelRecordings: readonly ModelRecording[] = [
  ...chatRecordings,
  ...responsesRecordings,
  ...anthropicRecordings,
  ...geminiRecordings,
];
