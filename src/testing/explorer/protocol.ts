import { toolResultsOf, toolUsesOf } from "../../core/message/msg.ts";
import type { Transcript } from "../../core/message/transcript.ts";

/**
 * Returns what a provider would refuse of a transcript (I2). Each call has exactly one result, in call order, directly after
 * the message that asked. `open` are calls that may still be without one. Undefined if all is well.
 */
export function protocolProblem(
  transcript: Transcript,
  open: ReadonlySet<string> = new Set(),
): string | undefined {
  const messages = transcript.slice();
  const seen = new Set<string>();
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (seen.has(message.id)) return `message ${message.id} is stored twice`;
    seen.add(message.id);
    if (toolResultsOf(message).length > 0)
      return `message ${message.id} has a result that no call stands before`;
    const asked = toolUsesOf(message).map(({ id }) => id);
    if (asked.length === 0) continue;
    const given: string[] = [];
    for (
      let next = messages[index + 1];
      next && toolResultsOf(next).length > 0;
      next = messages[++index + 1]
    ) {
      if (seen.has(next.id)) return `message ${next.id} is stored twice`;
      seen.add(next.id);
      if (next.content.some(({ type }) => type !== "tool_result"))
        return `message ${next.id} has more than results`;
      given.push(...toolResultsOf(next).map(({ id }) => id));
    }
    const missing = asked.filter((id) => !given.includes(id));
    const unanswered = missing.filter((id) => !open.has(id));
    if (unanswered.length > 0) return `no result for ${unanswered.join(", ")}`;
    const expected = asked.filter((id) => given.includes(id));
    if (given.join() !== expected.join()) return `results ${given.join(", ")} for calls ${asked.join(", ")}`;
    if (missing.length > 0 && index + 1 < messages.length)
      return `a message stands behind unanswered calls ${missing.join(", ")}`;
  }
  return undefined;
}
