import { configError } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { AgentConfig } from "../../agent/options/agent-config.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";
import type { Gate } from "../explorer/desk.ts";
import { agentUnderCheck, type AgentUnderCheck } from "./agent-under-check.ts";
import { claimsOf, type Questions } from "./claims.ts";
import { freeNames } from "./free-names.ts";
import type { RuleReport } from "./report.ts";
import { worldFor, type Extent, type RuleWorld } from "./worlds.ts";

/** Options of {@link checkRules}: the bounds of its walks, and what else it is asked. */
export type CheckOptions = Partial<Extent> & {
  /** The time after which it ends with what it knows, ms. Default 60,000. */
  readonly timeLimitMs?: number | undefined;
  /** The number of threads; 0 walks in the caller's own. Default: one for each processor. */
  readonly threads?: number | undefined;
  /** Names that functions of rules read and that never change, such as constants of their module. */
  readonly assume?: readonly string[] | undefined;
  /** Claims about the agent, beside its rules. */
  readonly questions?: Questions | undefined;
  /** Decides about each call in the place of the agent's permissions: a policy of one's own that is to be proved. It must be pure. */
  readonly gate?: Gate | undefined;
  /** Is told what a walk has done so far. */
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined;
};

/** The progress of a check: the walk that it makes, and how far that is. */
export type CheckProgress = Extent & {
  readonly rule: string;
  readonly states: number;
  readonly transitions: number;
};

const schema = s.lazily(() =>
  s.options<CheckOptions>({
    turns: s.optional(s.integer(1)),
    iterations: s.optional(s.integer(1)),
    batch: s.optional(s.integer(1)),
    disturbances: s.optional(s.integer(0)),
    resumptions: s.optional(s.integer(0)),
    timeLimitMs: s.optional(s.integer(1)),
    threads: s.optional(s.integer(0)),
    assume: s.optional(s.listOf(s.nonEmpty())),
    questions: s.optional(
      s.options<Questions>({
        withoutApproval: s.optional(s.listOf(s.nonEmpty())),
        endWithout: s.optional(s.listOf(s.nonEmpty())),
      }),
    ),
    gate: s.optional(s.func<Gate>()),
    onProgress: s.optional(s.func<NonNullable<CheckOptions["onProgress"]>>()),
  }),
);

/** Refuses rules whose functions read more than arguments: nobody can try all that they may say. */
function checkFunctions(rules: readonly Rule[], assume: readonly string[]): void {
  for (const { data, parts } of rules) {
    const free = parts.functions.flatMap((each) => freeNames(String(each)));
    const unknown = free.find((name) => !assume.includes(name));
    if (unknown !== undefined)
      throw configError(
        `checkRules: a function of the rule '${data.name}' reads '${unknown}', which is not one of its arguments; expected functions of arguments only. Give the value as an argument, or, if it never changes, its name in \`assume\`.`,
      );
  }
}

/** A rule, or a claim, with the worlds in which it is proved. */
export type Subject = {
  readonly rule: Rule;
  readonly kind: RuleReport["kind"];
  worldOf(extent: Extent): RuleWorld;
};

/** Returns the rules of an agent, and the questions about it. */
export function subjectsOf(
  agent: AgentUnderCheck,
  { questions = {}, gate }: CheckOptions,
): readonly Subject[] {
  const own = agent.rules.map((rule): Subject => ({
    rule,
    kind: rule.data.mode === "enforce" ? "enforced" : "claim",
    worldOf: (extent) => worldFor(agent, rule, extent, gate),
  }));
  const asked = claimsOf(questions, agent).map(({ rule, endsOnlyAfter }): Subject => ({
    rule,
    kind: "claim",
    worldOf: (extent) => ({
      ...worldFor(agent, rule, extent, gate),
      ...(endsOnlyAfter !== undefined && { endsOnlyAfter }),
    }),
  }));
  return [...own, ...asked];
}

/** Reads what is to be proved. Throws `config/invalid` for a wrong configuration, wrong options, and rules that read more than arguments. */
export function underCheck(config: AgentConfig<never>, options: CheckOptions): AgentUnderCheck {
  check(schema(), options, "checkRules");
  const { withoutApproval = [], endWithout = [] } = options.questions ?? {};
  const agent = agentUnderCheck(config, [...withoutApproval, ...endWithout]);
  checkFunctions(agent.rules, options.assume ?? []);
  return agent;
}
