import { toolResultsOf, toolUsesOf } from "./query.ts";
import type { Msg } from "./types.ts";

/** Returns why a model would refuse these messages, or undefined: a call without its result directly after it, or a result
 *  without its call (I2). */
export function pairingProblem(messages: readonly Msg[]): string | undefined {
  const open = new Set<string>();
  for (const message of messages) {
    const results = toolResultsOf(message);
    const stray = results.find(({ id }) => !open.delete(id));
    if (stray) return `the result of call '${stray.id}' has no call before it`;
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
