import { remembering, reviewedByRules } from "../../../machines/agent/updates/rule-memory.ts";
import {
  breaksRules,
  isHeldByRules,
  mayStart,
  notedByRules,
  refuseByRules,
} from "../../../machines/agent/updates/rules.ts";
import { stateOf } from "../../core/tool/rules/step.ts";
import { isCounted, isJudged } from "../../core/tool/rules/law.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";
import type { AgentRules } from "../../agent/options/agent-rules.ts";
import { isAgentTool } from "../../agent/services/run-call.ts";
import { problemOf } from "./contradictions.ts";
import { enter } from "./enter.ts";
import { lettersOf } from "./letters.ts";
import { startIn } from "./start-order.ts";

const isSame = ({ data: one }: Rule, { data: other }: Rule): boolean =>
  one.id === other.id && one.name === other.name;

/** Enforces rules: each rule holds it. */
export const ruleEngine: AgentRules = {
  mayStart,
  breaksRules,
  isHeld: isHeldByRules,
  refuse: refuseByRules,
  reviewed: reviewedByRules,
  noted: notedByRules,
  remembering,
  statesOf: ({ settings: { rules = [] }, progress }) =>
    Object.fromEntries(rules.map((rule) => [rule.name, stateOf(rule, progress.rules, progress.turn)])),

  // an agent inside of a call may have tools that are not known here
  problemOf: (rules, tools, names) => problemOf(rules, tools.some(isAgentTool) ? undefined : names),
  mustBeRead: (rules, tool) =>
    isAgentTool(tool) ||
    rules.some(
      ({ data: { law, reads, onBreak } }) =>
        (isJudged(law, tool.name) && (reads || onBreak === "ask")) || (isCounted(law, tool.name) && reads),
    ),
  read({ rules = [], permissions }, tool, input, argsHash) {
    const letters = lettersOf(rules, tool.name, input);
    const mayAsk = rules.some(({ data }) => data.onBreak === "ask" && isJudged(data.law, tool.name));
    const { expiresAfterMs } = permissions ?? {};
    return {
      ...(letters && { letters }),
      ...(mayAsk && { argsHash }),
      ...(mayAsk && expiresAfterMs !== undefined && { expiresAfterMs }),
      ...(isAgentTool(tool) && { isInner: true as const }),
    };
  },
  startIn,
  // what the rules of the agent around it demand of a turn holds for the turn around it
  within: (own, outer) => [
    ...outer.map((rule): Rule => ({ ...rule, optional: true, data: { ...rule.data, scope: "session" } })),
    ...own.filter((rule) => !outer.some((other) => isSame(rule, other))),
  ],
  enter: ({ rules = [], sessionOptions }, context, states, tools) =>
    enter(rules, context, {
      states,
      redacts: sessionOptions?.redact !== undefined,
      isInner: (name) => tools.some((tool) => tool.name === name && isAgentTool(tool)),
    }),
};
