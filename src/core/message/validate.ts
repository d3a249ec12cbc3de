import { AgentError } from "../base/error.ts";
import { frozenCopy, jsonProblem } from "../base/freeze.ts";
import * as s from "../base/option-schema.ts";
import { mismatchOf } from "../base/options.ts";
import { REASONS, type MediaBlock, type Msg, type TextBlock } from "./types.ts";

/** The fields of blocks of media, by their types. */
const mediaFields = s.lazily(() => {
  const source = s.tagged("type", {
    url: { url: s.string() },
    base64: { mediaType: s.string(), data: s.string() },
  });
  return { image: { source }, audio: { source }, video: { source } };
});
const mediaSchema = s.lazily(() => s.tagged("type", mediaFields()));

/** Those of blocks of provider data. */
const providerFields = s.lazily(() => ({
  provider: { kind: s.string(), opaque: s.value((value) => value !== undefined, "JSON") },
}));
const providerSchema = s.lazily(() => s.tagged("type", providerFields()));

/** The schema of the output of a tool result. */
export const outputSchema = s.lazily(() =>
  s.listOf<TextBlock | MediaBlock>(s.tagged("type", { text: { text: s.string() }, ...mediaFields() })),
);

const messageSchema = s.lazily(() => {
  const block = s.tagged("type", {
    text: { text: s.string() },
    thinking: { thinking: s.string() },
    ...mediaFields(),
    tool_use: { id: s.string(), name: s.string(), input: s.recordOf(s.anything()) },
    tool_result: {
      id: s.string(),
      name: s.string(),
      output: outputSchema(),
      state: s.oneOf("success", "error", "denied", "interrupted", "suspended"),
    },
    ...providerFields(),
  });
  return s.fields({
    id: s.string(),
    role: s.oneOf("system", "user", "assistant", "tool"),
    name: s.string(),
    content: s.listOf(block),
    metadata: s.recordOf(s.anything()),
    timestamp: s.finite(),
    reason: s.optional(s.oneOf(...REASONS)),
    finishReason: s.optional(s.string()),
  });
});

/** Returns true for an image, audio or video block. */
export function isMedia(value: unknown): boolean {
  return mediaSchema().issueOf(value) === undefined;
}

/** Returns true for a block of provider data. */
export function isProviderBlock(value: unknown): boolean {
  return providerSchema().issueOf(value) === undefined;
}

/** Returns what is wrong with the output of a tool result, such as "output.0.text: expected a string", or undefined. */
export function outputProblem(value: unknown): string | undefined {
  return mismatchOf(outputSchema(), value, "output");
}

/** Returns a deeply frozen copy of well-formed messages. Throws `message/invalid` that names the message and the field that is
 *  wrong; the error begins with `from`. */
export function checkMessages(messages: readonly unknown[], from: string): readonly Msg[] {
  if (!Array.isArray(messages))
    throw new AgentError("message/invalid", `${from}: expected an array of messages.`);
  messages.forEach((candidate, index) => {
    const unfit = jsonProblem(candidate);
    if (unfit !== undefined) throw new AgentError("message/invalid", `${from}: message ${index} ${unfit}.`);
    const problem = mismatchOf(messageSchema(), candidate);
    if (problem === undefined) return;
    throw new AgentError(
      "message/invalid",
      `${from}: message ${index} is not a Msg: ${problem}; userMsg() makes one`,
    );
  });
  return messages.map(frozenCopy) as readonly Msg[];
}
