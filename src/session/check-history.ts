import { AgentError, type ErrorCode } from "../core/base/error.ts";
import { historyProblem, type OpenBatch } from "../core/message/validate.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import { closeOrphans } from "../../machines/agent/updates/history.ts";

/** The calls of a context that have no result in its transcript; the index is counted from the first message that is here. */
function openBatchOf({ calls, progress, transcript }: AgentContext): OpenBatch | undefined {
  if (calls.length === 0) return undefined;
  const ids = calls.map(({ call }) => call.id);
  const open = new Set(calls.flatMap(({ call, stored }) => (stored ? [] : [call.id])));
  return { index: progress.batchAt - transcript.from, ids, open };
}

/**
 * Throws `code` if a model would refuse the history of a session (I2), as far as its messages are here. Before the first turn the history
 * is that with which the agent was made: the first turn gives its calls their results, so only what it cannot mend is wrong. With
 * `turnOptions: { recoverOrphans: false }` results keep
 * the order in which they were given.
 */
export function checkHistory(
  context: AgentContext,
  what: string,
  code: ErrorCode = "session/damaged",
  data: { readonly sessionId?: string } = {},
): void {
  const { transcript, progress, settings } = context;
  const isLoaded = progress.turn === 0 && context.calls.length === 0;
  const checked = isLoaded
    ? closeOrphans({ ...context, settings: { ...settings, recoverOrphans: true } }).transcript
    : transcript;
  const { from } = transcript;
  const found = historyProblem(checked.slice(from), openBatchOf(context), settings.recoverOrphans);
  if (!found) return;
  const id = checked.at(from + found.index)?.id;
  const place = transcript.slice(from).findIndex((message) => message.id === id);
  const index = from + (place < 0 ? found.index : place);
  throw new AgentError(code, `${what}: message ${index} ${found.problem}.`, {
    data: { ...data, message: index },
  });
}
