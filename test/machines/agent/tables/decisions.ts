import { message, text } from "../../../../src/testing/explorer/messages.ts";
import { AUTHORIZING, DECIDING_THE_RESULTS } from "./acting-decisions.ts";
import type { Branch } from "./branch.ts";
import { CHECKING_PENDING } from "./call-decisions.ts";
import { COMPACTION_DECISIONS } from "./compaction.ts";
import { CHECKING_LIMITS, DECIDING_THE_ANSWER } from "./reasoning-decisions.ts";

const replied = {
  outcome: { reason: "MODEL_STOP", reply: message("a1", "assistant", [text("answer")]) },
} as const;
const interruption = { interruption: { cause: "user" } } as const;

/** The decisions of the agent's chart, with a row for each branch, and rows in which several guards hold. */
export const DECISIONS: { readonly [decision: string]: readonly Branch[] } = {
  "doCall.checkingPending": CHECKING_PENDING,
  "reasoning.checkingLimits": CHECKING_LIMITS,
  "reasoning.deciding": DECIDING_THE_ANSWER,
  "acting.authorizing": AUTHORIZING,
  "acting.deciding": DECIDING_THE_RESULTS,
  "suspended.settling": [
    ["a hook wants to see the reply", { ...replied, listening: ["postCall"] }, "suspended.postCall"],
    ["no hook wants to see it", {}, "suspended.waiting"],
  ],
  ...COMPACTION_DECISIONS,
  "stopped.settling": [
    ["a hook wants to see the reply", { ...replied, listening: ["postCall"] }, "stopped.postCall"],
    ["no hook wants to see it", {}, "stopped.idle"],
  ],
  "stopped.interrupting": [
    ["a hook wants to hear of it", { ...interruption, listening: ["onInterrupt"] }, "stopped.onInterrupt"],
    ["no hook wants to hear of it", interruption, "stopped.idle"],
  ],
  "stopped.failing": [
    ["a hook wants to hear of it", { listening: ["onError"] }, "stopped.onError"],
    ["no hook wants to hear of it", {}, "stopped.idle"],
  ],
};
