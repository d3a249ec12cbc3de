import { textOf, toolResultsOf } from "../../core/message/msg.ts";
import type { Msg } from "../../core/message/types.ts";
import type { HooksInput, HooksOutcome } from "../../../machines/agent/services.ts";
import type { CompactionPlan } from "../../core/hook/types.ts";
import { badReturn, callHook, fieldOf, type HookScope } from "./call-hook.ts";

type Wishes = NonNullable<HooksOutcome["compaction"]>;
type CompactInput = Extract<HooksInput, { readonly point: "preCompact" | "postCompact" }>;

/** Returns the summary that is to be made, as hooks see it. */
function planOf({ compacting, view, transcript }: CompactInput): CompactionPlan {
  const { cause, tokensBefore, to, instructions } = compacting;
  return {
    cause,
    tokensBefore,
    messages: Object.freeze(transcript.slice(view?.from ?? 0, to)),
    ...(view?.summary && { previous: textOf(view.summary) }),
    ...(instructions !== undefined && { instructions }),
  };
}

/** Runs the hooks of preCompact, each with the changes of those before it. */
export async function preCompact(scope: HookScope, input: CompactInput): Promise<Wishes> {
  const begun = planOf(input);
  let { instructions, messages } = begun;
  let summary: string | undefined;
  for (const hook of scope.hooks) {
    const plan = { ...begun, messages, ...(instructions !== undefined && { instructions }) };
    const returned = await callHook(scope, hook, "preCompact", plan);
    instructions = fieldOf(hook.name, "preCompact", returned, "instructions", "a string") ?? instructions;
    summary = fieldOf(hook.name, "preCompact", returned, "summary", "a string") ?? summary;
    const keepFrom = fieldOf(hook.name, "preCompact", returned, "keepFrom", "a string");
    if (keepFrom !== undefined) messages = messagesBefore(hook.name, messages, keepFrom);
    const isSkipped = fieldOf(hook.name, "preCompact", returned, "skip", "a boolean");
    if (isSkipped || messages.length === 0) return { isUnwanted: true };
  }
  const kept = begun.messages.length - messages.length;
  return {
    ...(instructions !== undefined && { instructions }),
    ...(summary !== undefined && { summary }),
    ...(kept > 0 && { to: input.compacting.to - kept }),
  };
}

/** Returns the messages before the one with this id, which must not part a call from its result (I2). */
function messagesBefore(hook: string, messages: readonly Msg[], id: string): readonly Msg[] {
  const index = messages.findIndex((message) => message.id === id);
  if (index >= 0 && toolResultsOf(messages[index]!).length === 0)
    return Object.freeze(messages.slice(0, index));
  const problem = index < 0 ? "is not one of them" : "has tool results, whose calls are before it";
  throw badReturn(
    hook,
    "preCompact",
    `\`keepFrom\` must be the id of one of \`messages\` without tool results; ${JSON.stringify(id)} ${problem}`,
  );
}

/** Runs the hooks of postCompact, and returns the summary as they have left it. */
export async function postCompact(
  scope: HookScope,
  input: CompactInput & { readonly point: "postCompact" },
): Promise<string> {
  const plan = planOf(input);
  let summary = textOf(input.draft.message);
  for (const hook of scope.hooks) {
    const returned = await callHook(scope, hook, "postCompact", { ...plan, summary });
    summary = fieldOf(hook.name, "postCompact", returned, "summary", "a string") ?? summary;
  }
  return summary;
}
