import type { OrderRule } from "./host-rules.ts";

/** A role on the wire. */
export type WireRole = "system" | "user" | "assistant" | "tool";

/** The text of the bridging message of each role. */
export const BRIDGES = { user: "Go on.", assistant: "I have the results." } as const;

/** The text that stands for that of a user who said nothing, for a host that refuses an empty one. */
export const EMPTY_MESSAGE = "(an empty message)";

/** True if no message ever needs another one before it. */
export function isFree({ userAfterResults, answerAtEnd, answerAtStart }: OrderRule): boolean {
  return userAfterResults && answerAtEnd && answerAtStart;
}

/**
 * Returns the role of the message that must stand between two others. It is undefined if no message must, also as `before` for the
 * beginning and as `after` for the end.
 *
 * It depends on the two alone, and what is needed at the end is needed before the next answer too: so a request stays the beginning of
 * the next one.
 */
export function bridgeBetween(
  before: WireRole | undefined,
  after: WireRole | undefined,
  { userAfterResults, answerAtEnd, answerAtStart }: OrderRule,
): keyof typeof BRIDGES | undefined {
  if (before === "tool") return after === "user" && !userAfterResults ? "assistant" : undefined;
  if (before === "assistant")
    return (after === "assistant" || after === undefined) && !answerAtEnd ? "user" : undefined;
  if (before === "user" || after !== "assistant") return undefined;
  return answerAtStart ? undefined : "user";
}

/** Returns messages with those that must stand between them; with `isWhole`, also at both ends. */
export function withBridges<M extends { readonly role: WireRole }>(
  messages: readonly M[],
  order: OrderRule,
  make: (role: keyof typeof BRIDGES) => M,
  isWhole: boolean,
): readonly M[] {
  if (isFree(order)) return messages;
  const all: M[] = [];
  for (let at = 0; at <= messages.length; at++) {
    const isEnd = at === 0 || at === messages.length;
    const role =
      isEnd && !isWhole ? undefined : bridgeBetween(messages[at - 1]?.role, messages[at]?.role, order);
    if (role) all.push(make(role));
    if (at < messages.length) all.push(messages[at]!);
  }
  return all;
}
