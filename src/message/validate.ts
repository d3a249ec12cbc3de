import { z } from "zod";
import { AgentError } from "../base/error.ts";
import { frozenCopy, jsonProblem } from "../base/freeze.ts";
import { REASONS, type Msg } from "./types.ts";

const text = z.object({ type: z.literal("text"), text: z.string() });
const media = z.object({
  type: z.enum(["image", "audio", "video"]),
  source: z.discriminatedUnion("type", [
    z.object({ type: z.literal("url"), url: z.string() }),
    z.object({ type: z.literal("base64"), mediaType: z.string(), data: z.string() }),
  ]),
});
const providerBlock = z.object({
  type: z.literal("provider"),
  kind: z.string(),
  opaque: z.custom((value) => value !== undefined),
});
const block = z.discriminatedUnion("type", [
  text,
  z.object({ type: z.literal("thinking"), thinking: z.string() }),
  media,
  z.object({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({
    type: z.literal("tool_result"),
    id: z.string(),
    name: z.string(),
    output: z.array(z.discriminatedUnion("type", [text, media])),
    state: z.enum(["success", "error", "denied", "interrupted", "suspended"]),
  }),
  providerBlock,
]);
const message = z.object({
  id: z.string(),
  role: z.enum(["system", "user", "assistant", "tool"]),
  name: z.string(),
  content: z.array(block),
  metadata: z.record(z.string(), z.unknown()),
  timestamp: z.number(),
  reason: z.enum(REASONS).optional(),
});

/** The schema of the output of a tool result. */
export const outputSchema: z.ZodType = z.array(z.discriminatedUnion("type", [text, media]));

/** Returns true for an image, audio or video block. */
export function isMedia(value: unknown): boolean {
  return media.safeParse(value).success;
}

/** Returns true for a block of provider data. */
export function isProviderBlock(value: unknown): boolean {
  return providerBlock.safeParse(value).success;
}

/** Returns what is wrong with the output of a tool result, such as "output.0.text: …", or undefined. */
export function outputProblem(value: unknown): string | undefined {
  const issue = outputSchema.safeParse(value).error?.issues[0];
  return issue && `${["output", ...issue.path].join(".")}: ${issue.message}`;
}

/** Returns a deeply frozen copy of well-formed messages. Throws `message/invalid` that names the message and the field that is
 *  wrong; the error begins with `from`. */
export function checkMessages(messages: readonly unknown[], from: string): readonly Msg[] {
  if (!Array.isArray(messages))
    throw new AgentError("message/invalid", `${from}: expected an array of messages.`);
  messages.forEach((candidate, index) => {
    const unfit = jsonProblem(candidate);
    if (unfit !== undefined) throw new AgentError("message/invalid", `${from}: message ${index} ${unfit}.`);
    const { error } = message.safeParse(candidate);
    if (!error) return;
    const { path, message: problem } = error.issues[0]!;
    throw new AgentError(
      "message/invalid",
      `${from}: message ${index} is not a Msg: ${path.join(".") || "it"}: ${problem}; userMsg() makes one`,
    );
  });
  return messages.map(frozenCopy) as readonly Msg[];
}
