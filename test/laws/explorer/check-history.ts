import { toolResultsOf } from "../../../src/core/message/msg.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import { OUTPUT_TOOL } from "../../../src/core/tool/reserved-names.ts";
import type { ModelInput, ToolInput } from "../../../machines/agent/services.ts";
import { protocolProblem } from "../../../src/testing/explorer/key.ts";
import { isAtRest, leafOf } from "../../../src/testing/explorer/pure.ts";
import { startedOf } from "../../../src/testing/explorer/transition.ts";
import { inputOf, keptIds, openIds, type Check } from "./memory.ts";

/** The history is provider-valid whenever the model is called and at rest; only recorded calls may be open. */
export const historyIsValid: Check = ({ world, after }) => {
  const { context, value } = after.snapshot;
  for (const { input } of startedOf(after, "callModel")) {
    const problem = protocolProblem((input as ModelInput).transcript);
    if (problem) return `the model is called with ${problem}`;
  }
  const leaf = leafOf(value);
  const isOpen = leaf !== "stopped.idle";
  if (world.history.length > 0 && context.progress.turn === 0) return undefined; // closed when a call is accepted
  const problem = protocolProblem(context.transcript, isOpen ? openIds(context) : new Set());
  return problem && isAtRest(leaf) ? `${leaf} rests with ${problem}` : problem;
};

/** A message that was taken is stored or waits; the input of a call is kept whole or refused whole. */
export const messagesAreKept: Check = ({ before, move, after }) => {
  if (move.kind === "load") return undefined;
  const { context, value } = after.snapshot;
  const known = keptIds(context);
  const lost = before.memory.heard.filter((id) => !known.has(id));
  if (lost.length > 0) return `message ${lost.join(", ")} is lost`;
  const input = inputOf(before.memory, move);
  const missing = input.filter((id) => !known.has(id));
  if (missing.length === 0) return undefined;
  const leaf = leafOf(value);
  const isRefused = context.failure !== null && (isAtRest(leaf) || leaf === "doCall.onError");
  if (!isRefused) return `the input ${missing.join(", ")} is lost`;
  const taken = input.length - missing.length;
  return taken > 0 ? `the input is refused, but not ${taken} of it` : undefined;
};

/** The transcript only grows; only a structured answer takes the place of the calls that gave it. */
export const transcriptGrows: Check = ({ before, move, after }) => {
  const was = before.snapshot.context;
  const { outcome, transcript } = after.snapshot.context;
  const isReplaced = outcome?.output !== undefined && outcome !== was.outcome;
  if (move.kind === "load" || isReplaced) return undefined;
  const old = was.transcript.slice();
  let index = 0;
  for (const { id } of transcript.slice()) if (id === old[index]?.id) index++;
  return index === old.length ? undefined : `message ${old[index]!.id} has gone or moved`;
};

/** The results a context holds, stored or recorded, less those of the output tool, which a structured answer replaces. */
function resultsIn({ transcript, calls }: AgentContext) {
  const recorded = calls.flatMap(({ result }) => (result ? [result] : []));
  const all = [...transcript.slice().flatMap(toolResultsOf), ...recorded];
  return new Map(all.filter(({ name }) => name !== OUTPUT_TOOL).map((result) => [result.id, result]));
}

/** A recorded result is stored as it is, unless a hook replaced it, and its call never runs again. */
export const resultsAreKept: Check = ({ before, move, after }) => {
  if (move.kind === "load") return undefined;
  const was = resultsIn(before.snapshot.context);
  const now = resultsIn(after.snapshot.context);
  const { result: given, replaces } = move.meaning ?? {};
  for (const result of given && given.name !== OUTPUT_TOOL ? [...was.values(), given] : was.values()) {
    const kept = now.get(result.id);
    if (kept === result || replaces === result.id) continue;
    const isSame = JSON.stringify(kept?.output) === JSON.stringify(result.output);
    if (!isSame) return `the result of ${result.id} is ${kept ? "replaced" : "lost"}`;
  }
  const again = startedOf(after, "runTool").find(({ input }) => was.has((input as ToolInput).call.id));
  return again && `${again.id} has a result and runs again`;
};
