import type { CallRecord, CallRules } from "../call-record.ts";
import type { Verdict } from "../services.ts";

const isApproval = (decision: CallRecord["decided"]): boolean =>
  decision === "approve" || (typeof decision === "object" && ("approve" in decision || "edit" in decision));

/** What the rules know of a call that a review has judged: what they have read in its arguments, and who has approved it. An approval lasts as
 *  long as the call is only repeated; it waives the rules of which the person was told. A call that asks has no approval. */
export function reviewedByRules(
  { rules, decided, decidedBy = "" }: CallRecord,
  { action, rules: read }: Verdict,
  next: CallRecord,
): CallRecord {
  if (next.result !== undefined) return next;
  const { approver, waived = [], asked = [], maybe, isUnknown } = rules ?? {};
  const isApproved = action === "allow" && isApproval(decided);
  const isRepeated = action === "allow" && decided === "retry";
  const by = isApproved ? decidedBy : isRepeated ? approver : undefined;
  const now = isApproved ? [...waived, ...asked] : isRepeated ? waived : [];
  const all: CallRules = {
    ...(action === "allow" && read),
    ...(by !== undefined && { approver: by }),
    ...(now.length > 0 && { waived: now }),
    ...(maybe && { maybe }),
    ...(isUnknown && { isUnknown }),
  };
  const { rules: _, ...rest } = next;
  return Object.keys(all).length > 0 ? { ...rest, rules: all } : rest;
}
