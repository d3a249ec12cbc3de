import { deskReviews } from "./desk-outcomes.ts";
import type { Ending, Scene } from "./move.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import { termsOf } from "../../../machines/agent/updates/reviewing.ts";
import type { ReviewInput, Verdict } from "../../../machines/agent/services.ts";
import { toolResult } from "./messages.ts";
import type { World } from "./world.ts";

/** The instant at which the approvals expire that a review asks for; no path of a walk takes so long. */
export const EXPIRES_AT = 1_000_000_000;

type Action = Verdict["action"];

/** The verdicts that a review may give on a call: an approval still meets deny rules, everything else follows the decision. */
function actionsFor(record: CallRecord, judges: boolean, { allowed }: ReviewInput): readonly Action[] {
  const { decided } = record;
  if (termsOf(record, allowed)) return ["allow"];
  if (decided === undefined) return judges ? ["allow", "ask", "deny", "answer"] : ["allow"];
  if (decided === "deny" || (typeof decided === "object" && "deny" in decided)) return ["deny"];
  if (typeof decided === "object" && "answer" in decided) return ["answer"];
  return judges ? ["allow", "deny"] : ["allow"];
}

function verdict({ call, decided }: CallRecord, action: Action, tool: World["tool"]): Verdict {
  const base = { callId: call.id, action };
  switch (action) {
    case "allow": {
      const edited = typeof decided === "object" && "edit" in decided ? { input: decided.edit } : {};
      return { ...base, ...tool, ...edited };
    }
    case "ask":
      return { ...base, reason: "it asks", argsHash: "hash", expiresAt: EXPIRES_AT };
    case "deny":
      return { ...base, result: toolResult(call.id, "denied", "denied") };
    case "answer":
      return { ...base, result: toolResult(call.id, "answered") };
  }
}

/** Every combination of verdicts on the calls that have none. */
export function reviewOutcomes(
  input: ReviewInput,
  { judges, tool, desk, gate }: World,
  scene: Scene,
): readonly Ending[] {
  if (desk) return deskReviews(input, desk, scene, gate);
  const { calls } = input;
  const combinations = calls.reduce<readonly (readonly Action[])[]>(
    (before, record) =>
      before.flatMap((actions) => actionsFor(record, judges, input).map((action) => [...actions, action])),
    [[]],
  );
  return combinations.map((actions) => ({
    label: actions.join(", ") || "nothing to judge",
    output: { verdicts: calls.map((record, index) => verdict(record, actions[index]!, tool)) },
    meaning: { grants: calls.flatMap(({ call }, index) => (actions[index] === "allow" ? [call.id] : [])) },
  }));
}
