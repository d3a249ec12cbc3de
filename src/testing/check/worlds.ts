import { isCounted, isJudged, type Law, type RuleData } from "../../core/tool/rules/law.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";
import { ALL_WHOLE } from "../../../machines/agent/prompt/view.ts";
import type { Desk, DeskTool, Gate, Letters } from "../explorer/desk.ts";
import { UNIT_MS } from "../explorer/rules-key.ts";
import type { World } from "../explorer/world.ts";
import type { AgentUnderCheck, ToolClass } from "./agent-under-check.ts";
import { lettersFor, otherLetters } from "./letters.ts";
import type { Inside } from "./memory.ts";

/** The bounds of a walk. */
export type Extent = {
  /** Calls to the agent in one session. */
  readonly turns: number;
  /** Answers of the model that ask for calls, in one turn. */
  readonly iterations: number;
  /** Calls in one answer, with those that hooks add. */
  readonly batch: number;
  /** Crashes, interrupts, messages and waits in one session. */
  readonly disturbances: number;
  /** The times that each turn goes on after it has waited for people or results. */
  readonly resumptions: number;
};

/** A world in which one rule is proved. */
export type RuleWorld = {
  readonly world: World;
  /** The rule, with its windows as the walk has them. */
  readonly rule: RuleData;
  /** The calls that agents inside of tools may make. */
  readonly inside: Inside;
  /** A tool that has to succeed in each turn that ends by an answer of the model. */
  readonly endsOnlyAfter?: string;
};

const touches = ({ data: { law } }: Rule, name: string): boolean =>
  isJudged(law, name) || isCounted(law, name);
const standsFor = ({ names }: ToolClass): string => names[0]!;

/** The rules that may stop a call which the rule is about: the others change nothing for it. */
function besides(rule: Rule, { rules, classes }: AgentUnderCheck): readonly Rule[] {
  const own = classes.filter((each) => touches(rule, standsFor(each)));
  return rules.filter(
    (other) => other !== rule && own.some((each) => isJudged(other.data.law, standsFor(each))),
  );
}

/** The tools that a walk for a rule needs: its own, those that others demand of them, those with agents inside, and one that it is not
 *  about. */
function toolsFor(rule: Rule, others: readonly Rule[], { classes }: AgentUnderCheck): readonly ToolClass[] {
  const needed = classes.filter(
    (each) =>
      each.isInner ||
      touches(rule, standsFor(each)) ||
      others.some(({ data: { law } }) => law.kind === "before" && isCounted(law, standsFor(each))),
  );
  if (needed.some((each) => !each.isInner && !touches(rule, standsFor(each)))) return needed;
  const other = classes.find(
    (each) => !needed.includes(each) && ![rule, ...others].some((of) => touches(of, standsFor(each))),
  );
  return other ? [...needed, other] : needed;
}

const windowsOf = (law: Law): readonly number[] =>
  law.kind === "any"
    ? law.of.flatMap(windowsOf)
    : "within" in law && law.within !== undefined
      ? [law.within]
      : [];

function stretched(law: Law, by: number): Law {
  if (law.kind === "any") return { ...law, of: law.of.map((part) => stretched(part, by)) };
  return "within" in law && law.within !== undefined ? { ...law, within: law.within * by } : law;
}

/** The least window of a walk: all that happens between two jumps of its clock takes far less. */
const LEAST = 4 * UNIT_MS;

/** The people who decide: one of those that a rule names, and somebody else. */
const people = (rules: readonly RuleData[]): readonly string[] => {
  const by = rules.flatMap(({ law }) => approversOf(law));
  return [...new Set([...by.slice(0, 1), by.length > 0 ? "somebody else" : ""])];
};

const approversOf = (law: Law): readonly string[] => {
  if (law.kind === "any") return law.of.flatMap(approversOf);
  return law.kind === "approved" ? law.by : [];
};

function deskTool(
  each: ToolClass,
  letters: readonly Letters[],
  inner: Inside[string],
): Omit<DeskTool, "others"> {
  return {
    name: standsFor(each),
    terms: each.terms,
    letters,
    mayAsk: each.mayAsk,
    isFree: each.isFree,
    isExternal: each.isExternal,
    ...(each.isInner && {
      inner: inner.map(({ name, letters: read }) => ({ name, letters: [read] })),
    }),
  };
}

/** The world in which a rule of an agent is proved. */
export function worldFor(agent: AgentUnderCheck, rule: Rule, extent: Extent, gate?: Gate): RuleWorld {
  const others = besides(rule, agent);
  const classes = toolsFor(rule, others, agent);
  const all = [rule, ...others].map(({ data }) => data);
  const windows = all.flatMap(({ law }) => windowsOf(law));
  const by = windows.length > 0 ? Math.max(1, Math.ceil(LEAST / Math.min(...windows))) : 1;
  const rules = all.map((data) => ({ ...data, law: stretched(data.law, by) }));
  const jumps = [...new Set(windows.map((window) => (Math.floor((window * by) / UNIT_MS) + 1) * UNIT_MS))];
  const names = classes.map(standsFor);
  const innerCalls = names
    .filter((name) => touches(rule, name))
    .map((name) => ({ name, letters: { ...lettersFor(rule, name)[0]!, ...otherLetters(others, name)[0] } }));
  const tools = classes.map((each) => ({
    ...deskTool(each, lettersFor(rule, standsFor(each)), innerCalls),
    others: otherLetters(others, standsFor(each)),
    ...(gate && { isFree: false }),
  }));
  const desk: Desk = { tools, batch: extent.batch, people: people(rules), jumps };
  const inside = Object.fromEntries(
    classes.filter(({ isInner }) => isInner).map((each) => [standsFor(each), innerCalls]),
  );
  const { process: _, ...settings } = agent.settings;
  return {
    rule: rules[0]!,
    inside,
    world: {
      name: rule.data.name,
      settings: {
        ...settings,
        sessionId: "s",
        system: "",
        maxIters: extent.iterations,
        maxGotos: Math.min(settings.maxGotos, 1),
        model: { maxAttempts: 1 },
        hasFallback: false,
        budget: {},
        window: null,
        results: ALL_WHOLE,
        compaction: null,
        handoffs: null,
        rules,
      },
      listening: agent.points,
      otherwise: agent.points,
      allows: false,
      history: [],
      tool: { execution: { maxAttempts: 1 }, onRestart: "ask" },
      judges: true,
      desk,
      ...(gate && { gate }),
    },
  };
}
