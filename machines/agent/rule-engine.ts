import { AgentError } from "../../src/core/base/error.ts";
import type { RuleStates } from "../../src/core/tool/rules/law.ts";
import type { CallRecord } from "./call-record.ts";
import type { AgentContext, Change } from "./context.ts";
import type { Verdict } from "./services.ts";

/** The engine that enforces rules. It comes with the rules themselves: an agent without rules does not load it. */
export type RuleEngine = {
  /** True if an approved call keeps all rules, whatever the calls that run and those of `starting` come to. */
  mayStart(context: AgentContext, record: CallRecord, starting: ReadonlySet<CallRecord>): boolean;
  /** True if an approved call breaks a rule, while none runs. */
  breaksRules(context: AgentContext): boolean;
  /** True if calls wait only for others that will not come, by the rules; asked while none runs. */
  isHeld(context: AgentContext): boolean;
  /** Returns a call that a review has judged with what the rules know of it. */
  reviewed(record: CallRecord, verdict: Verdict, next: CallRecord): CallRecord;
  /** Answers, or asks about, the calls that break a rule. */
  refuse(context: AgentContext): Change;
  /** Notes what rules made of calls: those of `starting` start, and those of `held` would if the rules let them. */
  noted(
    context: AgentContext,
    starting: ReadonlySet<CallRecord>,
    held: ReadonlySet<CallRecord>,
  ): (record: CallRecord) => CallRecord;
  /** Adds to a change of the calls what the rules remember after it. */
  remembering(context: AgentContext, change: Change, event: unknown): Change;
  /** Returns what each rule remembers now. */
  statesOf(context: AgentContext): RuleStates;
};

let engine: RuleEngine | undefined;

/** Says what enforces rules in this process. */
export function useRuleEngine(given: RuleEngine): void {
  engine = given;
}

/** Returns what enforces rules. Throws `config/no-slot` if nothing does: then nothing that they are about may run. */
export function ruleEngine(): RuleEngine {
  if (engine) return engine;
  throw new AgentError(
    "config/no-slot",
    "The session has rules, but nothing enforces them: load `agentchart/rules`.",
  );
}

/** Returns a change of a session with rules with what they remember after it: whatever ends a call, nothing gets round it. */
export function remembering(context: AgentContext, change: Change, event: unknown): Change {
  const { calls } = change;
  if (calls === undefined || calls === context.calls) return change;
  return ruleEngine().remembering(context, change, event);
}
