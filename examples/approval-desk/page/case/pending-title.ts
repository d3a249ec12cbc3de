import type { PendingCall } from "agentchart";
import type { en } from "../words/en.ts";
import type { Format } from "../words/format.ts";

/** What a card asks: the question of the agent, or whether a call may be made. */
export function titleOf({ ask, reason, name, input }: PendingCall, words: typeof en, format: Format): string {
  if (ask && ask.kind !== "approval") return reason ?? words.question.title;
  const { orderId, cents } = input;
  if (name === "refund" && typeof cents === "number" && typeof orderId === "string")
    return words.approval.refund(format.euros(cents), orderId);
  return words.approval.title(words.tool.names[name] ?? name);
}
