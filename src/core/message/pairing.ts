import { truncated } from "../base/shown.ts";
import { hasBlock, toolResultsOf, toolUsesOf } from "./query.ts";
import type { Msg } from "./types.ts";

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
