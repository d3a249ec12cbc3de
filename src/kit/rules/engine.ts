import { remembering, reviewedByRules } from "../../../machines/agent/updates/rule-memory.ts";
import {
  breaksRules,
  isHeldByRules,
  mayStart,
  notedByRules,
  refuseByRules,
} from "../../../machines/agent/updates/rules.ts";
import { stateOf } from "../../core/tool/rules/step.ts";
import { isCounted, isJudged, toolsOf, type Law } from "../../core/tool/rules/law.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";
import type { AgentRules } from "../../agent/options/agent-rules.ts";
import { isAgentTool } from "../../agent/services/run-call.ts";
import { enter } from "./enter.ts";
import { lettersOf } from "./letters.ts";
import { nearestName } from "../../core/base/nearest-name.ts";
import { matchesName } from "../../core/tool/name-pattern.ts";

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

/** The place of a call among those of its agent that start. */
type Start = {
  /** Resolves once each call that has started before runs, or has ended without. */
  readonly before: Promise<unknown> | undefined;
  /** Says that the call runs, or does not. */
  begun(): void;
};

const last = new WeakMap<object, Promise<unknown>>();

/** Returns the place of a call that starts now; aborting `signal` gives it up. Calls are judged in the order in which they start, so that
 *  none may overtake another one: arguments may be parsed slowly. */
function startIn(agent: object, signal: AbortSignal): Start {
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = last.get(agent);
  last.set(agent, Promise.all([before, promise]));
  signal.addEventListener("abort", () => resolve(), { once: true });
  return { before, begun: resolve };
}

/** A rule that always stops a tool unless others have succeeded: it is about all calls, whatever they say. */
type Demand = { readonly rule: Rule; readonly law: Extract<Law, { kind: "before" }> };

const isAboutAll = ({ parts, data }: Rule): boolean =>
  parts.functions.length === 0 && data.mode === "enforce" && data.onBreak !== "ask";

/** Returns the reason for which two rules, or a rule itself, leave a tool no way to run; undefined if none do. */
function problemOfRules(rules: readonly Rule[]): string | undefined {
  const firm = rules.filter(isAboutAll);
  const demands = firm.flatMap((rule): Demand[] =>
    rule.data.law.kind === "before" ? [{ rule, law: rule.data.law }] : [],
  );
  const never = firm.find(({ data: { law } }) => law.kind === "limit" && law.max === 0);
  for (const { rule, law } of demands) {
    const own = law.then.find((name) => law.first.every((first) => matchesName(name, first)));
    if (own !== undefined)
      return `The rule '${rule.data.name}' demands a success of '${own}' before '${own}' runs.`;
    const banned = never?.data.law;
    if (
      banned?.kind === "limit" &&
      law.first.every((first) => banned.then.some((name) => matchesName(name, first)))
    )
      return contradiction(rule, never!, `'${law.then[0]}' can never run`);
    for (const other of firm) {
      const ban = other.data.law;
      if (ban.kind !== "never" || ban.within !== undefined) continue;
      const isHit = law.then.some((name) => ban.then.some((pattern) => matchesName(pattern, name)));
      if (isHit && law.first.every((first) => ban.after.some((pattern) => matchesName(pattern, first))))
        return contradiction(rule, other, `'${law.then[0]}' can never run`);
    }
  }
  return circleOf(demands);
}

function contradiction(one: Rule, other: Rule, what: string): string {
  return `The rules '${one.data.name}' and '${other.data.name}' contradict each other: ${what}.`;
}

/** Rules that wait for each other. */
function circleOf(demands: readonly Demand[]): string | undefined {
  const names = new Set(demands.flatMap(({ law }) => [...law.first, ...law.then]));
  const free = new Set<string>();
  const mayRun = (name: string): boolean =>
    demands.every(
      ({ law }) =>
        !law.then.some((each) => matchesName(each, name)) || law.first.some((first) => free.has(first)),
    );
  for (let known = -1; known < free.size;) {
    known = free.size;
    for (const name of names) if (mayRun(name)) free.add(name);
  }
  const first = demands.find(({ law }) => law.then.some((name) => !free.has(name)));
  if (!first) return undefined;
  const other = demands.find(
    ({ law }) =>
      law !== first.law && law.then.some((name) => first.law.first.some((each) => matchesName(name, each))),
  );
  const what = `'${first.law.then[0]}' can never run, since each waits for the other`;
  return contradiction(first.rule, (other ?? first).rule, what);
}

/** Returns what is wrong with the rules of an agent with these tools: two of one name, tools that are not there, contradictions. Without
 *  `tools` it is not known which there are. */
function problemOf(rules: readonly Rule[], tools: readonly string[] | undefined): string | undefined {
  const names = rules.map(({ data }) => data.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    return `Two rules are named '${twice}'; expected another \`name\` for one of them.`;
  for (const { data, optional } of tools ? rules : []) {
    const patterns = toolsOf(data.law);
    const missing = optional
      ? undefined
      : patterns.find((pattern) => !tools!.some((name) => matchesName(pattern, name)));
    if (missing === undefined) continue;
    const near = nearestName(missing, tools!);
    const hint = near === undefined ? `its tools are [${tools!.join(", ")}].` : `did you mean '${near}'?`;
    return `The rule '${data.name}' names the tool '${missing}', which the agent does not have; ${hint} A rule for a tool that is added later needs \`optional: true\`.`;
  }
  return problemOfRules(rules);
}
