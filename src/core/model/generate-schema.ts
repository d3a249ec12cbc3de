import type { JsonObject } from "../base/json.ts";
import * as s from "../base/option-schema.ts";
import type { ChatModel, GenerateOptions, ToolChoice } from "./port.ts";

const TOOL_CHOICE = '"auto", "none", "required" or { name }';

/** The schema of {@link GenerateOptions}. A model may know options of its own; bounds are the provider's. */
export const generateSchema = s.lazily(() => {
  const whole = s.integer(Number.MIN_SAFE_INTEGER);
  return s.openOptions<GenerateOptions>({
    temperature: s.optional(s.number()),
    topP: s.optional(s.number()),
    topK: s.optional(whole),
    maxTokens: s.optional(s.integer(1)),
    frequencyPenalty: s.optional(s.number()),
    presencePenalty: s.optional(s.number()),
    seed: s.optional(whole),
    stop: s.optional(s.listOf(s.string())),
    reasoningEffort: s.optional(s.string()),
    thinkingBudget: s.optional(whole),
    toolChoice: s.optional(
      s.anyOf<ToolChoice>(
        [s.oneOf("auto", "none", "required"), s.options<Extract<ToolChoice, object>>({ name: s.nonEmpty() })],
        TOOL_CHOICE,
      ),
    ),
    providerOptions: s.optional(s.recordOf(s.object<JsonObject>())),
    extraBody: s.optional(s.object()),
    extraHeaders: s.optional(s.recordOf(s.string())),
  });
});

/** The schema of a model, which is known by its method. */
export const modelSchema = s.lazily(() =>
  s.having<ChatModel>("stream", "a ChatModel with a stream() method, as openaiModel({ model }) gives"),
);
