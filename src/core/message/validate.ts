import * as s from "../base/option-schema.ts";
import { AgentError } from "../base/error.ts";
import { frozenCopy, jsonProblem, wellFormed } from "../base/json.ts";
import { mismatchOf } from "../base/options.ts";
import { REASONS, type MediaBlock, type Msg, type TextBlock } from "./types.ts";
import { truncated } from "../base/shown.ts";
import { hasBlock, toolResultsOf, toolUsesOf } from "./msg.ts";

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

/** Returns a deeply frozen copy of messages, without halves of characters. Throws `message/invalid` that names the message and the field that is
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
  return messages.map((message) => frozenCopy(wellFormed(message))) as readonly Msg[];
}

/** Returns the reason for which a model would refuse these messages, or undefined. The reason is a call without its result directly after
 *  it, or a result without its call (I2). */
export function pairingProblem(messages: readonly Msg[]): string | undefined {
  const open = new Set<string>();
  for (const message of messages) {
    const results = toolResultsOf(message);
    const stray = results.find(({ id }) => !open.delete(id));
    if (stray) return `the result of call '${truncated(stray.id)}' has no call before it`;
    if (results.length > 0) continue;
    for (const id of open) return unanswered(id);
    for (const { id } of toolUsesOf(message)) open.add(id);
  }
  for (const id of open) return unanswered(id);
  return undefined;
}

function unanswered(id: string): string {
  return `the call '${id}' has no result after it`;
}

/** The violation of I2 in a history: the index of the message, and the problem with it. */
export type HistoryProblem = { readonly index: number; readonly problem: string };

/** The calls of one message that have no result yet: its index, the ids of all its calls in order, and the open ones. */
export type OpenBatch = {
  readonly index: number;
  readonly ids: readonly string[];
  readonly open: ReadonlySet<string>;
};

const listOf = (ids: readonly string[]): string => `[${ids.join(", ")}]`;
const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, index) => id === b[index]);

/** Returns the first message at which a history breaks I2. Directly behind a message with calls stands exactly one result for each, in call
 *  order unless `isOrdered` is false, and results stand nowhere else. Only the open calls of `batch` have none. */
export function historyProblem(
  messages: readonly Msg[],
  batch?: OpenBatch,
  isOrdered = true,
): HistoryProblem | undefined {
  const asks = (index: number): readonly string[] => toolUsesOf(messages[index]!).map(({ id }) => id);
  if (batch && !isSame(messages[batch.index] ? asks(batch.index) : [], batch.ids))
    return { index: batch.index, problem: `does not ask for the open calls ${listOf(batch.ids)}` };
  for (let index = 0, next = 0; index < messages.length; index = next) {
    const message = messages[index]!;
    next = index + 1;
    if (hasBlock(message, "tool_result"))
      return {
        index,
        problem: `has a result of call '${truncated(toolResultsOf(message)[0]!.id)}', which is not asked for directly before`,
      };
    if (!hasBlock(message, "tool_use")) continue;
    const ids = asks(index);
    const given: string[] = [];
    for (; next < messages.length; next++) {
      const results = toolResultsOf(messages[next]!);
      if (results.length === 0) break;
      given.push(...results.map(({ id }) => id));
    }
    const open = batch?.index === index ? batch.open : new Set<string>();
    const expected = ids.filter((id) => !open.has(id));
    const isComplete = isOrdered ? isSame(given, expected) : isSame(given.toSorted(), expected.toSorted());
    if (!isComplete)
      return {
        index,
        problem: `must be followed by the results of ${listOf(expected)}, found ${listOf(given)}`,
      };
  }
  return undefined;
}
