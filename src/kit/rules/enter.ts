import type { JsonObject } from "../../core/base/json.ts";
import { ranInput } from "../../core/message/account.ts";
import { toolResultsOf, toolUsesOf } from "../../core/message/msg.ts";
import type { ToolResultBlock, ToolUseBlock } from "../../core/message/types.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import { idOfCall } from "../../../machines/agent/updates/rule-batch.ts";
import { cameTo, isOwnMessage, unknownBefore } from "../../core/tool/rules/came-to.ts";
import { isCounted, type RuledCall, type RuleState, type RuleStates } from "../../core/tool/rules/law.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";
import { lost, seeded, step } from "../../core/tool/rules/step.ts";
import { lettersOf } from "./letters.ts";

/** The knowledge about a session beside its context. */
export type AroundSession = {
  /** The memory of the rules of the agent around this one, if its session lies inside of a call. */
  readonly states?: RuleStates | undefined;
  /** True if what is stored may be other than what ran. */
  readonly redacts: boolean;
  /** True for a tool that has an agent inside, whose own calls are not in this session. */
  isInner(tool: string): boolean;
};

/** A call of the history that has its result. */
type PastCall = {
  readonly call: ToolUseBlock;
  readonly result: ToolResultBlock;
  readonly at: number;
  readonly batchAt: number;
  readonly place: number;
  /** Index of its result. */
  readonly index: number;
  /** The result came from outside. */
  readonly isGiven: boolean;
};

function pastCalls({ transcript }: AgentContext): readonly PastCall[] {
  const asked = new Map<string, Pick<PastCall, "call" | "batchAt" | "place">>();
  return transcript.slice().flatMap((message, index) => {
    toolUsesOf(message).forEach((call, place) => asked.set(call.id, { call, batchAt: index, place }));
    const isGiven = !isOwnMessage(message);
    return toolResultsOf(message).flatMap((result): PastCall[] => {
      const known = asked.get(result.id);
      return known ? [{ ...known, result, index, isGiven, at: message.timestamp }] : [];
    });
  });
}

const unreadable = { problem: "its arguments are not stored" };

function rebuilt(rule: Rule, context: AgentContext, around: AroundSession): RuleState {
  const { data, parts } = rule;
  const { turn, turnAt } = context.progress;
  let state: RuleState = { id: data.id, ...(data.scope === "turn" && { turn }) };
  for (const past of pastCalls(context)) {
    const { call, result, at, batchAt, place, index } = past;
    if (data.scope === "turn" && index < turnAt) continue;
    if (around.isInner(call.name) && result.state !== "denied") state = lost(data.law, state);
    const came = isCounted(data.law, call.name) ? cameTo(past) : undefined;
    if (came === undefined) continue;
    const input = ranInput(call, result.account);
    const isReadable = !around.redacts && input !== undefined && !result.account?.ran?.presets;
    const letter = !parts.read
      ? undefined
      : isReadable
        ? lettersOf([rule], call.name, input as JsonObject)?.[data.name]
        : unreadable;
    const id = idOfCall({ ...context, progress: { ...context.progress, batchAt } }, place);
    const ruled: RuledCall = { id, name: call.name, letter };
    for (let attempt = unknownBefore(result); attempt > 0; attempt--)
      state = step(data.law, state, { ...ruled, id: `${id}?${attempt}` }, "maybe", at);
    state = step(data.law, state, ruled, came, at);
  }
  return state;
}

/**
 * Returns what the rules remember of a session that is begun, opened or loaded. A rule that the session does not know, or knows as another
 * one of the same name, is read from the messages: what may have been counts where a success forbids, and only what surely was where one
 * is required.
 */
export function enter(rules: readonly Rule[], context: AgentContext, around: AroundSession): RuleStates {
  const { rules: stored = {}, turn } = context.progress;
  const own = rules.map((rule): [string, RuleState] => {
    const { name, id, scope } = rule.data;
    const known = Object.hasOwn(stored, name) ? stored[name] : undefined;
    if (known?.id === id) return [name, known];
    const isNew = context.transcript.length === 0;
    return [name, isNew ? { id, ...(scope === "turn" && { turn }) } : rebuilt(rule, context, around)];
  });
  const states = Object.fromEntries(own);
  return (
    seeded(
      rules.map(({ data }) => data),
      states,
      around.states,
    ) ?? states
  );
}
