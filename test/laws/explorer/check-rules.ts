import { useRuleEngine } from "../../../machines/agent/rule-engine.ts";
import type { ToolInput } from "../../../machines/agent/services.ts";
import type { Settings } from "../../../machines/agent/settings.ts";
import { ruleEngine } from "../../../src/kit/rules/engine.ts";
import { atMost, before } from "../../../src/kit/rules/build.ts";
import type { Move } from "../../../src/testing/explorer/move.ts";
import type { Step } from "../../../src/testing/explorer/pure.ts";
import { startedOf } from "../../../src/testing/explorer/transition.ts";
import type { Check } from "./memory.ts";

useRuleEngine(ruleEngine);

/** The rules of the worlds that have some: a refund after a verification, and once. */
export const RULES: NonNullable<Settings["rules"]> = [
  before("verify", "refund").data,
  atMost(1, "refund").data,
];

/** What really ran, as the environment saw it, whatever the chart has made of it. */
export type Ran = {
  readonly isVerified: boolean;
  /** The calls by which a refund was made, or may have been. */
  readonly refunds: readonly string[];
};

export const NOTHING_RAN: Ran = { isVerified: false, refunds: [] };

/** What ran once a move has led to a step: a success counts when it happens, and what a crash or a time-out cuts off may have taken effect. */
export function ranAfter(ran: Ran, move: Move, after: Step, isRefused: boolean): Ran {
  const { context } = after.snapshot;
  if (context.settings.rules === undefined) return ran;
  const { result } = move.meaning ?? {};
  const done = result?.state === "success" && !isRefused ? result : undefined;
  const cut = context.calls.filter(
    ({ call, status, result: given, attempt }) =>
      call.name === "refund" && attempt > 0 && (status === "unknown" || given?.code === "tool/timeout"),
  );
  const refunds = [...(done?.name === "refund" ? [done.id] : []), ...cut.map(({ call }) => call.id)];
  return {
    isVerified: ran.isVerified || done?.name === "verify",
    refunds: [...new Set([...ran.refunds, ...refunds])],
  };
}

/** No refund runs before a verification has succeeded, and none beside or after another one. */
export const rulesHold: Check = ({ before: { memory }, after }) => {
  const { context } = after.snapshot;
  if (context.settings.rules === undefined) return undefined;
  for (const { input } of startedOf(after, "runTool")) {
    const { call } = input as ToolInput;
    if (call.name !== "refund") continue;
    if (!memory.ran.isVerified) return `${call.id} refunds before anybody is verified`;
    const other = memory.ran.refunds.find((id) => id !== call.id);
    if (other !== undefined) return `${call.id} refunds after ${other} did, or may have`;
    const beside = context.calls.find(
      (record) => record.status === "running" && record.call.name === "refund" && record.call.id !== call.id,
    );
    if (beside) return `${call.id} refunds beside ${beside.call.id}`;
  }
  return undefined;
};
